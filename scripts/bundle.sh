#!/bin/sh
# Bundles the modules of lib/web/program into lib/web/bundle. The bundles are committed: a build embeds them,
# and only a change of the program needs esbuild.
# usage: scripts/bundle.sh [DIR]    (default: lib/web/bundle)
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
to=${1:-$here/lib/web/bundle}
cd "$here/lib/web/program"
mkdir -p "$to"
for name in report timeline; do
  entry=$name.js
  [ "$name" = timeline ] && entry=timeline_page.js
  esbuild "$entry" --bundle --format=iife --target=es2022 --log-level=warning --outfile="$to/$name.js"
done
