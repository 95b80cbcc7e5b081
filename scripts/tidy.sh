#!/usr/bin/env bash
# clang-tidy over the sources (all, or the files named). By hand: minutes, too slow for the gate.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/install-dependencies.sh" main features tests

# A compile database of its own: a line a file, and clang-tidy can't read the compiler's precompiled headers.
build=$root/build/tidy
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DKBSIM_WERROR=OFF \
  -DKBSIM_BATCH_SIZE=0 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null

if (($# > 0)); then
  files=("$@")
else
  mapfile -t files < <(cd "$root" && git ls-files '*.cpp')
  files=("${files[@]/#/$root/}")
fi
printf '%s\0' "${files[@]}" | xargs --null --max-procs="$(nproc)" --max-args=1 \
  clang-tidy-19 -p "$build" --quiet --warnings-as-errors='*'
