#!/bin/bash
# Compiles the kernels in deployments/ into the artifacts that lie beside them.
#
#   compile.sh           writes them
#   compile.sh --check   compiles elsewhere, and fails if what lies here is not what the sources give
#
# NVCC names the compiler, nvcc otherwise. What lies here is nvcc 13.0's (V13.0.88); another release writes other bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/deployments"

flags=(-std=c++17)
ptx=(-ptx -arch=compute_75)
cubins=(-fatbin -gencode "arch=compute_80,code=sm_80" -gencode "arch=compute_90,code=sm_90")
fatbin=("${cubins[@]}" -gencode "arch=compute_75,code=compute_75")
# By itself the compiler packs PTX alone.
packed=(-Xfatbin=-compress-all)

# compile SOURCE ARTIFACT OPTION...
compile() {
  local source=$1 artifact=$2
  shift 2
  mkdir -p "$out/$(dirname "$artifact")"
  "${NVCC:-nvcc}" "${flags[@]}" "$@" "$source" -o "$out/$artifact"
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
  *) echo "usage: corpus/artifact/compile.sh [--check]" >&2 && exit 2 ;;
esac

compile compiled/drag.cu compiled/drag.ptx "${ptx[@]}"
compile compiled/drag.cu compiled/drag_75.cubin -cubin -arch=sm_75
compile compiled/drag.cu compiled/drag_90.cubin -cubin -arch=sm_90
compile compiled/drag.cu compiled/drag_90a.cubin -cubin -arch=sm_90a
compile compiled/drag.cu compiled/drag_120f.cubin -cubin -arch=sm_120f
compile compiled/drag.cu compiled/drag_120f.ptx -ptx -arch=compute_120f
compile compiled/drag.cu compiled/drag_zstd.fatbin "${fatbin[@]}" "${packed[@]}"
compile compiled/drag.cu compiled/drag_zstd_cubins.fatbin "${cubins[@]}" "${packed[@]}"
compile compiled/drag.cu compiled/drag_lz4_cubins.fatbin "${cubins[@]}" "${packed[@]}" --compress-mode=speed
compile compiled/drag.cu compiled/drag_lz4.fatbin "${fatbin[@]}" "${packed[@]}" --compress-mode=speed
compile compiled/drag.cu compiled/drag_plain.fatbin "${fatbin[@]}" --compress-mode=none
compile compiled/roles.cu compiled/roles.ptx "${ptx[@]}"
compile compiled/roles.cu compiled/roles.cubin -cubin -arch=sm_80
compile compiled/roles.cu compiled/roles_float32.ptx "${ptx[@]}" -DREAL=float
compile compiled/several.cu compiled/several.ptx "${ptx[@]}"
# Functions of their own, as for a program that is linked from several: otherwise they are part of their kernels.
compile compiled/several.cu compiled/several.cubin -cubin -arch=sm_90 -rdc=true
compile compiled/wide.cu compiled/wide_100.cubin -cubin -arch=sm_100
compile compiled/wide.cu compiled/wide_120.cubin -cubin -arch=sm_120
compile compiled_v1/drag_v1.cu compiled_v1/drag_v1.ptx "${ptx[@]}"
compile compiled_v1/drag_v1.cu compiled_v1/drag_v1.cubin -cubin -arch=sm_80
if $differs; then exit 1; fi
