#!/usr/bin/env bash
# validate.sh [--no-build] [--inputs DIR [--inputs-only] | --silicon DIR] [WORD...]: runs the cases of test/validation/cases.txt, holds
# each against its reference, and writes docs/reference/validation.md, its figures and the summary in README.md. Exit code 1 if
# a row is out of its tolerance; then, and with words (only sections whose titles have one), nothing is written.
# --inputs: the section on inputs of others, too, from a folder with noc-traces, nccl-tests, chakra, msccl and layers;
# without it that section stays as it is. --inputs-only: nothing but that section. --silicon: nothing but docs/silicon.md,
# from a folder of tables that a maker published of his chips; a line a table and kind on stdout.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build=yes
arguments=()
for argument in "$@"; do
  if [[ $argument == --no-build || $argument == --help || $argument == -h ]]; then build=no; fi
  if [[ $argument != --no-build ]]; then arguments+=("$argument"); fi
done

if [[ $build == yes ]]; then
  "$root/scripts/install-dependencies.sh" main features
  "$root/scripts/build.sh" release kbsim >&2
fi
exec python3 -B "$root/test/validation/validate.py" "${arguments[@]}"
