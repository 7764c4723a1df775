#!/bin/bash
# Sets up and runs every test: all of them in the default configuration, those tagged `sanitize` again under each
# sanitizer, then the layout check of the C sources, and where nvcc is whether the program's own PTX is its sources'. The
# last line is "N passed, N failed": a test target counts once per configuration, a check once. Exits 0 only if nothing
# failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

source_folders=(harness loader tools validator)
passed=0
failed=0
events=$(mktemp -d) || exit 1
trap 'rm -rf "$events"' EXIT
trap 'exit 130' INT

finish() {
  echo "$passed passed, $failed failed"
  exit $((failed > 0))
}

# bazel_tests CONFIGURATION OPTION...: what came of it, a failed build too, is read from Bazel's own record.
bazel_tests() {
  local configuration=$1 counts
  shift
  echo "test: $configuration"
  bazel test --keep_going --test_summary=terse --build_event_json_file="$events/$configuration" "$@" //...
  counts=$(/usr/bin/python3 tools/count_tests.py "$events/$configuration") || counts="0 1"
  read -r now_passed now_failed <<<"$counts"
  passed=$((passed + now_passed))
  failed=$((failed + now_failed))
  echo "test: $configuration: $now_passed passed, $now_failed failed"
}

# check NAME COMMAND...: a command that is one test.
check() {
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "test: $name: passed"
  else
    failed=$((failed + 1))
    echo "test: $name: failed"
  fi
}

# Prints the paths of our sources that match a pattern, each ended by NUL. Finding none fails: it would check nothing.
sources() {
  find "${source_folders[@]}" -path tools/example -prune -o -type f -regextype posix-extended -regex "$1" -print0 | grep -z .
}

check_layout() {
  sources '.*\.(c|h|cc|hpp)' | xargs -0 -r clang-format --dry-run -Werror
}

if ! tools/setup.sh; then
  failed=1
  finish
fi
bazel_tests default
for sanitizer in asan ubsan tsan; do
  bazel_tests "$sanitizer" --config="$sanitizer" --build_tests_only --test_tag_filters=sanitize
done
check layout check_layout
if nvcc --version 2>/dev/null | grep -q 'release 13\.0'; then
  check kernels tools/kernels/build_ptx.sh --check
else
  echo "test: kernels: skipped: there is no nvcc 13.0 that would compile the program's own kernels again"
fi
finish
