"""Judges a command: right values or a refusal, and the same for every tie order."""
import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace

# docs/reference/cli.md says so of --dry-run.
MET_LATER = ["can't hold a packet", "the collective needs", "beyond simulated time"]
# Limits of a PE that only a kernel meets: its fault names the key. Settings that lead there, of which a case has one.
MET_BY_KERNELS = {"max_commands": ["max_commands"],
                  "tcm_scheduler_bytes": ["tcm_scheduler_bytes", "tile_m", "tile_k", "tile_n"]}
PROGRAMS = {"kbsim": "apps/kbsim/kbsim", "soak_program": "test/soak/soak_program",
            "test_host": "test/test_host"}
SECONDS = 120
MEMORY = 12 << 30  # of addresses: the cases have a limit of their own
# Costs of a run, which are no result.
COSTS = {"events", "host", "wall_s", "events_per_s", "peak_memory_bytes"}


# Fields of a read file in the command's JSON.
READ = {
    "layers": lambda out: [[row[key] for key in ("layer", "m", "n", "k")] for row in out["rows"]],
    "extents": lambda out: [[row[key] for key in ("m", "n", "k")] for row in out["rows"]],
    # Points, and the lines that aren't read.
    "times": lambda out: [[[point["size"], point["reference_us"]] for point in out["points"]],
                          [int(line.split(":")[1]) for line in out.get("reference_rows_skipped", [])]],
}


@dataclass
class Outcome:
    exit: int  # negative: by this signal; None: it did not end
    out: str
    err: str
    seconds: float


def _limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(binary, words, sanitized=False, folder=None, environment=None):
    """Runs the command in a process group of its own, which ends with it."""
    start = time.monotonic()
    process = subprocess.Popen([binary] + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True, cwd=folder, env={**os.environ, **(environment or {})},
                               preexec_fn=None if sanitized else _limits)
    try:
        out, err = process.communicate(timeout=SECONDS * (10 if sanitized else 1))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Outcome(None, "", "", SECONDS)
    return Outcome(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"),
                   time.monotonic() - start)


@contextlib.contextmanager
def folder_of(case):
    """A folder with the case's files; None, the present one, if it has none."""
    if not case.files:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, text in case.files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
                file.write(text)
        yield folder


def without_costs(value):
    if isinstance(value, dict):
        return {k: without_costs(v) for k, v in value.items() if k not in COSTS}
    if isinstance(value, list):
        return [without_costs(v) for v in value]
    return value


def without_counts(result):
    """A result without the number of stretches that were simulated."""
    for row in result.get("rows", []):
        row.get("segments", {}).pop("simulated", None)
    return result


def result_of(outcome):
    """The result without its costs; for a command that prints no JSON, its text."""
    try:
        return without_costs(json.loads(outcome.out))
    except json.JSONDecodeError:
        return {"text": outcome.out}


