"""A friend lives in the same folder: whoever else needs something gets it through an interface."""

import pathlib
import re
from typing import Iterator

from cpp_text import without_noise
from lint import Finding, cpp_files, line_of, main

FRIEND = re.compile(r"\bfriend\s+(?:class|struct)\s+(?:\w+::)*(\w+)\s*;")
DEFINED = re.compile(r"\b(?:class|struct)\s+(?:\w+::)*(\w+)(?=[^;(){}]*\{)")
AXES = {"fabric", "memory", "pe", "control", "traffic"}


def folder(name: pathlib.PurePath) -> str:
    """The room, and of lib/hw the axis: there a folder is what varies on its own."""
    parts = name.parts
    if parts[:2] != ("lib", "hw"):
        return "/".join(parts[:2])
    return "/".join(["lib/hw", *[part for part in parts[2:-1] if part in AXES][:1]])


def check(root: pathlib.Path) -> Iterator[Finding]:
    friends, defined = [], {}
    for name in cpp_files(root):
        text = without_noise((root / name).read_text())
        friends += [(name, line_of(text, match.start()), match[1]) for match in FRIEND.finditer(text)]
        for match in DEFINED.finditer(text):
            defined.setdefault(match[1], set()).add(folder(name))
    for name, line, friend in friends:
        if folder(name) not in defined.get(friend, {folder(name)}):
            yield Finding(name, line, f"a friend from another folder ({friend})", "give it an interface")


if __name__ == "__main__":
    main(check)
