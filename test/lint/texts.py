"""No decision is made by reading a text that is meant for people: the name of a wait or a process
(what(), name(), text()), or a report's text about it (Waiting's and WaitGraph's texts)."""

import pathlib
import re
from typing import Iterator

from cpp_text import without_comments
from lint import Finding, cpp_files, line_of, main

ROOMS = ("lib", "kernels", "apps", "examples")
ASKED = r"(?:\.|->)(?:what|name|text)\(\)"  # of an event, a process, an identity
TOLD = r"(?:\.|->)(?:what|process|why|awaited)\b(?!\s*[({])"  # a member of a report
COMPARED = r"\s*[=!]=\s*"
SEARCHED = r"\.(?:starts_with|ends_with|contains|find|rfind|compare|substr)\("
OPERAND = r"\b\w(?:[\w.()]|::|->)*?"  # up to the text at its end
READS = (
    re.compile(rf"{OPERAND}{ASKED}(?:{COMPARED}|{SEARCHED})"),
    re.compile(rf"{COMPARED}{OPERAND}{ASKED}(?!\s*[.(])"),
    re.compile(rf"{OPERAND}{TOLD}(?:{COMPARED}(?:\"|std::string)|{SEARCHED})"),
    re.compile(rf"\[{OPERAND}(?:{ASKED}|{TOLD})\]"),  # a key
    re.compile(r"(?:[=!]=\s*|find\(|_with\()\"event "),  # what the simulation calls the wait for an event
)
TAKES = re.compile(rf"\bstd::string(?:_view)?&?\s+(?P<name>\w+)\s*=\s*{OPERAND}(?:{ASKED}|{TOLD})\s*;")
BLOCK_END = re.compile(r"^}", re.MULTILINE)


def read_again(text: str, name: str, start: int) -> Iterator[int]:
    """Where a variable that holds such a text is read, up to the end of the function."""
    end = BLOCK_END.search(text, start)
    here = re.compile(rf"(?<![\w.>]){name}(?:{COMPARED}|{SEARCHED})|{COMPARED}{name}\b(?!\s*[.(])")
    for match in here.finditer(text, start, end.start() if end else len(text)):
        yield match.start()


def places(text: str) -> set[int]:
    found = {match.start() for pattern in READS for match in pattern.finditer(text)}
    for taken in TAKES.finditer(text):
        found.update(read_again(text, taken["name"], taken.end()))
    return {line_of(text, at) for at in found}


def check(root: pathlib.Path) -> Iterator[Finding]:
    for path in cpp_files(root):
        if path.parts[0] not in ROOMS:
            continue
        for line in sorted(places(without_comments((root / path).read_text()))):
            yield Finding(path, line, "a text for people is compared or searched", "compare identities or enums")


if __name__ == "__main__":
    main(check)
