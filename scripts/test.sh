#!/usr/bin/env bash
# The gate: installs what is missing, builds release and debug (sanitizers), compiles each public header
# alone, and runs all tests of both; builds the machine without its shortcut (preset plain) and runs the tests labelled
# machine. Arguments go to ctest: scripts/test.sh -R lint
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh main features tests
scripts/build.sh release all headers_alone
scripts/build.sh debug
scripts/build.sh plain machine_tests
for preset in release debug; do
  echo "== Tests, $preset"
  ctest --preset "$preset" --parallel "$(nproc)" "$@"
done
echo "== Tests, plain"
ctest --preset plain --parallel "$(nproc)" -L machine ${1:+--no-tests=ignore} "$@"
