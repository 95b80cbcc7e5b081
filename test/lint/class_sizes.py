"""A class fits in a reader's head: it has at most 40 member functions."""

import pathlib
import re
from typing import Iterator

from cpp_text import without_noise
from lint import Finding, cpp_files, line_of, main

MOST = 40
# The words of kernels and of host programs: each function is an operation that users look up by name.
VOCABULARIES = {"TL", "Distributed"}
CLASS = re.compile(r"\b(?:class|struct)\s+(?:alignas\(\w+\)\s+)?(?:\[\[\w+\]\]\s+)?([\w:]+)(?:<[^;{}()]*>)?"
                   r"(?:\s+final)?(?:\s*:[^:;{}][^;{}]*)?\s*\{")
FUNCTION = re.compile(r"(operator\s*[^\s\w(]+|~?\w+)\s*\(")
NO_FUNCTION = {"alignas", "decltype", "noexcept", "static_assert", "requires", "sizeof", "if", "assert"}


def body_end(text: str, start: int) -> int:
    """The place after the brace that closes the one before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


def declarations(body: str) -> Iterator[str]:
    """The members of a class body, each without what stands in braces."""
    depth, member = 0, ""
    for char in body:
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                yield member
                member = ""
        elif depth == 0:
            member += char
            if char == ";":
                yield member
                member = ""


def without_template_arguments(text: str) -> str:
    """`std::function<void()> f` without `<void()>`."""
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    return text


def is_function(member: str) -> bool:
    """True for a declaration such as `int f(int) const`; false for data, types and aliases."""
    member = re.sub(r"\[\[.*?\]\]|^\s*(public|protected|private)\s*:", " ", member, flags=re.S).strip()
    member = re.sub(r"^(template\s*<.*?>\s*(?=\w|\[))", "", member, flags=re.S)
    head = re.split(r"=(?!=)|\{", member)[0] if "operator" not in member else member
    if re.match(r"(using|friend|class|struct|enum|typedef|static_assert)\b", head):
        return False
    if re.search(r"=\s*(delete|default)\s*;?\s*$", member):
        return False
    found = FUNCTION.search(without_template_arguments(re.sub(r"\b(alignas|decltype)\s*\([^()]*\)", "", head)))
    return found is not None and found[1] not in NO_FUNCTION


def check(root: pathlib.Path) -> Iterator[Finding]:
    for name in cpp_files(root):
        if name.parts[0] == "test":
            continue
        text = without_noise((root / name).read_text())
        for match in CLASS.finditer(text):
            body = text[match.end():body_end(text, match.end()) - 1]
            count = sum(is_function(member) for member in declarations(body))
            if count > MOST and match[1] not in VOCABULARIES:
                yield Finding(name, line_of(text, match.start()), f"{match[1]} has {count} member functions",
                              f"at most {MOST}: give parts of its purpose to other classes")


if __name__ == "__main__":
    main(check)
