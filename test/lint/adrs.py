"""An architecture decision has a status, its six sections, checks that exist, at most a page and a half, and its row
in the index; docs/explanation/shortcut.md names checks that exist, too."""

import fnmatch
import pathlib
import re
from typing import Iterator, NamedTuple

from lint import Finding, line_of, main, project_files

FOLDER = pathlib.PurePath("docs/adr")
INDEX = FOLDER / "README.md"
LIVING_PAGE = pathlib.PurePath("docs/explanation/shortcut.md")
SECTIONS = ["Question", "Facts", "Decision", "Rejected", "Check", "Revisit when"]
# A page and a half: a page of A4 holds 500 words of such text. Tables and code count, since they are read, too. A
# longer page mixes several decisions, or keeps figures that no command prints any more.
MOST_WORDS = 750
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
HEAD = re.compile(r"# (?P<number>\d{4}) (?P<title>.+)\n\nStatus: (?P<status>accepted|superseded by \S+)\n")
ROW = re.compile(r"^\| (?:\[(?P<linked>\d{4})\]\((?P<path>\S+)\)|(?P<number>\d{4})) \| (?P<title>.+?) \| (?P<status>.+?) \|$",
                 re.MULTILINE)
CODE = re.compile(r"`([^`\s]+/[^`\s]+)`")


class Row(NamedTuple):
    line: int
    number: str
    path: str | None
    title: str
    status: str


def section_of(text: str, name: str) -> re.Match | None:
    return re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)


def missing_files(known: set[str], text: str, section: re.Match) -> Iterator[tuple[int, str]]:
    for match in CODE.finditer(text, *section.span()):
        path = match[1].split(":")[0].rstrip("/")
        if path not in known and not fnmatch.filter(known, path):
            yield line_of(text, match.start()), path


def rows(index: str) -> list[Row]:
    return [Row(line_of(index, match.start()), match["linked"] or match["number"], match["path"], match["title"],
                re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match["status"])) for match in ROW.finditer(index)]


def check_row(row: Row, pages: dict[str, re.Match | None]) -> Iterator[Finding]:
    page = pages.get(row.path or "")
    if row.path is None and not row.status.startswith("superseded by "):
        yield Finding(INDEX, row.line, f"{row.number} has no page", "link it, or say by what it is superseded")
    elif row.path is not None and page is None:
        yield Finding(INDEX, row.line, f"{row.path} is no page with a status", "name one that is")
    elif page is not None and (row.number, row.title, row.status) != page.group("number", "title", "status"):
        yield Finding(INDEX, row.line, f"says '{row.number} {row.title}: {row.status}'",
                      f"say '{page['number']} {page['title']}: {page['status']}', as {row.path} does")


def check_page(name: pathlib.PurePath, text: str, known: set[str]) -> Iterator[Finding]:
    if HEAD.match(text) is None:
        yield Finding(name, 1, "has no title and status", "begin with '# 0001 Title' and 'Status: accepted'")
    if (words := len(text.split())) > MOST_WORDS:
        yield Finding(name, 1, f"has {words} words", f"shorten it to {MOST_WORDS}: a decision, not a report")
    if (section := section_of(text, "Check")) is None:
        yield Finding(name, 1, "names no check", "add a section '## Check' with the test that fails if it breaks")
        return
    if (found := HEADING.findall(text)) != SECTIONS:
        yield Finding(name, 1, f"has the sections {', '.join(found)}", f"have {', '.join(SECTIONS)}, in this order")
    for line, missing in missing_files(known, text, section):
        yield Finding(name, line, f"'{missing}' doesn't exist", "name the test that checks this decision")


def check(root: pathlib.Path) -> Iterator[Finding]:
    names = project_files(root)
    known = {str(path) for name in names for path in (name, *name.parents)}
    texts = {name: (root / name).read_text() for name in names
             if name.is_relative_to(FOLDER) and re.match(r"\d{4}-", name.name)}
    listed = rows((root / INDEX).read_text())
    pages = {name.relative_to(FOLDER).as_posix(): HEAD.match(text) for name, text in texts.items()}
    numbers = [row.number for row in listed]
    for row in listed:
        yield from check_row(row, pages)
        if numbers.count(row.number) > 1:
            yield Finding(INDEX, row.line, f"{row.number} is listed twice", "a number is one decision")
    for name, text in texts.items():
        if name.relative_to(FOLDER).as_posix() not in {row.path for row in listed}:
            yield Finding(INDEX, 1, f"{name.relative_to(FOLDER)} is not listed", "add its row to the index")
        yield from check_page(name, text, known)
    if LIVING_PAGE in names:
        text = (root / LIVING_PAGE).read_text()
        section = section_of(text, "Proofs")
        if section is None:
            yield Finding(LIVING_PAGE, 1, "names no tests", "add a section '## Proofs'")
        else:
            for line, missing in missing_files(known, text, section):
                yield Finding(LIVING_PAGE, line, f"'{missing}' doesn't exist", "name the test")


if __name__ == "__main__":
    main(check)
