"""Chains of the headers below a folder: a line a chain, its headers separated by spaces.

header_chains.py FOLDER HEADER...

Each header of a chain includes all that stand before it. So a file that includes them in this order shows that each
of them compiles alone: where the text of one is read, nothing has been read that it doesn't include itself. For that
a header has its includes before anything else, and one that hasn't is refused.
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


def chains(below: dict[str, set[str]]) -> list[list[str]]:
    """Few chains that have each header once: from one that includes many down to one that includes few."""
    left = sorted(below, key=lambda name: (-len(below[name]), name))
    found = []
    while left:
        chain = [left.pop(0)]
        while fitting := [name for name in left if name in below[chain[-1]]]:
            chain.append(fitting[0])
            left.remove(fitting[0])
        found.append(chain[::-1])
    return found


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    headers = {pathlib.Path(header).relative_to(folder).as_posix(): pathlib.Path(header).read_text()
               for header in sys.argv[2:]}
    for name, text in headers.items():
        if line := late_include(text):
            sys.exit(f"{folder / name}:{line}: a public header has its includes before anything else")
    for chain in chains(included(headers)):
        print(*chain)


if __name__ == "__main__":
    main()
