#!/bin/bash
# Compiles the generated signatures, and packs what comes of them into compiled.tar.xz: PTX and cubins of two SMs.
#
#   build.sh           writes it
#   build.sh --check   compiles elsewhere, and fails if what lies here is not what the sources give
#
# NVCC names the compiler, nvcc otherwise. What lies here is nvcc 13.0's (V13.0.88); another release writes other bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

case "$#:${1:-}" in
  0:) check=false ;;
  1:--check) check=true ;;
  *) echo "usage: loader/artifact/signatures/build.sh [--check]" >&2 && exit 2 ;;
esac

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
/usr/bin/python3 -B generate.py "$out"
for version in v1 v2; do
  "${NVCC:-nvcc}" -std=c++17 -ptx -arch=compute_75 "$out/$version.cu" -o "$out/$version.ptx"
  for sm in 75 100; do
    "${NVCC:-nvcc}" -std=c++17 -cubin -arch="sm_$sm" "$out/$version.cu" -o "$out/${version}_$sm.cubin"
  done
done
(
  cd "$out"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=644 -cf compiled.tar ./*.ptx ./*.cubin
  xz --threads=1 -9e compiled.tar
)
if $check; then
  cmp compiled.tar.xz "$out/compiled.tar.xz"
else
  cp "$out/compiled.tar.xz" compiled.tar.xz
fi
