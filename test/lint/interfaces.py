"""Components meet through interfaces: Machine::at<T> and dynamic_cast name an I... class, never a model."""

import pathlib
import re
from typing import Iterator

from cpp_text import without_noise
from lint import Finding, cpp_files, line_of, main

NAMED = re.compile(r"(?:\bat|\bdynamic_cast)\s*<\s*(?:const\s+)?(?:\w+::)*(?P<name>[A-Za-z_]\w*)\s*[*&]?\s*>\s*\(")
INTERFACE = re.compile(r"I[A-Z]|T$")
# A memory varies by its timing and its scheduler, which have interfaces of their own.
SINGLE = {"Memory"}


def check(root: pathlib.Path) -> Iterator[Finding]:
    """Tests may look into a model."""
    for name in cpp_files(root):
        if name.parts[0] == "test":
            continue
        text = without_noise((root / name).read_text())
        for match in NAMED.finditer(text):
            if not INTERFACE.match(match["name"]) and match["name"] not in SINGLE:
                yield Finding(name, line_of(text, match.start()), f"a cast to a model ({match['name']})",
                              "ask for an interface (i_*.hpp)")


if __name__ == "__main__":
    main(check)
