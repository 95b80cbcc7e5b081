#!/usr/bin/env bash
# install-dependencies.sh [LIST...]: installs the Debian packages of these lists of scripts/packages.txt (main, features,
# tests, bench) that are missing; without a list, main, features and tests. Does nothing if none is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# > 0)) || set -- main features tests

# The packages of one list.
packages_of() { sed -n "/^\[$1\]/,/^\[/s/^\([a-z0-9][^ ]*\).*/\1/p" "$here/packages.txt"; }

packages=()
for list in "$@"; do
  mapfile -t -O "${#packages[@]}" packages < <(packages_of "$list")
  if ! grep -q "^\[$list\]" "$here/packages.txt"; then
    echo "There is no list '$list': $(sed -n 's/^\[\(.*\)\].*/\1/p' "$here/packages.txt" | xargs)" >&2
    exit 2
  fi
done

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system: please install what corresponds to $here/packages.txt ($*)." >&2
  exit 0
fi

is_installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
((${#missing[@]} > 0)) || exit 0

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "Please install as root (there is no sudo here): ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing for $* with ${as_root[*]:+sudo }apt-get: ${missing[*]}" >&2
"${as_root[@]}" apt-get update -qq >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install --yes --no-install-recommends "${missing[@]}" >&2
