#!/bin/sh
# Makes the binaries of this folder from sums.cu with the CUDA compiler that the PATH has (13.0 made those checked in).
set -eu
cd "$(dirname "$0")"
nvcc -ptx -arch=compute_75 -o sums.ptx sums.cu
nvcc -cubin -rdc=true -arch=sm_90a -o sums.cubin sums.cu
for mode in none speed size; do
  nvcc -fatbin --compress-mode="$mode" -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 \
    -gencode arch=compute_120,code=sm_120 -o "sums_$mode.fatbin" sums.cu
done
mv sums_none.fatbin sums_plain.fatbin
mv sums_speed.fatbin sums_lz4.fatbin
mv sums_size.fatbin sums_zstd.fatbin
