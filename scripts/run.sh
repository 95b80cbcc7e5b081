#!/usr/bin/env bash
# Installs what is missing, builds kbsim and runs an all-reduce with its data verified.
# Further arguments go to kbsim: scripts/run.sh --set system.sips.count=4
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

"$here/install-dependencies.sh"
"$here/build.sh" release kbsim >&2 # stdout belongs to kbsim's results
exec "$here/../build/release/apps/kbsim/kbsim" \
  --topology topology.yaml --bench ccl_allreduce --verify-data "$@"
