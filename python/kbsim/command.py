"""Finds and runs the command kbsim."""
from __future__ import annotations

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
from typing import Any, Iterable, Mapping, Union

from .errors import error_of
from .progress import Progress

Settings = Mapping[str, Any]
Path = Union[str, "os.PathLike[str]"]

_IN_BUILD = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "apps" / "kbsim" / "kbsim"


def executable() -> str:
    """The command: $KBSIM, else kbsim of PATH, else the release build beside this folder."""
    named = os.environ.get("KBSIM") or shutil.which("kbsim")
    if named:
        return named
    if _IN_BUILD.exists():
        return str(_IN_BUILD)
    raise FileNotFoundError("no command kbsim: install it, put it on PATH, or name it in the variable KBSIM")


def text_of(value: Any) -> str:
    """A value as the command line has it: lists with commas, truth values as 1 and 0."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple, range)):
        return ",".join(text_of(item) for item in value)
    return str(os.fspath(value) if isinstance(value, os.PathLike) else value)


def option_words(options: Mapping[str, Any], bench: str = "") -> list[str]:
    """`timing_only=True` is --timing-only, `s_kv=64` is --s_kv=64; None and False leave an option out.

    One letter is -b of --bench ccl, which has nccl-tests' flags, and --m of any other."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        short = len(name) == 1 and bench == "ccl"
        option = f"-{name}" if short else f"--{name}"
        if value is True:
            words.append(option)
        elif short:
            words += [option, text_of(value)]
        else:
            words.append(f"{option}={text_of(value)}")
    return words


def setting_words(settings: Settings | None) -> list[str]:
    return [word for key, value in (settings or {}).items() for word in ("--set", f"{key}={text_of(value)}")]


def _message(stderr: str) -> str:
    lines = stderr.rstrip().splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("kbsim: ")), 0)
    return "\n".join(lines[first:])


def _said(process: subprocess.Popen[str], progress: bool) -> str:
    """What a process writes to stderr until its end."""
    assert process.stderr is not None
    shown, said = Progress(), []
    try:
        for line in process.stderr:
            said.append(line)
            if progress:
                shown.show(line.rstrip("\n"))
        process.wait()
    except BaseException:
        process.terminate()
        raise
    finally:
        shown.clear()
    return "".join(said)


def execute(words: Iterable[str], progress: bool = False) -> tuple[str, str]:
    """Runs `kbsim WORDS`; stdout and stderr. Raises the error of any exit code but 0."""
    command = [executable(), *words]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
        with subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                              errors="replace") as process:
            stderr = _said(process, progress)
        out.seek(0)
        text = out.read()
    if process.returncode != 0:
        raise error_of(process.returncode, _message(stderr), shlex.join(["kbsim", *command[1:]]))
    return text, stderr


def document(words: Iterable[str], progress: bool = False) -> tuple[dict[str, Any], str]:
    """The JSON that `kbsim WORDS --json` prints, and stderr."""
    text, stderr = execute([*words, "--json"], progress)
    return json.loads(text), stderr
