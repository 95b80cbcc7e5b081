#!/usr/bin/env bash
# package.sh [FOLDER]: builds kbsim and writes its Debian packages, kbsim and kbsim-dev, to FOLDER (build/packages).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(realpath -m "${1:-$root/build/packages}")

"$root/scripts/install-dependencies.sh" main features tests
"$root/scripts/build.sh" release kbsim kbsim_archive kbsim_documents >&2
cpack -G DEB --config "$root/build/release/CPackConfig.cmake" -B "$folder" >&2
rm -r "$folder/_CPack_Packages" # what the packages were made of
ls "$folder"/kbsim*.deb
