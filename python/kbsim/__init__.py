"""kbsim from Python: runs the command and returns pandas frames.

>>> import kbsim
>>> kbsim.run("ccl_allreduce").digest
'21806a183ed53e2c'

Options of the command are keyword arguments (`timing_only=True`, `algorithm="ring_allreduce_tcm"`, `b="1K"`);
`set` changes settings (`set={"system.sips.count": 4}`). A command that fails raises a KbsimError with its text.
"""
from __future__ import annotations

import json as _json
import pathlib as _pathlib
import shlex as _shlex
import tempfile as _tempfile
from typing import Any as _Any

import pandas as _pandas

from . import command as _command
from . import frames as _frames
from . import sweeps as _sweeps
from .command import Path, Settings, executable
from .errors import (Fault, Interrupted, InternalError, KbsimError, LimitReached, NotSupported, UsageError,
                     WrongValues)
from .results import Explanation, Result, result_of as _result_of

__all__ = ["run", "llm", "explain", "sweep", "traffic", "diff", "executable", "Result", "Explanation", "KbsimError",
           "UsageError", "LimitReached", "NotSupported", "WrongValues", "Fault", "Interrupted", "InternalError"]


def _words(name: str, topology: Path | None, settings: Settings | None, options: dict[str, _Any]) -> list[str]:
    machine = [] if topology is None else ["--topology", _command.text_of(topology)]
    return ["--bench", name, *machine, *_command.setting_words(settings), *_command.option_words(options, name)]


def run(bench: str, *, topology: Path | None = None, set: Settings | None = None, progress: bool = False,
        **options: _Any) -> Result:
    """Runs a bench. Wrong values raise WrongValues; progress prints kbsim's progress to stderr."""
    words = ["run", *_words(bench, topology, set, options)]
    document, stderr = _command.document(words, progress)
    return _result_of(document, stderr, _shlex.join(["kbsim", *words]))


def llm(model: Path | None = None, **options: _Any) -> Result:
    """Runs a whole model (`--bench llm`) without values, unless timing_only=False. `operations` is its table."""
    options.setdefault("timing_only", True)
    return run("llm", **options) if model is None else run("llm", model=model, **options)


def explain(bench: str, *, topology: Path | None = None, set: Settings | None = None, progress: bool = False,
            **options: _Any) -> Explanation:
    """Runs a bench of one simulation with causes: its critical paths."""
    with _tempfile.TemporaryDirectory() as folder:
        words = ["explain", *_words(bench, topology, set, options)]
        document, stderr = _command.document([*words, "--out", folder, "--no-report"], progress)
        paths = _json.loads((_pathlib.Path(folder) / "explain.json").read_text(encoding="utf-8"))["paths"]
    return Explanation(paths, _result_of(document, stderr, _shlex.join(["kbsim", *words])))


def sweep(bench: str, *, topology: Path | None = None, set: Settings | None = None, out: Path | None = None,
          progress: bool = False, **options: _Any) -> _pandas.DataFrame:
    """Runs a bench at each combination of settings and options that are lists, or settings such as "2..8*2".

    The frame is in long form: point, a column per axis, metric, unit, value. Failed points have no rows: some give
    a warning, all raise the error of the first. With `out` the sweep's folder stays, and the same call again
    simulates new points only."""
    with _tempfile.TemporaryDirectory() as folder:
        where = _pathlib.Path(folder) / "sweep" if out is None else _pathlib.Path(out)
        words = _sweeps.words_of(bench, options, ["--out", str(where)])
        _command.execute(["sweep", *_words(bench, topology, set, {}), *words], progress)
        return _sweeps.table_of(where)


def traffic(*, topology: Path | None = None, set: Settings | None = None, progress: bool = False,
            **options: _Any) -> _pandas.DataFrame:
    """Loads the fabric: one row per offered load, with latency_ns.mean, accepted_GBps and so on."""
    machine = [] if topology is None else ["--topology", _command.text_of(topology)]
    words = ["traffic", *machine, *_command.setting_words(set), *_command.option_words(options)]
    document, _ = _command.document(words, progress)
    return _frames.rows_frame(document.get("points", [document]))


def diff(a: Path, b: Path) -> _pandas.DataFrame:
    """Compares two folders of runs or sweeps: one row per metric that differs."""
    document, _ = _command.document(["diff", _command.text_of(a), _command.text_of(b)])
    return _frames.rows_frame(document["metrics"])
