"""Every C++ file is laid out as clang-format-19 lays it out."""

import pathlib
import re
import subprocess
from typing import Iterator

from lint import Finding, cpp_files, main

COMMAND = "clang-format-19"


def check(root: pathlib.Path) -> Iterator[Finding]:
    names = cpp_files(root)
    if not names:
        return
    run = subprocess.run([COMMAND, "--dry-run", *map(str, names)], cwd=root, capture_output=True, text=True)
    first: dict[str, int] = {}
    for path, line in re.findall(r"^(\S+?):(\d+):\d+: warning:", run.stderr, re.MULTILINE):
        first.setdefault(path, int(line))
    if run.returncode != 0 and not first:
        yield Finding(pathlib.PurePath(".clang-format"), 1, run.stderr.strip(), f"install {COMMAND}")
    for path, line in first.items():
        yield Finding(pathlib.PurePath(path), line, "not in the project's layout", f"run {COMMAND} -i {path}")


if __name__ == "__main__":
    main(check)
