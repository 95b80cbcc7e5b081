#!/usr/bin/env bash
# Installs what is missing, builds kbsim and runs an all-reduce with its data verified.
# Further arguments go to kbsim: scripts/run.sh --set system.sips.count=4
# Those that name a machine, a bench or another command take the place of run.sh's own:
# scripts/run.sh --bench gemm_single_pe; scripts/run.sh probe --topology topology.yaml
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

"$here/install-dependencies.sh"
"$here/build.sh" release kbsim >&2 # stdout belongs to kbsim's results

given=" $* "
options=()
if [[ ${1:-} != [a-z]* ]]; then
  [[ $given == *" --topology"[\ =]* ]] || options+=(--topology topology.yaml)
  [[ $given == *" --bench"[\ =]* ]] || options+=(--bench ccl_allreduce --verify-data)
fi
exec "$here/../build/release/apps/kbsim/kbsim" "${options[@]}" "$@"
