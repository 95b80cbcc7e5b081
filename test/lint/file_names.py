"""One name, one file: a debugger and a search tell files of the rooms, kernels and command apart by their names."""

import pathlib
from collections import defaultdict
from typing import Iterator

from lint import Finding, cpp_files, main

TOPS = {"lib", "apps", "kernels"}
# Names that may stand twice.
ALLOWED = {"main",
           "watchdog"}  # signals': its interface is public, its thread isn't


def room(name: pathlib.PurePath) -> tuple[str, ...]:
    """lib/hw/pe, lib/sim, apps/kbsim, kernels: x.hpp and x.cpp of one room are one name."""
    if name.parts[0] == "kernels":
        return name.parts[:1]
    return name.parts[:3] if name.parts[:2] == ("lib", "hw") else name.parts[:2]


def check(root: pathlib.Path) -> Iterator[Finding]:
    named = defaultdict(list)
    for name in cpp_files(root):
        if name.parts[0] in TOPS and "third_party" not in name.parts and name.stem not in ALLOWED:
            named[name.stem].append(name)
    for files in named.values():
        first: dict[str, pathlib.PurePath] = {}
        for name in files:
            before = first.setdefault(name.suffix, name)
            other = next((f for f in first.values() if room(f) != room(name)), None)
            if before != name or other is not None:
                yield Finding(name, 1, f"{other or before} has the same name",
                              "say in the name what tells them apart")


if __name__ == "__main__":
    main(check)
