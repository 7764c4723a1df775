#!/bin/bash
# Runs clang-tidy over every C source, a file at a time on every core: minutes, so tools/test.sh does not run it.
#
#   tools/lint.sh
#
# Exits non-zero if anything was found.
set -uo pipefail

case "$#:${1:-}" in
  0:) ;;
  1:-h | 1:--help)
    sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *) echo "usage: tools/lint.sh" >&2 && exit 2 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

flags="-std=c17 -I. $(pkg-config --cflags json-c criterion libcrypto libelf)" || exit 1
# What the build defines for one file alone stands in the case; of several values, one does.
# A file at a time: given several, clang-tidy 14 takes the va_list of the second for uninitialised.
# shellcheck disable=SC2016 # the inner shell expands these
find harness loader tools validator -path tools/example -prune -o -type f -name '*.c' -print0 |
  flags=$flags xargs -0 -r -n 1 -P "$(nproc)" sh -c '
    case $0 in
      tools/fuzz/read_artifact.c) own=-DKIND=RLK_CONTAINER_ELF ;;
      *) own= ;;
    esac
    clang-tidy --quiet "$0" -- $flags $own 2>&1' |
  sed '/^[0-9]* warnings\{0,1\} generated\.$/d'
