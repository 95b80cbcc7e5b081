#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures a preset of CMakePresets.json and builds targets of it (all if none).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${1:?usage: build.sh PRESET [TARGET...]}
shift

(cd "$root" && cmake --preset "$preset")
cmake --build "$root/build/$preset" --parallel "$(nproc)" --target "${@:-all}"
