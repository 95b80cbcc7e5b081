#!/usr/bin/env bash
# soak.sh [--minutes N] [--seed S] [--no-build]: tries random machines, algorithms and programs, and prints a line
# FAIL with the command for each finding (exit code 1 if there is any). What it tries, and what may come of it:
# test/soak/README.md. Further arguments go to test/soak/soak.py: --jobs N, --case K of a seed,
# --cases N, --family NAME.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build=yes
arguments=()
for argument in "$@"; do
  if [[ $argument == --no-build ]]; then build=no; else arguments+=("$argument"); fi
done

if [[ $build == yes ]]; then
  "$root/scripts/install-dependencies.sh" main features tests
  "$root/scripts/build.sh" release kbsim soak_program test_host >&2
  "$root/scripts/build.sh" debug kbsim soak_program >&2
fi
debug=()
if [[ $root/build/debug/apps/kbsim/kbsim -nt $root/build/release/apps/kbsim/kbsim ]]; then # else it is of another state
  debug=(--debug "$root/build/debug")
fi
exec python3 -B "$root/test/soak/soak.py" --release "$root/build/release" "${debug[@]}" "${arguments[@]}"
