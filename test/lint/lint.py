"""Functions that the lints share: the project's files, and the format of a finding."""

import json
import pathlib
import subprocess
import sys
from typing import Callable, Iterable, NamedTuple

CPP = (".hpp", ".cpp")
DOCUMENTS = (".md", ".ipynb")
SKIPPED = {".git", "build", "out", ".cache"}


class Finding(NamedTuple):
    path: pathlib.PurePath
    line: int
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}; {self.remedy}"


def project_files(root: pathlib.Path) -> list[pathlib.PurePath]:
    """Tracked and new files, not ignored ones; every file if git can't say."""
    command = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z",
               "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        names = [pathlib.PurePath(name) for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(root) for path in root.rglob("*")]
        names = [name for name in names if not SKIPPED & set(name.parts)]
    return sorted(name for name in set(names) if (root / name).is_file())


def cpp_files(root: pathlib.Path) -> list[pathlib.PurePath]:
    """The C++ files, but for the canary, which breaks the rules on purpose."""
    return [name for name in project_files(root) if name.suffix in CPP and name.name != "coroutine_canary.cpp"]


def document_text(path: pathlib.Path) -> str:
    """A document's text. Of a notebook, the text of its cells without code, each line where the file has it."""
    text = path.read_text()
    if path.suffix != ".ipynb":
        return text
    lines, is_text, in_source = [], False, False
    for line in map(str.strip, text.splitlines()):
        if line.startswith('"cell_type": '):
            is_text = "markdown" in line
        in_source = line == '"source": [' or in_source and line != "]"
        quoted = is_text and in_source and line.startswith('"') and not line.endswith("[")
        lines.append(json.loads(line.rstrip(",")).rstrip("\n") if quoted else "")
    return "\n".join(lines) + "\n"


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def main(check: Callable[[pathlib.Path], Iterable[Finding]]) -> None:
    """Runs a check over the repository named on the command line; exits 1 if it finds anything."""
    findings = list(check(pathlib.Path(sys.argv[1])))
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