class Judge:
    """Finds the fault of a case: "" if there is none, else a short name of its class and the command's text."""

    def __init__(self, release, debug, random):
        self.release, self.debug, self.random = release, debug, random
        self.exits = {}

    def judge(self, case):
        if case.readings:
            return self._files(case)
        first = self._run(case)
        found = self._exit(first, case)
        if found:
            return found
        self.exits[first.exit] = self.exits.get(first.exit, 0) + 1
        if case.dry_run:
            found = self._dry_run(case, first)
            if found:
                return found
        if case.verifies and first.exit == 0:
            return self._verified(case, first)
        if first.exit in (2, 5) or not case.repeats:
            return ""
        found = self._repeats(case, first)
        if found or first.exit != 0 or not case.bench:
            return found
        again = self.random.choice([self._log, self._resolved, self._timing_only] + 5 * [lambda *_: ""])
        return again(case, first)

    # The contents of a file are read right, or refused with a place in it.
    def _files(self, case):
        with folder_of(case) as folder:
            for more, what, right in case.readings:
                words = case.words() + list(more)
                outcome = run(os.path.abspath(os.path.join(self.release, PROGRAMS[case.command])), words, folder=folder)
                found = self._exit(outcome, case) or self._reading(outcome, what, right, case.files)
                if found:
                    return f"{found} ({' '.join(more)})" if more else found
                self.exits[outcome.exit] = self.exits.get(outcome.exit, 0) + 1
        return ""

    @staticmethod
    def _reading(outcome, what, right, files):
        if outcome.exit == 0:
            found = READ[what](json.loads(outcome.out))
            return "" if found == right else f"read otherwise: {difference(right, found)}"
        said = outcome.err.strip().splitlines()[-1][:200]
        if right is not None:
            return f"refused, and it is right: {said}"
        places = (re.escape(name) + r":(\d+| no rows)" for name in files)
        return "" if any(re.search(place, said) for place in places) else f"no place: {said}"

    def _run(self, case, more=(), debug=False):
        build = os.path.abspath(self.debug if debug else self.release)
        with folder_of(case) as folder:
            return run(os.path.join(build, PROGRAMS[case.command]), case.words() + list(more), sanitized=debug,
                       folder=folder, environment=case.environment)

    @staticmethod
    def _exit(outcome, case, where="release"):
        said = outcome.err.strip().splitlines()
        last = said[-1][:200] if said else ""
        if outcome.exit is None:
            return f"hang ({where}): no end after {SECONDS} s"
        if outcome.exit < 0:
            return f"crash ({where}): signal {-outcome.exit}: {last}"
        drawn = " ".join(case.words())
        met = outcome.exit == 8 and any(key in outcome.err and any(cause in drawn for cause in causes)
                                        for key, causes in MET_BY_KERNELS.items())
        if outcome.exit in (0, 2, 5) or (outcome.exit == 4 and case.limited) or met:
            if outcome.exit and not last:
                return f"silent ({where}): exit {outcome.exit} without a word"
            return ""
        errors = [line for line in said if "rror" in line or "fault" in line] or [last]
        return f"exit {outcome.exit} ({where}): {errors[0][:300]}"

    # A run and a dry run refuse the same settings, except for those that only kernels and packets meet.
    def _dry_run(self, case, first):
        if any(words in first.err for words in MET_LATER) and "process" in first.err:
            return ""
        dry = self._run(case, ["--dry-run"])
        if (dry.exit in (2, 5)) != (first.exit in (2, 5)):
            said = (dry if dry.exit else first).err.strip().splitlines()
            return f"dry run: exit {dry.exit}, run: exit {first.exit}: {said[-1][:200] if said else ''}"
        return ""

    def _repeats(self, case, first):
        expected = (first.exit, result_of(first))
        for kind, more, debug in self._variants(case, first):
            again = self._run(case, more, debug)
            found = self._exit(again, case, kind)
            if found:
                return found
            if 4 not in (first.exit, again.exit) and (again.exit, result_of(again)) != expected:
                return f"differs ({kind}): {difference(expected[1], result_of(again))}"
        return ""

    def _variants(self, case, first):
        seeds = [str(self.random.randint(1, 10**6)) for _ in range(2)] if case.shuffles else []
        variants = [(f"--shuffle-ties {seed}", ["--shuffle-ties", seed], False) for seed in seeds]
        if not case.shuffles:
            variants.append(("repeat", [], False))
        if self.debug and first.seconds < 0.5 and self.random.random() < 0.1:
            variants.append(("debug", [], True))
        return variants

    # Work that equals earlier work is simulated again: it does the same, and the result is the same.
    def _verified(self, case, first):
        again = self._run(case, ["--verify-repeats"])
        if again.exit == 2 and "--verify-repeats" in again.err:  # nothing is repeated in this run
            return ""
        found = self._exit(again, case, "verified")
        if found or again.exit != 0:
            return found or f"verified: exit {again.exit}, run: exit 0: {again.err[:200]}"
        skipped, simulated = without_counts(result_of(first)), without_counts(result_of(again))
        if skipped != simulated:
            return f"verified: {difference(skipped, simulated)}"
        return self._explained(case) if self.random.random() < 0.5 else ""

    # Each cause is exact, otherwise the run ends with an internal error.
    def _explained(self, case):
        explained = self._run(case, ["--explain"])
        return "" if explained.exit == 5 else self._exit(explained, case, "explained")

    # Its op log can be replayed, with the same checksums.
    def _log(self, case, _):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.oplog")
            wrote = self._run(replace(case, json=False), ["--quiet", "--oplog", path])
            replayed = run(os.path.join(self.release, PROGRAMS["kbsim"]), ["replay", path, "--quiet"])
            if wrote.exit != 0 or replayed.exit != 0:
                return f"op log: exit {wrote.exit}, replay: exit {replayed.exit}: {replayed.err[:200]}"
            lines = [o.out.strip().splitlines()[-1] for o in (wrote, replayed)]
            return "" if lines[0] == lines[1] else f"op log: {lines[0]} but replayed {lines[1]}"

    # config.resolved.yaml is a file that runs, with the same result.
    def _resolved(self, case, first):
        with tempfile.TemporaryDirectory() as folder:
            wrote = self._run(case, ["--quiet", "--out", folder])
            file = os.path.join(folder, "config.resolved.yaml")
            bench = case.head[case.head.index("--bench") + 1]
            again = run(os.path.join(self.release, PROGRAMS["kbsim"]),
                        ["--topology", file, "--bench", bench, "--json", "--quiet"])
            if wrote.exit != 0 or again.exit != 0:
                return f"resolved: exit {wrote.exit}, again: exit {again.exit}: {again.err[:200]}"
            return self._same("resolved", first, again, ["result", "messages", "run"])

    def _timing_only(self, case, first):
        again = self._run(case, ["--timing-only"])
        if again.exit != 0:
            return f"timing only: exit {again.exit}: {again.err[:200]}"
        return self._same("timing only", first, again, ["messages"])

    @staticmethod
    def _same(what, first, again, keys):
        a, b = ({key: result_of(outcome).get(key) for key in keys} for outcome in (first, again))
        return "" if a == b else f"{what}: {difference(a, b)}"


def difference(a, b, path=""):
    """The first place where two results differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if a.get(key) != b.get(key):
                return difference(a.get(key), b.get(key), f"{path}.{key}")
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return difference(x, y, f"{path}[{i}]")
    return f"{path or 'output'}: {str(a)[:80]} or {str(b)[:80]}"
