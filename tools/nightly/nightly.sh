#!/bin/bash
# Runs every row of the archive, those of a device too, and leaves what came of it in a folder, in place of what an earlier
# run left there: machine.txt, summary.txt with all that the run said, and rows.jsonl and rows.xml if it began.
#
#   nightly.sh OUT [OPTION...]    OPTIONs go to `rowlock run`; --device none leaves devices out
#
# Needs a driver and nothing else. Ends as `rowlock run` does: 0 as expected, 1 a divergence, 2 unusable, 3 no device.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 3
if [ $# -lt 1 ] || [ "${1#-}" != "$1" ]; then
  echo "usage: nightly.sh OUT [OPTION...]" >&2
  exit 2
fi
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd) || exit 2
shift

require=(--require-device)
case " $* " in
  *" --device none "* | *" --device=none "*) require=() ;;
esac

rm -f "$out"/{machine.txt,rows.jsonl,rows.xml,summary.txt} || exit 2
cd "$here" || exit 3
{
  date --utc '+%Y-%m-%dT%H:%M:%SZ'
  bin/rowlock version
} >"$out/machine.txt"
# Each stream goes on to where it was going; 3 is the pipe to the second tee.
{
  bin/rowlock run corpus --built built "${require[@]}" --report json="$out/rows.jsonl" --report junit="$out/rows.xml" "$@" \
    2>&1 >&3 3>&- | tee -a "$out/summary.txt" >&2 3>&-
  exit "${PIPESTATUS[0]}"
} 3>&1 | tee -a "$out/summary.txt"
exit "${PIPESTATUS[0]}"
