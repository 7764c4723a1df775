#!/bin/sh
# Runs a test under a sanitizer and fails it if any process of it reported a defect. An exit status is not enough: Criterion
# does not look at how a child ends once the child's test is over, which is when leaks and races are reported.
reports=$(mktemp -d) || exit 3
trap 'rm -rf "$reports"' EXIT
log_path="log_path=$reports/report"
# Rows about plugins that crash ask for the signal that ended the process. A sanitizer that handles it would report a defect of
# the fixture, which is none of ours, and exit with a status of its own. A crash of ours fails its test all the same.
signals="handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0"
export ASAN_OPTIONS="$log_path:$signals:$ASAN_OPTIONS" TSAN_OPTIONS="$log_path:$signals:$TSAN_OPTIONS"
export UBSAN_OPTIONS="$log_path:$signals:print_stacktrace=1:$UBSAN_OPTIONS" LSAN_OPTIONS="$log_path:$LSAN_OPTIONS"

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
