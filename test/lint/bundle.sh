#!/bin/sh
# The committed bundle of the pages' program is what scripts/bundle.sh makes of its modules, and types fit.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
for tool in esbuild tsc; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool isn't installed"; exit 0; }
done
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$here/scripts/bundle.sh" "$made"
diff -r "$here/lib/web/bundle" "$made" || { echo "run scripts/bundle.sh and commit lib/web/bundle"; exit 1; }
tsc -p "$here/lib/web/program"
