#!/usr/bin/env bash
# install-dependencies.sh [LIST]: installs the Debian packages of scripts/packages.txt, or another list, that are
# missing. Does nothing if none is.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
list=${1:-$here/packages.txt}

mapfile -t packages < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$list")

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system: please install what corresponds to $list." >&2
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

echo "Installing with ${as_root[*]:+sudo }apt-get: ${missing[*]}" >&2
"${as_root[@]}" apt-get update -qq >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install --yes --no-install-recommends "${missing[@]}" >&2
