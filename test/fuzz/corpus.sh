#!/usr/bin/env bash
# The corpus of a fuzzer, corpus/TARGET.tar.gz (README.md):
#   corpus.sh unpack TARGET FOLDER        writes its files to FOLDER
#   corpus.sh add TARGET FILE...          adds files as they are: findings, named by what they show
#   corpus.sh minimise TARGET [FOLDER...] leaves the files that libFuzzer needs for the coverage of the corpus and
#                                         of FOLDERs, and all findings (finding-*)
# The archive's bytes depend on its files' names and contents alone.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fuzzers=${KBSIM_FUZZERS:-$here/../../build/fuzz/test/fuzz}
verb=${1:?unpack, add or minimise} target=${2:?which fuzzer: oplog, chakra, ...}
shift 2

archive=$here/corpus/$target.tar.gz
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
unpack() {
  mkdir -p "$1"
  if [[ -e $archive ]]; then tar -xzf "$archive" -C "$1"; fi
}
pack() {
  (cd "$1" && find . -type f -printf '%P\n' | LC_ALL=C sort) >"$scratch/names"
  tar --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 -C "$1" -T "$scratch/names" -cf - |
    gzip -9n >"$archive.new"
  mv "$archive.new" "$archive"
}

case $verb in
  unpack) unpack "$1" ;;
  add)
    unpack "$scratch/all"
    for file in "$@"; do cp "$file" "$scratch/all/finding-$(basename "$file" | sed 's/^finding-//')"; done
    pack "$scratch/all"
    ;;
  minimise)
    mkdir "$scratch/least"
    unpack "$scratch/all"
    find "$scratch/all" -name 'finding-*' -exec mv -t "$scratch/least" {} +
    "$fuzzers/fuzz_$target" -set_cover_merge=1 "$scratch/least" "$scratch/all" "$@"
    pack "$scratch/least"
    ;;
  *) sed -n '3,6s/^#   //p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
esac
