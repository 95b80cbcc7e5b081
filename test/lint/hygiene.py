"""The project's files have no path of a developer's machine and no note of unfinished work."""

import pathlib
import re
from typing import Iterator

from lint import Finding, line_of, main, project_files

BINARY = {".png", ".gz", ".pdf"}
RULES = [
    (re.compile(r"(?<![\w.$}/])/(?:home|root|work|tmp|Users)/\w"), "a path of one machine",
     "name it relative to the repository, or take it as an argument"),
    (re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b"), "a note of unfinished work",
     "finish it, or write an ADR that says when to revisit"),
]


def check(root: pathlib.Path) -> Iterator[Finding]:
    for name in project_files(root):
        if name.suffix in BINARY:
            continue
        text = (root / name).read_text(errors="replace")
        for pattern, what, remedy in RULES:
            for match in pattern.finditer(text):
                yield Finding(name, line_of(text, match.start()), f"{what} ('{match[0]}')", remedy)


if __name__ == "__main__":
    main(check)
