#!/bin/bash
# Compiles kernels.cu to kernels.ptx, which is what the loader carries, with nvcc 13.0. The version is lowered to the
# oldest that knows the target: the kernels use nothing newer, and older drivers take them.
#
#   loader/device/build_kernels.sh          writes kernels.ptx
#   loader/device/build_kernels.sh --check  only compares; exits 1 if it would change
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

made=$(mktemp)
trap 'rm -f "$made"' EXIT
nvcc -std=c++17 -fmad=false -ptx -arch=compute_75 kernels.cu -o "$made"
sed -i 's/^\.version .*/.version 6.3/' "$made"
case "${1:-}" in
  --check) cmp "$made" kernels.ptx ;;
  "") cp "$made" kernels.ptx ;;
  *) echo "usage: build_kernels.sh [--check]" >&2 && exit 2 ;;
esac
