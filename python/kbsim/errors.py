"""Errors of the command, by its exit code."""
from __future__ import annotations


class KbsimError(Exception):
    """A command that failed: `exit_code`, `message` as kbsim wrote it, `command` that can be typed again."""

    exit_code = 1

    def __init__(self, message: str, command: str, exit_code: int) -> None:
        super().__init__(message)
        self.message = message
        self.command = command
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[type[KbsimError], tuple[str, str, int]]:
        return type(self), (self.message, self.command, self.exit_code)


class UsageError(KbsimError):
    """An option, a setting or a file is wrong (exit code 2)."""


class LimitReached(KbsimError):
    """A limit of time, events or memory ended the run (exit code 4)."""


class NotSupported(KbsimError):
    """The work needs what isn't simulated, or a package that isn't installed (exit code 5)."""


class WrongValues(KbsimError):
    """The run ended, and its values differ from the reference (exit code 7)."""


class Fault(KbsimError):
    """A deadlock, or a fault in a kernel or a host program (exit code 8)."""


class Interrupted(KbsimError):
    """A signal ended the command (exit codes from 129 on)."""


class InternalError(KbsimError):
    """A defect of kbsim (exit code 1)."""


_BY_CODE = {1: InternalError, 2: UsageError, 4: LimitReached, 5: NotSupported, 7: WrongValues, 8: Fault}


def error_of(exit_code: int, message: str, command: str) -> KbsimError:
    kind = _BY_CODE.get(exit_code, Interrupted if exit_code < 0 or exit_code > 128 else KbsimError)
    return kind(message, command, exit_code)
