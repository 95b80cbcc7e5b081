"""Every architecture decision has its six sections, names checks that exist, and stands in the index."""

import pathlib
import re
from typing import Iterator

from lint import Finding, line_of, main, project_files

SECTIONS = ["Question", "Facts", "Decision", "Rejected", "Check", "Revisit when"]
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
CHECK = re.compile(r"^## Check\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\s]+/[^`\s]+)`")


def missing_files(root: pathlib.Path, text: str) -> Iterator[tuple[int, str]]:
    section = CHECK.search(text)
    names = project_files(root)
    known = {str(path) for name in names for path in (name, *name.parents)}
    for match in CODE.finditer(text, *section.span()):
        path = match[1].split(":")[0]
        if path.rstrip("/") not in known and not any(name.match(path) for name in names):
            yield line_of(text, match.start()), path


def check(root: pathlib.Path) -> Iterator[Finding]:
    folder = pathlib.PurePath("docs/adr")
    index = (root / folder / "README.md").read_text()
    for path in sorted((root / folder).glob("[0-9]*.md")):
        name, text = folder / path.name, path.read_text()
        if path.name not in index:
            yield Finding(folder / "README.md", 1, f"{path.name} is not listed", "add its line to the index")
        if not CHECK.search(text):
            yield Finding(name, 1, "names no check", "add a section '## Check' with the test that fails if it breaks")
            continue
        if (found := HEADING.findall(text)) != SECTIONS:
            yield Finding(name, 1, f"has the sections {', '.join(found)}", f"have {', '.join(SECTIONS)}, in this order")
        for line, missing in missing_files(root, text):
            yield Finding(name, line, f"'{missing}' doesn't exist", "name the test that checks this decision")


if __name__ == "__main__":
    main(check)
