"""Runs the commands of a page on a terminal, as a reader would, and checks the output that the page states.

first_hour.py PAGE BUILD [once]

A ```sh block, a command a line, is typed in a folder that has the build as build/release, and test/; the ```text block after
it has lines that it prints, in this order. "..." stands for anything: other lines, or the rest of one. Steps of
kbsim alone run on terminals of 40 and of 200 columns, the others once; with `once` each step of any number of
commands runs once, for pages whose steps leave files.
"""

import os
import pathlib
import pty
import re
import sys
import tempfile
from typing import Iterator, NamedTuple

EXPORT = re.compile(r"\bexport \S+")
STEP = re.compile(r"^```sh\n(.*?)^```\n(?:```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
BAR = re.compile(r"(?:\r\x1b\[K[^\r\n]*)*\r\x1b\[K")  # drawn, drawn again, taken away
TOO_MANY = 10
WIDTHS = (40, 200)


class Step(NamedTuple):
    line: int
    script: str
    printed: str


def steps_of(page: str) -> Iterator[Step]:
    for match in STEP.finditer(page):
        yield Step(page.count("\n", 0, match.start()) + 1, match[1], match[2] or "")


def on_terminal(script: str, columns: int, folder: pathlib.Path) -> tuple[int, str]:
    """The exit code, and what the terminal shows in the end."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        plain = {**os.environ, "HOME": str(folder), "NO_COLOR": "1"}
        os.execvpe("bash", ["bash", "-ec", f"stty cols {columns}\n{script}"], plain)
    shown = b""
    try:
        while part := os.read(terminal, 65536):
            shown += part
    except OSError:  # the terminal is closed at its end
        pass
    exit_code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return exit_code, BAR.sub("", shown.decode(errors="replace").replace("\r\n", "\n"))


def missing_line(printed: str, shown: str) -> str:
    """The first line of the page that isn't among those shown, after the lines before it."""
    lines = iter(shown.splitlines())
    for expected in printed.splitlines():
        start = expected.removesuffix("...").rstrip() if expected.endswith("...") else None
        if start == "":
            continue
        if not any(line == expected if start is None else line.startswith(start) for line in lines):
            return expected
    return ""


def mistake_of(step: Step, before: str, folder: pathlib.Path, once: bool) -> str:
    for columns in WIDTHS if step.script.startswith("kbsim") and not once else WIDTHS[:1]:
        exit_code, shown = on_terminal(before + step.script, columns, folder)
        if exit_code:
            return f"exit {exit_code} on {columns} columns:\n{shown}"
        if missing := missing_line(step.printed, shown):
            return f"on {columns} columns '{missing}' isn't printed, but:\n{shown}"
    return ""


def main(page: pathlib.Path, build: pathlib.Path, once: bool = False) -> int:
    steps = list(steps_of(page.read_text()))
    commands = sum(len(step.script.splitlines()) for step in steps)
    if not 0 < commands < TOO_MANY and not once:
        print(f"{page}: {commands} commands, expected fewer than {TOO_MANY}")
        return 1
    before = ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").mkdir()
        (folder / "build" / "release").symlink_to(build)
        (folder / "test").symlink_to(page.resolve().parents[2] / "test")
        for step in steps:
            if mistake := mistake_of(step, before, folder, once):
                print(f"{page}:{step.line}: {mistake}")
                return 1
            before += "".join(f"{setting}\n" for setting in EXPORT.findall(step.script))
    print(f"{commands} commands of {page.name} print what it says")
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:] == ["once"]))
