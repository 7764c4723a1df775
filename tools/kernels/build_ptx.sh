#!/bin/bash
# Compiles the program's own kernels, NAME.cu to NAME.ptx beside it, with nvcc 13.0. The PTX version is lowered to the
# oldest that knows the target: the kernels use nothing newer, and older drivers take them. Names of static variables lose
# the part that is of the path, and comments that of the compiler's build.
#
#   tools/kernels/build_ptx.sh          writes the PTX
#   tools/kernels/build_ptx.sh --check  only compares; exits 1 if anything would change
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

kernels=(loader/device/kernels harness/gate/device/compare)
case "${1:-}" in
  "" | --check) ;;
  *) echo "usage: build_ptx.sh [--check]" >&2 && exit 2 ;;
esac

made=$(mktemp)
trap 'rm -f "$made"' EXIT
for kernel in "${kernels[@]}"; do
  # The order of the definition of a fold and of a band: a multiplication is not fused into an addition.
  nvcc -std=c++17 -fmad=false -I. -ptx -arch=compute_75 "$kernel.cu" -o "$made"
  sed -i 's/^\.version .*/.version 6.3/; /^\/\/ Compiler Build ID/d; /^\/\/ Cuda compilation tools/d
    s/_\(INTERNAL\|GLOBAL__N_\)_[0-9a-f]\{8\}_\([0-9]*_[a-z0-9_]*_cu\)_[0-9a-f]\{8\}/_\1_\2/g' "$made"
  if [ "${1:-}" = --check ]; then
    cmp "$made" "$kernel.ptx"
  else
    cp "$made" "$kernel.ptx"
  fi
done
