"""The coroutine rules that text can check (CONTRIBUTING.md, "Coroutines")."""

import pathlib
import re
from typing import Iterator, Optional

from cpp_text import end_of_group, without_noise, words
from lint import Finding, cpp_files, line_of, main

CONTROL = re.compile(r"\b(if|while|switch|for)\s*(?:constexpr\s*)?(?=\()")
LABEL = re.compile(r"^(?:case\b[^:]*|default\s*):(?!:)")
ASSIGNED = re.compile(r"^[^=]*[^=!<>]=$")
BINARY = re.compile(r"\s(?:[-+*/%^&|?]|<|>|<<|>>|&&|\|\||[=!<>]=|<=>)\s")
CAPTURES = re.compile(r"(?<![\w\])])\[(?!\[)")
LAMBDA_BODY = re.compile(r"\s*(?:<[^{}()]*>\s*)?(?P<parameters>\()?")


def statement_start(text: str, at: int) -> Optional[int]:
    """Where the statement begins that `at` is directly in; None if `at` is inside parentheses or brackets."""
    depth = 0
    for i in range(at - 1, -1, -1):
        if text[i] in ")]":
            depth += 1
        elif text[i] in "([":
            if depth == 0:
                return None
            depth -= 1
        elif depth == 0 and text[i] in ";{}":
            return i + 1
    return 0


def strip_control(prefix: str) -> str:
    """Drops `else`, `do`, labels and `if (…)`, `for (…)`, `while (…)` from the front of a statement."""
    while True:
        prefix = prefix.strip()
        if match := re.match(r"(?:else|do)\b", prefix) or LABEL.match(prefix):
            prefix = prefix[match.end():]
        elif match := CONTROL.match(prefix):
            prefix = prefix[end_of_group(prefix, match.end()):]
        else:
            return prefix


def operand_end(text: str, start: int) -> int:
    """The offset of the character that ends the expression at `start`: ; , ) ] or }."""
    i = start
    while i < len(text) and text[i] not in ";,)]}":
        i = end_of_group(text, i) if text[i] in "([{" else i + 1
    return i


def top_level(expression: str) -> str:
    """The expression with the insides of its brackets left out."""
    out, i = [], 0
    while i < len(expression):
        if expression[i] in "([{":
            i = end_of_group(expression, i)
        else:
            out.append(expression[i])
            i += 1
    return "".join(out)


def stands_alone(text: str, at: int, end: int) -> bool:
    """Whether the co_await at `at` is a statement, or all of the right-hand side of one."""
    start = statement_start(text, at)
    if start is None:
        return False
    prefix = strip_control(text[start:at])
    if prefix not in ("", "co_return", "(void)") and not ASSIGNED.match(prefix):
        return False
    stop = operand_end(text, end)
    return text[stop:stop + 1] == ";" and not BINARY.search(top_level(text[end:stop]))


def nested_awaits(text: str) -> Iterator[tuple[int, str, str]]:
    conditions = [(m.end(), end_of_group(text, m.end()), m[1]) for m in CONTROL.finditer(text)]
    for match in re.finditer(r"(?<!operator )\bco_await\b", text):
        if inside := [word for begin, end, word in conditions
                      if begin < match.start() < end and "{" not in text[begin:match.start()]]:
            yield (match.start(), f"co_await in the head of '{inside[0]}'",
                   "await into a named variable first: const auto x = co_await …;")
        elif not stands_alone(text, match.start(), match.end()):
            yield (match.start(), "co_await inside a larger expression",
                   "give it a line of its own: co_await …; or const auto x = co_await …;")


def lambdas(text: str) -> Iterator[tuple[int, str, int, int]]:
    """Each lambda: offset, captures, and its body's begin and end."""
    for match in CAPTURES.finditer(text):
        close = end_of_group(text, match.start())
        after = LAMBDA_BODY.match(text, close)
        i = after.end()
        if after["parameters"]:
            i = end_of_group(text, i - 1)
        body = re.compile(r"[^;{}()]*\{").match(text, i)
        if body and (after["parameters"] or not text[close:body.end() - 1].strip()):
            captures = text[match.start() + 1:close - 1].strip()
            yield match.start(), captures, body.end() - 1, end_of_group(text, body.end() - 1)


def capturing_coroutines(text: str) -> Iterator[tuple[int, str, str]]:
    found = list(lambdas(text))
    for offset, captures, begin, end in found:
        inner = [(b, e) for _, _, b, e in found if begin < b and e < end]
        own = [m for m in words(text[:end], "co_await", "co_return", "co_yield")
               if m.start() > begin and not any(b < m.start() < e for b, e in inner)]
        if captures and own:
            yield (offset, f"a lambda that captures [{captures}] is a coroutine: its captures die before it does",
                   "pass them as parameters, by value, or write a named function")


def check(root: pathlib.Path) -> Iterator[Finding]:
    for name in cpp_files(root):
        text = without_noise((root / name).read_text())
        for rule in (nested_awaits, capturing_coroutines):
            for offset, what, remedy in rule(text):
                yield Finding(name, line_of(text, offset), what, remedy)


if __name__ == "__main__":
    main(check)
