"""What the calls of kbsim return."""
from __future__ import annotations

import dataclasses
import re
from typing import Any

import pandas

from . import frames

_CLOSING = re.compile(r"^simulated (\S+) ns, .*, digest ([0-9a-f]+)(?:,|$)", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Result:
    """A run. `json` is what the command prints with --json."""

    json: dict[str, Any]
    simulated_ns: float
    digest: str
    command: str

    @property
    def correct(self) -> bool | None:
        """Whether the values are right; None: they weren't computed."""
        return self.json.get("correct")

    @property
    def model_version(self) -> str:
        return str(self.json["model_version"])

    @property
    def rows(self) -> pandas.DataFrame:
        """The rows of an evaluation, or the one of a run. Times, bytes and rates have their unit in the name."""
        if "rows" in self.json:
            return frames.evaluation_frame(self.json)
        return frames.rows_frame([self.json.get("result") or {}])

    @property
    def operations(self) -> pandas.DataFrame:
        """Operations of `llm`, one row per phase and operation."""
        return frames.nested_frame(self.json.get("rows", []), "operations", {"phase": "phase"})


@dataclasses.dataclass(frozen=True)
class Explanation:
    """Critical paths of a run: the run's first, then those of its launches and collectives."""

    paths: list[dict[str, Any]]
    result: Result

    @property
    def sentence(self) -> str:
        return str(self.paths[0]["sentence"])

    def shares(self, path: int = 0) -> pandas.DataFrame:
        """Where the time went, by reason, wait, kind, place and line."""
        return frames.shares_frame(self.paths[path])

    def keys(self, path: int = 0) -> pandas.DataFrame:
        """Settings that matter, the first most."""
        return frames.keys_frame(self.paths[path])


def result_of(json: dict[str, Any], stderr: str, command: str) -> Result:
    """A run's document has its time and digest; those of an evaluation are in the closing line."""
    if "run" in json:
        return Result(json, json["run"]["simulated_ps"] / 1000, json["run"]["digest"], command)
    found = _CLOSING.search(stderr)
    return Result(json, float(found[1]) if found else float("nan"), found[2] if found else "", command)
