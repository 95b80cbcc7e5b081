"""A link of a document leads to a file of the project; the part after # is a heading of that file."""

import pathlib
import posixpath
import re
from typing import Iterator

from lint import DOCUMENTS, Finding, document_text, line_of, main, project_files

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def blanked(text: str, pattern: re.Pattern) -> str:
    """The text without its code, line for line."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def anchors(text: str) -> set[str]:
    """The anchor of each heading: lower case, without punctuation; the n-th of a name ends in n - 1."""
    slugs: list[str] = []
    for heading in HEADING.findall(blanked(text, FENCE)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slugs.append(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return {f"{slug}-{before}" if (before := slugs[:i].count(slug)) else slug for i, slug in enumerate(slugs)}


def check(root: pathlib.Path) -> Iterator[Finding]:
    names = [name.as_posix() for name in project_files(root)]
    there = {posixpath.normpath(path.as_posix()) for name in names
             for path in (pathlib.PurePosixPath(name), *pathlib.PurePosixPath(name).parents)}
    documents = {name: document_text(root / name) for name in names if name.endswith(DOCUMENTS)}
    for name, text in documents.items():
        for match in LINK.finditer(blanked(blanked(text, FENCE), SPAN)):
            path, _, anchor = match[1].partition("#")
            if "://" in match[1]:
                continue
            to = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            line = line_of(text, match.start())
            if to not in there:
                yield Finding(pathlib.PurePath(name), line, f"'{path}' isn't there", "name a file of the project")
            elif anchor and to in documents and anchor not in anchors(documents[to]):
                yield Finding(pathlib.PurePath(name), line, f"{to} has no heading '#{anchor}'", "name one that it has")


if __name__ == "__main__":
    main(check)
