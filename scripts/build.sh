#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures a preset of CMakePresets.json and builds targets of it (all if none).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${1:?usage: build.sh PRESET [TARGET...]}
shift

# cmake's own words for a folder that was moved or copied with its build don't say what to do.
cache=$root/build/$preset/CMakeCache.txt
if [[ -f $cache ]]; then
  made_for=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache")
  if [[ ! $made_for -ef $root ]]; then
    echo "build/$preset was made for $made_for, and this is $root. Remove it, then build again:" >&2
    echo "  rm -r $root/build/$preset" >&2
    exit 2
  fi
fi

(cd "$root" && cmake --preset "$preset")
export NINJA_STATUS=${NINJA_STATUS-"[%f/%t, %e s] "}
cmake --build "$root/build/$preset" --parallel "$(nproc)" --target "${@:-all}"
