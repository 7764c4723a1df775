#!/bin/bash
# Sets up, builds, runs the corpus, and checks a real deployment.
#
#   tools/start.sh [PATH...]   each PATH, a sidecar, a manifest or a folder of them, is checked too
#
# Both tables are printed whatever they say; the exit status is the first that is not 0.
set -euo pipefail

case "${1:-}" in
  -h | --help)
    sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  -*)
    echo "start: unusable option '$1'; tools/start.sh --help tells what there is" >&2
    exit 2
    ;;
esac

paths=()
for path in "$@"; do
  paths+=("$(realpath --no-symlinks -- "$path")")
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh
# The rows' own target brings the objects that launched rows run.
bazel build -c opt --show_result=0 //harness:rowlock //corpus:all_rows
rowlock=bazel-bin/harness/rowlock

run_status=0
check_status=0
echo
echo "\$ rowlock run corpus"
"$rowlock" run corpus || run_status=$?
echo
echo "\$ rowlock check tools/example${*:+ $*}"
"$rowlock" check tools/example "${paths[@]}" || check_status=$?
exit $((run_status ? run_status : check_status))
