"""Progress of the command on stderr, in one line that terminals and notebooks draw again."""
from __future__ import annotations

import re
import sys

_STANDING = re.compile(r"^(?:kbsim: )?(.*\b\d+ of \d+.*(?: left| left isn't known yet))$")


class Progress:
    """Prints lines of the command: how far it is in place, everything else below, without names of written files."""

    def __init__(self) -> None:
        self._drawn = 0

    def show(self, line: str) -> None:
        standing = _STANDING.match(line)
        if standing:
            self._print("\r" + standing[1].ljust(self._drawn))
            self._drawn = len(standing[1])
        elif not line.startswith("wrote "):
            self.clear()
            self._print(f"{line}\n")

    def clear(self) -> None:
        if self._drawn:
            self._print("\r" + " " * self._drawn + "\r")
        self._drawn = 0

    @staticmethod
    def _print(text: str) -> None:
        print(text, file=sys.stderr, end="", flush=True)
