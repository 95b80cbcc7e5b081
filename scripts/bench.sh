#!/usr/bin/env bash
# bench.sh [--no-build] [--quick] [--instructions] [--repeats N] [WORD...]: what events, hops and whole runs take, on
# lib/sim, a plain heap and SystemC; figures.json and a table in build/bench. It never fails on a time.
# bench.sh --compare A B: what two such folders differ by, and their noise. --build DIR=OUT twice runs two builds in
# turn and compares them. --write docs/performance.md puts the tables there. SystemC is optional (libsystemc-dev).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build=yes
arguments=()
for argument in "$@"; do
  if [[ $argument == --no-build ]]; then build=no; else arguments+=("$argument"); fi
  if [[ $argument == --compare || $argument == --build || $argument == --help ]]; then build=no; fi
done

if [[ $build == yes ]]; then
  "$root/scripts/install-dependencies.sh"
  "$root/scripts/install-dependencies.sh" "$root/scripts/packages-bench.txt" || echo "without SystemC or valgrind" >&2
  targets=(kbsim kbsim_bench_engine kbsim_bench_mesh)
  if [[ -e /usr/include/systemc ]]; then targets+=(kbsim_bench_systemc); fi
  "$root/scripts/build.sh" release "${targets[@]}" >&2
fi
exec python3 -B "$root/test/bench/bench.py" "${arguments[@]}"
