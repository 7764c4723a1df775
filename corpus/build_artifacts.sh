#!/bin/bash
# Compiles each .cu of the corpus to the .ptx beside it, which is checked in, with nvcc 13.0; and NAME.cu to each
# NAME.sm_XX.cubin and NAME.sm_XX.fatbin (PTX and code for that SM) that is there: touch one to have it made. Where there
# is a NAME.fatbin, that alone is made: code for every GPU that nvcc knows, and no PTX. Sources of corpus/artifact are
# compiled by its own script, with other options.
#
# No fused multiply-adds: host and device compute the same bits where they compute the same operations. The version of PTX
# is lowered to the oldest that knows the target, so that older drivers take it; names of static variables lose the part
# that is of the path, and the array of the layout is made visible, which this compiler keeps from a driver (the code for an
# SM is left so).
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
[ ${#sources[@]} -gt 0 ] || mapfile -t sources < <(find "$root/corpus" -path '*/artifact' -prune -o -name '*.cu' -print | sort)
made=$(mktemp)
trap 'rm -f "$made" "$made.ptx" "$made.cubin"' EXIT
status=0

# compile SOURCE ARTIFACT OUT
compile() {
  local sm=${2%.*} part
  sm=${sm##*.sm_}
  local nvcc=(nvcc -std=c++17 -fmad=false -Xcudafe --diag_suppress=177 -I "$root" "$1" -o "$3")
  case $2 in
    *.ptx)
      "${nvcc[@]}" -ptx -arch=compute_75
      sed -i 's/^\.version .*/.version 6.3/; /^\/\/ Compiler Build ID/d; /^\/\/ Cuda compilation tools/d
        s/_INTERNAL_[0-9a-f]\{8\}_\([0-9]*_[a-z0-9_]*_cu\)_[0-9a-f]\{8\}/_INTERNAL_\1/g
        s/^\.global .* eagle_layout_sizes/.visible &/' "$3"
      ;;
    *.cubin) "${nvcc[@]}" -cubin "-arch=sm_$sm" ;;
    "${1%.cu}.fatbin") "${nvcc[@]}" -fatbin -arch=all --compress-mode=size ;;
    *.fatbin)
      for part in ptx cubin; do compile "$1" "$1.sm_$sm.$part" "$made.$part"; done
      fatbinary --create="$3" --compress=false --image3="kind=ptx,sm=75,file=$made.ptx" \
        --image3="kind=elf,sm=$sm,file=$made.cubin"
      ;;
  esac
}

shopt -s nullglob
for source in "${sources[@]}"; do
  stem=${source%.cu}
  artifacts=("$stem.ptx" "$stem".sm_*.cubin "$stem".sm_*.fatbin)
  [ ! -e "$stem.fatbin" ] || artifacts=("$stem.fatbin")
  for artifact in "${artifacts[@]}"; do
    compile "$source" "$artifact" "$made"
    if $check; then
      cmp "$made" "$artifact" || status=1
    else
      install -m 644 "$made" "$artifact"
    fi
  done
done
exit $status
