"""Comments, identifiers, messages and documents use the field's words; words.txt lists those that must not occur."""

import pathlib
import re
from typing import Iterator, NamedTuple

from cpp_text import without_noise
from lint import DOCUMENTS, Finding, cpp_files, document_text, line_of, main, project_files

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
COMMENT = re.compile(r"(?<![:\w\"'])//+<?[ \t]?(.*)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# List marks, marks of headings, numbers of decisions and of list items, marks of emphasis.
LINE_MARKS = re.compile(r"^ *(?:[-*>]|#+(?: \d{4})?|\d+\.) |\*")
STRING = re.compile(r'R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)


class Rule(NamedTuple):
    pattern: re.Pattern
    remedy: str


def rules(kind: str) -> list[Rule]:
    table = (pathlib.Path(__file__).parent / "words.txt").read_text()
    lines = [line.split(" | ") for line in table.splitlines() if line.startswith(kind + " | ")]
    return [Rule(re.compile(pattern), remedy) for _, pattern, remedy in lines]


# A comment's text; what stands in quotes or back quotes is the name of something.
def comments(text: str) -> Iterator[tuple[int, str]]:
    blank = STRING.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in COMMENT.finditer(blank):
        said = text[match.start(1):match.end(1)]
        yield match.start(), re.sub(r"`[^`]*`|\"[^\"]*\"|\b\w+\(\)|\b\w*(?:_\w*|::\w+)", "", said)


# Texts of the program.
def messages(text: str) -> Iterator[tuple[int, str]]:
    code = re.sub(r"(?<![:\w\"'])//[^\n]*", lambda match: " " * len(match[0]), text)
    for match in STRING.finditer(code):
        yield match.start(), match[0]


def has_messages(name: pathlib.PurePath) -> bool:
    return name.parts[0] in ("lib", "apps", "kernels")


def is_checked(name: pathlib.PurePath) -> bool:
    return name.suffix in DOCUMENTS


# Paragraphs, list items and table cells of a document, without code and quotes. A question may begin with What.
def sentences(text: str) -> Iterator[tuple[int, str]]:
    blank = FENCE.sub(lambda match: re.sub(r"[^\n]", "", match[0]), text)
    for number, line in enumerate(blank.splitlines(), 1):
        plain = re.sub(r"`[^`]*`|\"[^\"]*\"|\]\([^)]*\)", "", line)
        for cell in re.sub(r"[^.;:?!|]*\?", "", plain).split("|"):
            yield number, LINE_MARKS.sub("", cell).strip()


def check(root: pathlib.Path) -> Iterator[Finding]:
    of_names, of_comments, of_messages = rules("identifier"), rules("comment"), rules("message")
    for name in cpp_files(root):
        text = (root / name).read_text()
        for match in IDENTIFIER.finditer(without_noise(text)):
            for rule in of_names:
                if rule.pattern.fullmatch(match[0]):
                    yield Finding(name, line_of(text, match.start()), f"the identifier {match[0]}", rule.remedy)
        for start, said in comments(text):
            for rule in of_comments:
                if found := rule.pattern.search(said):
                    yield Finding(name, line_of(text, start), f"a comment says '{found[0]}'", rule.remedy)
        for start, said in messages(text) if has_messages(name) else ():
            for rule in of_messages:
                if found := rule.pattern.search(said):
                    yield Finding(name, line_of(text, start), f"a message says '{found[0]}'", rule.remedy)
    for name in filter(is_checked, project_files(root)):
        for line, said in sentences(document_text(root / name)):
            for rule in of_comments:
                if found := rule.pattern.search(said):
                    yield Finding(name, line, f"a sentence says '{found[0]}'", rule.remedy)


if __name__ == "__main__":
    main(check)
