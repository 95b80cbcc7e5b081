"""Kinds of message bodies have different orders: messages that one node sends at one time never leave by chance."""

import pathlib
import re
from typing import Iterator

from cpp_text import without_noise
from lint import Finding, cpp_files, line_of, main

TRAITS = re.compile(r"\bBodyTraits\s+kTraits\s*\{([^}]*)\}")
ORDER = re.compile(r"\.order\s*=\s*(\d+)")


def check(root: pathlib.Path) -> Iterator[Finding]:
    seen: dict[int, pathlib.PurePath] = {}
    for name in [name for name in cpp_files(root) if name.parts[0] != "test"]:
        text = without_noise((root / name).read_text())
        for match in TRAITS.finditer(text):
            order = ORDER.search(match[1])
            number = int(order[1]) if order else 0
            if number in seen:
                yield Finding(name, line_of(text, match.start()),
                              f"a kind of body has the order {number}, as one of {seen[number]} has",
                              "give it one of its own")
            seen.setdefault(number, name)


if __name__ == "__main__":
    main(check)
