#!/bin/sh
# Runs a test under a sanitizer and fails it if any process of it reported a defect. An exit status is not enough: Criterion
# does not look at how a child ends once the child's test is over, which is when leaks and races are reported.
reports=$(mktemp -d) || exit 3
trap 'rm -rf "$reports"' EXIT
log_path="log_path=$reports/report"
export ASAN_OPTIONS="$log_path:$ASAN_OPTIONS" UBSAN_OPTIONS="$log_path:print_stacktrace=1:$UBSAN_OPTIONS"
export LSAN_OPTIONS="$log_path:$LSAN_OPTIONS" TSAN_OPTIONS="$log_path:$TSAN_OPTIONS"

# Older ThreadSanitizers cannot start under the wide address randomisation of newer kernels.
if setarch -R true 2>/dev/null; then
  setarch -R "$@"
else
  "$@"
fi
status=$?

for report in "$reports"/report*; do
  [ -e "$report" ] || break
  cat "$report" >&2
  [ "$status" -ne 0 ] || status=1
done
exit "$status"
