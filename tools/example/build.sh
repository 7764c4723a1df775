#!/bin/bash
# Compiles the kernels in sources/ into the artifacts that lie beside their sidecars.
#
#   build.sh           writes them
#   build.sh --check   compiles elsewhere, and fails if what lies here is not what the sources give
#
# NVCC names the compiler, nvcc otherwise. Another release of it writes other bytes: README.md says which was used.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Without fused multiply-add, so that a host build of the same source (-ffp-contract=off) can be compared bit for bit.
flags=(-std=c++17 -fmad=false)
ptx=("${flags[@]}" -ptx -arch=compute_75)
fatbin=("${flags[@]}" -fatbin -gencode "arch=compute_75,code=compute_75" -gencode "arch=compute_90,code=sm_90")

# compile SOURCE ARTIFACT OPTION...
compile() {
  local source=$1 artifact=$2
  shift 2
  mkdir -p "$out/$(dirname "$artifact")"
  "${NVCC:-nvcc}" "$@" "sources/$source" -o "$out/$artifact"
  if $check && ! cmp "$artifact" "$out/$artifact"; then
    differs=true
  fi
}

check=false
differs=false
out=.
case "$#:${1:-}" in
  0:) ;;
  1:--check)
    check=true
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
    ;;
  *) echo "usage: tools/example/build.sh [--check]" >&2 && exit 2 ;;
esac

compile gravity.cu vector/gravity.ptx "${ptx[@]}"
compile drag.cu vector/drag.ptx "${ptx[@]}"
compile air_density.cu pure/air_density.ptx "${ptx[@]}"
compile kinetic_energy.cu mapreduce/kinetic_energy.fatbin "${fatbin[@]}"
if $differs; then exit 1; fi
