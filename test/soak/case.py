"""One case of a soak: a command whose parts can be left out, one by one, to shrink it."""
import shlex
from dataclasses import dataclass, field, replace


def escaped(text):
    """As printf %b takes it."""
    return "".join(c if c.isascii() and c.isprintable() and c != "\\" else
                   "".join(f"\\0{byte:03o}" for byte in c.encode()) for c in text)


@dataclass(frozen=True)
class Case:
    """A command: `head` is always there, each list of words of `parts` may be left out."""

    head: list
    parts: list
    command: str = "kbsim"
    limited: bool = False   # it sets a limit of its own, so that exit 4 is right
    shuffles: bool = False  # it takes --shuffle-ties
    bench: bool = False     # it takes --oplog, --out and --timing-only
    json: bool = True
    dry_run: bool = True
    files: dict = field(default_factory=dict)     # texts by name, which the command reads
    environment: dict = field(default_factory=dict)
    repeats: bool = True    # it is run again, and must do the same
    verifies: bool = False  # --verify-repeats must not change its result
    readings: list = field(default_factory=list)  # of each: more words, what is read, what is right; None: refused

    def words(self):
        return self.head + [word for part in self.parts for word in part] + (["--json"] if self.json else [])

    def with_parts(self, parts):
        return replace(self, parts=parts)

    def __str__(self):
        written = "".join(f"printf %b {shlex.quote(escaped(text))} > {name}; " for name, text in self.files.items())
        set_first = "".join(f"{name}={shlex.quote(value)} " for name, value in self.environment.items())
        return f"{written}{set_first}{self.command} " + " ".join(shlex.quote(word) for word in self.words())
