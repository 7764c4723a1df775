#!/bin/bash
# Runs every row of the archive, those of a device too, and leaves what came of it in a folder.
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

cd "$here" || exit 3
{
  date --utc '+%Y-%m-%dT%H:%M:%SZ'
  bin/rowlock version
} >"$out/machine.txt"
bin/rowlock run corpus --built built "${require[@]}" --report json="$out/rows.jsonl" --report junit="$out/rows.xml" "$@" |
  tee "$out/summary.txt"
exit "${PIPESTATUS[0]}"
