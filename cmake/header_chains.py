"""Chains of public headers of all rooms: a line a chain, its headers separated by spaces.

header_chains.py SOURCES DEEP,... ROOM=HEADER...

Each header of a chain includes all that stand before it. So a file that includes them in this order shows that each
of them compiles alone: where the text of one is read, nothing has been read that it doesn't include itself. For that
a header has its includes before anything else, and one that hasn't is refused.

A line begins with a deep header that all of the chain include (of several the one that includes most), or with "-":
over that one, precompiled, nothing has been read either that they don't include. Then it has the room of the chain's
last header, which links what all of them need. SOURCES has those headers, and others that they include.
"""

import pathlib
import re
import sys
from typing import Optional

INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)
ABOVE = re.compile(r"(//.*|#.*|\s*)$")  # what may stand above an include


def late_include(text: str) -> Optional[int]:
    """The line of an include that has more than comments, directives and other includes above it."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if code and line.startswith("#include"):
            return number
        code = code or not ABOVE.match(line)
    return None


def included(headers: dict[str, str]) -> dict[str, set[str]]:
    """Header -> those of the folder that it includes, itself or through another."""
    direct = {name: [other for other in INCLUDE.findall(text) if other in headers]
              for name, text in headers.items()}
    found: dict[str, set[str]] = {}

    def all_of(name: str) -> set[str]:
        if name not in found:
            found[name] = set(direct[name]).union(*(all_of(other) for other in direct[name]))
        return found[name]

    for name in headers:
        all_of(name)
    return found


def by_deep(below: dict[str, set[str]], deep: list[str]) -> dict[str, dict[str, set[str]]]:
    """Those headers by the deep one that they include."""
    ordered = sorted(deep, key=lambda name: -len(below[name]))
    found: dict[str, dict[str, set[str]]] = {}
    for name, others in below.items():
        found.setdefault(next((one for one in ordered if one in others), "-"), {})[name] = others
    return found


def chains(below: dict[str, set[str]]) -> list[list[str]]:
    """Few chains that have each header once: from a header that includes many down to one that includes few."""
    left = sorted(below, key=lambda name: (-len(below[name]), name))
    found = []
    while left:
        chain = [left.pop(0)]
        while fitting := [name for name in left if name in below[chain[-1]]]:
            chain.append(fitting[0])
            left.remove(fitting[0])
        found.append(chain[::-1])
    return found


def name_of(path: str) -> str:
    return path.rpartition("/include/")[2]


def main() -> None:
    texts = {name_of(path.as_posix()): path.read_text() for top in ("lib", "kernels", "apps")
             for path in (pathlib.Path(sys.argv[1]) / top).glob("**/include/**/*.hpp")}
    rooms = {}
    for room, _, header in (argument.partition("=") for argument in sys.argv[3:]):
        rooms[name_of(header)] = room
        if line := late_include(texts[name_of(header)]):
            sys.exit(f"{header}:{line}: a public header has its includes before anything else")
    for deep, below in by_deep(included(texts), sys.argv[2].split(",")).items():
        for chain in chains({name: others for name, others in below.items() if name in rooms}):
            print(deep, rooms[chain[-1]], *chain)


if __name__ == "__main__":
    main()
