#!/usr/bin/env bash
# compile-time.sh [--repeats N] [FILE...]: what a file of a plug-in or of a program of one's own takes to compile, as an
# outsider compiles it: alone, at -O2, without precompiled headers. User seconds of the processor, the least of N runs
# (3). Without files: the examples, and one plug-in of each kind that the tests load.
# compile-time.sh --against DIR ...: also of the same files in another checkout, in turn, and the ratio.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
compiler=${CXX:-clang++-19}
repeats=3
before=
files=()
while (($# > 0)); do
  case $1 in
    --repeats) repeats=$2; shift 2 ;;
    --against) before=$(cd "$2" && pwd); shift 2 ;;
    *) files+=("$1"); shift ;;
  esac
done
if ((${#files[@]} == 0)); then
  files=(examples/my_kernel/{scale,my_allreduce,my_ring,bench,repeat,mock_test}.cpp
         examples/my_machine/{outer_product,bus,narrow_writes,reads_first,o1turn,scrubber}.cpp
         examples/my_program/main.cpp test/contract/plugins/{good,asks,no_function}.cpp)
fi
object=$(mktemp)
trap 'rm -f "$object"' EXIT

# Seconds of one compilation: compile CHECKOUT FILE.
compile() {
  local -a include
  mapfile -t include < <(find "$1"/lib "$1"/kernels "$1"/apps -type d -name include -not -path '*/third_party/*')
  local TIMEFORMAT=%U
  { time "$compiler" -std=c++20 -O2 -fPIC "${include[@]/#/-I}" -c -o "$object" "$1/$2" >&2; } 2>&1 | tail -n 1
}
lesser() { awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b < a ? b : a }'; }

for file in "${files[@]}"; do
  now='' then=''
  for ((i = 0; i < repeats; i++)); do
    [[ -z $before ]] || then=$(lesser "$then" "$(compile "$before" "$file")")
    now=$(lesser "$now" "$(compile "$root" "$file")")
  done
  if [[ -z $before ]]; then
    printf '%-42s %6.2f s\n' "$file" "$now"
  else
    printf '%-42s %6.2f s %6.2f s  %s\n' "$file" "$then" "$now" "$(awk "BEGIN { printf \"%.2f\", $now / $then }")"
  fi
done
