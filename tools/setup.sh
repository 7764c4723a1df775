#!/bin/bash
# Installs the distribution's packages that Rowlock is built and tested with, those that are missing and no others.
#
#   tools/setup.sh           installs, through apt-get, as root or with sudo
#   tools/setup.sh --check   only says what is missing; exits 1 if anything is
#
# Nothing outside the package manager is touched. With everything there it neither needs rights nor the network.
set -euo pipefail

# package | what needs it
packages='
bazel-bootstrap    | building and running the tests
gcc                | compiling the C sources
g++                | compiling C++ sources; Bazel also links with it
pkg-config         | finding the libraries below
libjson-c-dev      | rows, reports and JSON output
libcriterion-dev   | unit tests
libssl-dev         | SHA-256 digests
libelf-dev         | reading shared objects and cubins without opening them
libzstd-dev        | unpacking fatbins
liblz4-dev         | unpacking fatbins
python3            | tools, and the test summary
python3-jsonschema | checking the rows against the JSON Schemas
python3-pytest     | tests of the Python tools
clang-format       | the layout check of tools/test.sh
clang-tidy         | tools/lint.sh
git                | version control
'

die() {
  echo "setup: $*" >&2
  exit 1
}

# Prints the lines of the table whose package is not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query --show --showformat '${Package} ${db:Status-Status}\n' | sed -n 's/ installed$//p')
  while read -r package rest; do
    [ -z "$package" ] || grep -qxF -- "$package" <<<"$installed" || echo "  $package $rest"
  done <<<"$packages"
}

case "$#:${1:-}" in
  0:) check_only=false ;;
  1:--check) check_only=true ;;
  *) echo "usage: tools/setup.sh [--check]" >&2 && exit 2 ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  die "this system has no apt-get. Rowlock is set up on Debian 12; elsewhere, provide the equivalent of:$packages"
fi

missing=$(missing_packages)
if [ -z "$missing" ]; then
  echo "setup: every package is installed"
  exit 0
fi

echo "setup: missing packages, and what needs them:"
echo "$missing"
if $check_only; then
  exit 1
fi

read -r -d '' -a names < <(awk '{ print $1 }' <<<"$missing" && printf '\0')
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || die "installing needs root, and there is no sudo. As root, run:
  apt-get update && apt-get install --yes --no-install-recommends ${names[*]}"
  as_root=(sudo)
fi
as_root+=(env DEBIAN_FRONTEND=noninteractive)

echo "setup: ${as_root[*]} apt-get update"
"${as_root[@]}" apt-get -q update || die "apt-get update failed; see above"
echo "setup: ${as_root[*]} apt-get install --yes --no-install-recommends ${names[*]}"
"${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends "${names[@]}" ||
  die "apt-get install failed; see above. On Ubuntu, the 'universe' component must be enabled."
echo "setup: done"
