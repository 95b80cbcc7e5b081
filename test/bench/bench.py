"""Runs the cases of bench_cases.py, several times in turn, and writes their figures; or compares two folders of them.

Times are of the processor (user and system). They are never judged: the exit code is 0 if everything ran.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

import bench_cases
import bench_plots
import bench_tables

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDERS = {"kbsim": "apps/kbsim"}


LAYER = "layer.json"  # of the folder where a command runs

# The peak of memory that a program is told is that of whoever forked it, too: a shell is small.
OWN_PEAK = ("sh", "-c", '"$@"; exit $?', "sh")


def program_of(build, name):
    return build / FOLDERS.get(name, "test/bench") / name


def command_of(build, command, oplog):
    name, *arguments = command
    files = {"OPLOG": str(oplog), "LAYER": LAYER}
    arguments = [files.get(argument, argument) for argument in arguments]
    return [str(program_of(build, name)), *arguments]


def run(command, wrapper=()):
    """Output, errors, and seconds of the processor and of the clock, of a command."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryDirectory() as folder:
        for name in ("topology.yaml", "ccl.yaml"):
            (pathlib.Path(folder) / name).symlink_to(ROOT / "configs" / name)
        (pathlib.Path(folder) / LAYER).write_text(json.dumps(bench_cases.LAYER_CONFIG))
        began = time.perf_counter()
        child = subprocess.Popen([*OWN_PEAK, *wrapper, *command], stdout=out, stderr=err, cwd=folder)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        text, errors = out.read().decode(), err.read().decode()
    if child.returncode != 0:
        raise SystemExit(f"exit code {child.returncode} of {' '.join(command)}\n{errors}")
    return text, errors, usage.ru_utime + usage.ru_stime, wall


def peak_of(summary):
    """Bytes, of "18.3 MiB peak memory"."""
    size, unit = re.search(r"([\d.]+) ([KMG])iB peak memory", summary).groups()
    return float(size) * 2 ** {"K": 10, "M": 20, "G": 30}[unit]


def measured(case, command):
    """One run of a case: its items, events, seconds, and what else it tells."""
    text, errors, seconds, wall = run(command)
    if case.command[0] != "kbsim":
        return json.loads(text.strip().splitlines()[-1])
    known = {"seconds": wall if case.wall else seconds, "peak": peak_of(errors)}
    if case.unit == "operation":
        return {**known, "items": int(re.search(r"executed (\d+) operations", errors)[1])}
    events = int(re.search(r", (\d+) events", errors)[1])
    return {**known, "items": 1 if case.unit == "run" else events, "events": events}


def instructions(command):
    log = run(command, ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"))[1]
    return int(re.search(r"Collected\s*:\s*(\d+)", log)[1])


def steady(longer, shorter, what):
    """What each item takes that the longer run has beyond the shorter."""
    return (longer[what] - shorter[what]) / max(longer["items"] - shorter["items"], 1)


@dataclasses.dataclass
class Build:
    folder: pathlib.Path
    out: pathlib.Path
    figures: dict = dataclasses.field(default_factory=dict)
    oplog: pathlib.Path = pathlib.Path()

    def has(self, case):
        return program_of(self.folder, case.command[0]).exists()

    def sample(self, case):
        got = measured(case, command_of(self.folder, case.command, self.oplog))
        known = self.figures.setdefault(case.name, {
            "section": case.section, "unit": case.unit, "command": " ".join(case.command), "samples": []})
        if case.chart:
            known.update(chart=case.chart, series=case.series, x=case.x)
        known.update({key: value for key, value in got.items() if key != "seconds"})
        known["samples"].append(got["seconds"])

    def add_steady_state(self, case, counts_instructions):
        """Needs no repeats: counts are what they are."""
        known = self.figures[case.name]
        if not case.shorter:
            return
        shorter_command = command_of(self.folder, case.shorter, self.oplog)
        shorter = measured(case, shorter_command)
        if "allocations" in known:
            known["allocations_each"] = steady(known, shorter, "allocations")
        if counts_instructions:
            longer_count = {**known, "instructions": instructions(command_of(self.folder, case.command, self.oplog))}
            known["instructions_each"] = steady(longer_count, {**shorter, "instructions": instructions(shorter_command)},
                                                "instructions")

    def write(self, repeats):
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / "figures.json").write_text(json.dumps({
            "machine": machine_text(), "repeats": repeats, "commit": commit_of(self.folder), "cases": self.figures},
            indent=1) + "\n")
        (self.out / "figures.txt").write_text(bench_tables.text(self.figures))


