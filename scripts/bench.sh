#!/usr/bin/env bash
# bench.sh [--no-build] [--quick] [--instructions] [--repeats N] [WORD...]: what events, hops and whole runs take, on
# lib/sim, a plain heap and SystemC; figures.json and a table in build/bench. It never fails on a time.
# bench.sh --compare A B: what two such folders differ by, and their noise. --build DIR=OUT twice runs two builds in
# turn and compares them. --write docs/explanation/performance.md puts the tables there. SystemC is optional (libsystemc-dev).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

command -v python3 >/dev/null || "$root/scripts/install-dependencies.sh" tests
exec python3 -B "$root/test/bench/bench.py" "$@"
