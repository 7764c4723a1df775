#!/bin/bash
# Compiles each .cu of the corpus to the .ptx beside it, which is checked in, with nvcc 13.0. No fused multiply-adds: host
# and device compute the same bits where they compute the same operations. The version is lowered to the oldest that
# knows the target, so that older drivers take the fixtures; names of static variables lose the part that is of the path.
#
#   corpus/build_artifacts.sh [--check] [FILE.cu...]    --check only compares; exits 1 if a file would change
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

check=false
if [ "${1:-}" = --check ]; then
  check=true
  shift
fi
sources=("$@")
[ ${#sources[@]} -gt 0 ] || mapfile -t sources < <(find "$root/corpus" -name '*.cu' | sort)
made=$(mktemp)
trap 'rm -f "$made"' EXIT
status=0
for source in "${sources[@]}"; do
  ptx=${source%.cu}.ptx
  nvcc -std=c++17 -fmad=false -ptx -arch=compute_75 -I "$root" -Xcudafe --diag_suppress=177 "$source" -o "$made"
  sed -i 's/^\.version .*/.version 6.3/; /^\/\/ Compiler Build ID/d; /^\/\/ Cuda compilation tools/d;
    s/_INTERNAL_[0-9a-f]\{8\}_\([0-9]*_[a-z0-9_]*_cu\)_[0-9a-f]\{8\}/_INTERNAL_\1/g' "$made"
  if $check; then
    cmp "$made" "$ptx" || status=1
  else
    install -m 644 "$made" "$ptx"
  fi
done
exit $status
