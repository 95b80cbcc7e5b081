"""Arguments and tables of kbsim sweep."""
from __future__ import annotations

import warnings
from typing import Any, Mapping

import pandas

from . import command
from .command import Path
from .errors import error_of

# Options of kbsim sweep itself; others are those of the bench and of kbsim run.
_OWN = {"ccl", "plugin", "zip", "where", "random", "jobs", "timeout", "memory", "verify", "metric", "pareto", "links"}


def words_of(bench: str, options: Mapping[str, Any], more: list[str]) -> list[str]:
    """Options of the sweep and `more`, lists as axes, then options that all points have."""
    own = {name: value for name, value in options.items() if name in _OWN}
    axes = {name: value for name, value in options.items()
            if name not in own and isinstance(value, (list, tuple, range))}
    rest = command.option_words({name: value for name, value in options.items() if name not in own | axes}, bench)
    words = [*command.option_words(own), *more]
    for name, value in axes.items():
        words += ["--vary", f"{name}={command.text_of(value)}"]
    return [*words, "--", *rest] if rest else words


def table_of(folder: Path) -> pandas.DataFrame:
    """A sweep's numbers: point, a column per axis, metric, unit, value."""
    points = pandas.read_csv(f"{folder}/points.csv")
    failed = points[points.exit > 0]
    if not failed.empty:
        first = failed.iloc[0]
        if len(failed) == len(points):
            raise error_of(int(first.exit), f"kbsim: {first.message}", first.command)
        warnings.warn(f"{len(failed)} of {len(points)} points failed, the first: {first.message}", stacklevel=3)
    return pandas.read_csv(f"{folder}/results.csv").drop(columns="key")
