"""Documents are in plain sentences: at most one in fifty of a page has over 30 words.

prose.py ROOT [--counts]: with --counts, sentences and long ones of each page.
"""

import pathlib
import re
import sys
from typing import Iterator

from lint import DOCUMENTS, Finding, document_text, main, project_files
from words import FENCE, LINE_MARKS

MOST_WORDS = 30
SHARE = 50  # one in so many may be longer
# A name, a number, an option or a path is a word.
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
END = re.compile(r"(?<=[.!?])[\"')*]*\s+(?=[\"'(*`A-Z0-9])|(?<=:)\s+(?=[A-Z])")
WORD = re.compile(r"[^\s—–]*\w[^\s—–]*")


def is_checked(name: pathlib.PurePath) -> bool:
    return name.suffix in DOCUMENTS and name.parts[0] != "configs"


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Sentences of paragraphs, list items and table cells, with their lines."""
    blank = FENCE.sub(lambda match: re.sub(r"[^\n]", "", match[0]), text)
    for number, line in enumerate(blank.splitlines(), 1):
        plain = LINK.sub(r"\1", CODE.sub("`code`", LINE_MARKS.sub("", line)))
        for cell in plain.split("|"):
            yield from ((number, said) for said in END.split(cell.strip()) if WORD.search(said))


def length(sentence: str) -> int:
    return len(WORD.findall(sentence))


def long_ones(text: str) -> tuple[int, list[tuple[int, int]]]:
    """How many sentences there are, and the line and the length of each long one."""
    lengths = [(line, length(said)) for line, said in sentences(text)]
    return len(lengths), [(line, words) for line, words in lengths if words > MOST_WORDS]


def pages(root: pathlib.Path) -> Iterator[tuple[pathlib.PurePath, int, list[tuple[int, int]]]]:
    for name in filter(is_checked, project_files(root)):
        yield name, *long_ones(document_text(root / name))


def check(root: pathlib.Path) -> Iterator[Finding]:
    for name, count, found in pages(root):
        if len(found) * SHARE <= max(count, SHARE):
            continue
        for line, words in found:
            yield Finding(name, line, f"a sentence of {words} words", f"say it in two of at most {MOST_WORDS}")


def print_counts(root: pathlib.Path) -> None:
    total = total_long = 0
    for name, count, found in pages(root):
        print(f"{len(found):4} of {count:5}  {name}")
        total, total_long = total + count, total_long + len(found)
    print(f"{total_long:4} of {total:5}  all: {100 * total_long / total:.2f} %")


if __name__ == "__main__":
    if sys.argv[2:] == ["--counts"]:
        print_counts(pathlib.Path(sys.argv[1]))
    else:
        main(check)
