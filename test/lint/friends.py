"""A friend lives in the same room: code of other rooms uses an interface."""

import pathlib
import re
from typing import Iterator

from cpp_text import without_noise
from lint import Finding, cpp_files, line_of, main

FRIEND = re.compile(r"\bfriend\s+(?:class|struct)\s+(?:\w+::)*(\w+)\s*;")
DEFINED = re.compile(r"\b(?:class|struct)\s+(?:\w+::)*(\w+)(?=[^;(){}]*\{)")


def folder(name: pathlib.PurePath) -> str:
    """The room."""
    return "/".join(name.parts[:3 if name.parts[:2] == ("lib", "hw") else 2])


def check(root: pathlib.Path) -> Iterator[Finding]:
    friends, defined = [], {}
    for name in cpp_files(root):
        text = without_noise((root / name).read_text())
        friends += [(name, line_of(text, match.start()), match[1]) for match in FRIEND.finditer(text)]
        for match in DEFINED.finditer(text):
            defined.setdefault(match[1], set()).add(folder(name))
    for name, line, friend in friends:
        if folder(name) not in defined.get(friend, {folder(name)}):
            yield Finding(name, line, f"a friend from another room ({friend})", "give it an interface")


if __name__ == "__main__":
    main(check)
