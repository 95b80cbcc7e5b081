#!/usr/bin/env bash
# Installs what the command needs, builds it, and runs an all-reduce with its data verified.
# Further arguments go to kbsim: scripts/run.sh --set system.sips.count=4
# Those that name a machine, a bench or another command take the place of run.sh's own:
# scripts/run.sh --bench gemm_single_pe; scripts/run.sh probe --topology topology.yaml
# With --timing-only there is no data to verify.
# A command that needs more packages ends with exit code 5 and their names.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

command=$(cd "$here/.." && pwd)/build/release/apps/kbsim/kbsim

SECONDS=0
"$here/install-dependencies.sh" main
packages=$SECONDS
first=no
if [[ ! -x $command ]]; then
  first=yes
  cores=$(nproc)
  echo "The first build takes about 12 minutes of one core: $(((12 + cores - 1) / cores)) on the $cores here." >&2
  echo "The command is then $command" >&2
fi
"$here/build.sh" release kbsim >&2 # stdout belongs to kbsim's results

given=" $* "
gives() { [[ $given == *" --$1"[\ =]* ]]; }

options=()
case ${1:-} in
  [a-z]* | -h | --version) ;; # another command, or none
  --help) options+=(run) ;;
  *)
    gives topology || options+=(--topology topology.yaml)
    gives bench || options+=(--bench ccl_allreduce)
    gives bench || gives verify-data || gives timing-only || options+=(--verify-data)
    ;;
esac
[[ $first == yes ]] || exec "$command" "${options[@]}" "$@"

status=0
"$command" "${options[@]}" "$@" || status=$?
echo "run.sh: packages $packages s, from build to first result $((SECONDS - packages)) s" >&2
exit "$status"