def machine_text():
    model = platform.processor() or platform.machine()
    info = pathlib.Path("/proc/cpuinfo")
    if info.exists():
        model = (re.search(r"model name\s*:\s*(.+)", info.read_text()) or ["", model])[1]
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def commit_of(folder):
    got = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=folder, capture_output=True, text=True, check=False)
    return got.stdout.strip() or "unknown"


def chosen(arguments):
    words = [word.lower() for word in arguments.words]
    for case in bench_cases.CASES:
        if arguments.quick and not case.quick:
            continue
        if not words or any(word in case.name.lower() or word == case.section for word in words):
            yield case


def progress(text):
    if sys.stderr.isatty():
        print(f"\r{text:<72}\r", end="", file=sys.stderr, flush=True)


def measure_all(builds, cases, arguments):
    for build in builds:
        build.oplog = build.out / "replayed.oplog"
        build.out.mkdir(parents=True, exist_ok=True)
        if any("OPLOG" in case.command for case in cases):
            run([str(program_of(build.folder, "kbsim")), *bench_cases.OPLOG_RUN, "--oplog", str(build.oplog)])
    for repeat in range(arguments.repeats):
        for case in cases:
            if repeat < case.repeats:
                progress(f"{repeat + 1}/{arguments.repeats} {case.name}")
                for build in builds:
                    if build.has(case):
                        build.sample(case)
    for case in cases:
        for build in builds:
            if build.has(case):
                build.add_steady_state(case, arguments.instructions)
    progress("")
    for build in builds:
        build.oplog.unlink(missing_ok=True)
        build.write(arguments.repeats)


def build_of(text):
    folder, equals, out = text.partition("=")
    return Build(pathlib.Path(folder).resolve(), pathlib.Path(out if equals else "build/bench").resolve())


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench.sh", description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="only cases whose names have one, or of that section: "
                        "engine, mesh, machine, growth")
    parser.add_argument("--repeats", type=int, default=5, help="of each case, in turn with the others (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="without the cases that take long")
    parser.add_argument("--instructions", action="store_true",
                        help="count instructions of the steady state with callgrind, which takes fifty times as long")
    parser.add_argument("--build", action="append", default=[], metavar="DIR=OUT",
                        help="the build to run, and where its figures go; two of them are run in turn, then compared")
    parser.add_argument("--write", metavar="PAGE", help="put the tables into this page of docs/")
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"), help="run nothing; compare two folders of figures")
    arguments = parser.parse_args()
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    if arguments.compare:
        print(bench_tables.comparison(*map(bench_tables.read, arguments.compare)), end="")
        return
    builds = [build_of(text) for text in arguments.build or [f"{ROOT}/build/release={ROOT}/build/bench"]]
    for build in builds:
        if not build.folder.is_dir():
            raise SystemExit(f"{build.folder}: no such folder")
    cases = list(chosen(arguments))
    if not cases:
        raise SystemExit(f"no case of {' '.join(arguments.words)}")
    measure_all(builds, cases, arguments)
    for build in builds:
        print((build.out / "figures.txt").read_text() + f"written to {build.out}")
    if len(builds) == 2:
        print("\n" + bench_tables.comparison(*(bench_tables.read(build.out) for build in builds)), end="")
    if arguments.write:
        page, figures = pathlib.Path(arguments.write), bench_tables.read(builds[0].out)
        bench_tables.write_page(page, figures)
        bench_plots.draw(figures["cases"], page.parent / "images")


main()
