"""C++ as text: comments and literals blanked out, brackets matched. Offsets and lines stay as they were."""

import re
from typing import Iterator

_NOISE = re.compile(
    r'R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"'  # raw string
    r'|//[^\n]*|/\*.*?\*/'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",  # not a digit separator
    re.DOTALL)
_CLOSES = {"(": ")", "[": "]", "{": "}"}


def without_noise(text: str) -> str:
    """Comments, strings and characters replaced by blanks."""
    return _NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def without_comments(text: str) -> str:
    """Comments replaced by blanks."""
    return _NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]) if match[0][0] == "/" else match[0], text)


def end_of_group(text: str, start: int) -> int:
    """The offset after the bracket that closes the one at `start`; the end of the text if none does."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i + 1
    return len(text)


def words(text: str, *names: str) -> Iterator[re.Match]:
    return re.finditer(r"\b(?:" + "|".join(names) + r")\b", text)
