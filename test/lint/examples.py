"""Writes the C++ examples of a document as one source file; compiler errors name the document's lines.

examples.py DOCUMENT OUTPUT
"""

import pathlib
import re
import sys

from lint import line_of

EXAMPLE = re.compile(r"^```cpp\n(.*?)^```", re.MULTILINE | re.DOTALL)


def source_of(document: pathlib.Path) -> str:
    text = document.read_text()
    return "".join(f'#line {line_of(text, match.start(1))} "{document}"\n{match[1]}'
                   for match in EXAMPLE.finditer(text))


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(source_of(pathlib.Path(sys.argv[1])))
