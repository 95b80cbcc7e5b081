#!/usr/bin/env bash
# The gate: installs what is missing, builds release and debug (sanitizers), compiles each public header
# alone, and runs all tests of both. Arguments go to ctest: scripts/test.sh -R lint
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

"$here/install-dependencies.sh"
"$here/build.sh" release all all_verify_interface_header_sets
"$here/build.sh" debug
for preset in release debug; do
  echo "== ctest, $preset"
  ctest --test-dir "$here/../build/$preset" --output-on-failure --parallel "$(nproc)" "$@"
done
