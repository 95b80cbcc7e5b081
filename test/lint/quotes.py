"""Blocks of code of a tutorial that teaches by an example are parts of the example's files, which the tests build."""

import pathlib
import re
from typing import Iterator

from lint import CPP, Finding, line_of, main, project_files

PAGES = ("docs/tutorials/component.md",)
BLOCK = re.compile(r"^```(?:cpp|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def check(root: pathlib.Path) -> Iterator[Finding]:
    sources = [(root / name).read_text() for name in project_files(root)
               if name.parts[0] == "examples" and name.suffix in (*CPP, ".yaml")]
    for page in PAGES:
        text = (root / page).read_text()
        for match in BLOCK.finditer(text):
            if not any(match[1] in source for source in sources):
                yield Finding(pathlib.PurePath(page), line_of(text, match.start()),
                              "no file of examples/ has this block", "copy it from one")


if __name__ == "__main__":
    main(check)
