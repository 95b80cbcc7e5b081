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
import shutil
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
REPEATS = 5
SECTIONS = list(dict.fromkeys(case.section for case in bench_cases.CASES))


# The peak of memory reported for a program includes its parent's peak: a shell's is small.
OWN_PEAK = ("sh", "-c", '"$@"; exit $?', "sh")


def program_of(build, name):
    return build / FOLDERS.get(name, "test/bench") / name


def command_of(build, command, oplog):
    name, *arguments = command
    arguments = [str(oplog) if argument == "OPLOG" else argument for argument in arguments]
    return [str(program_of(build, name)), *arguments]


def run(command, wrapper=()):
    """Output, errors, and seconds of the processor and of the clock, of a command."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryDirectory() as folder:
        for name in ("topology.yaml", "ccl.yaml"):
            (pathlib.Path(folder) / name).symlink_to(ROOT / "configs" / name)
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
    """One run of a case: its items, events, seconds, and further figures that it reports."""
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
    """The cost of each item that the longer run has beyond the shorter."""
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
        """Needs no repeats: counts don't vary."""
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


def has_word(case, word):
    return word.lower() in case.name.lower() or word.lower() == case.section


def chosen(words, quick):
    """The cases, once each word has some."""
    cases = [case for case in bench_cases.CASES if case.quick or not quick]
    for word in words:
        if not word or not any(has_word(case, word) for case in bench_cases.CASES):
            raise SystemExit(f"'{word}': no case has it in its name, and no section is called so ({', '.join(SECTIONS)})")
        if not any(has_word(case, word) for case in cases):
            raise SystemExit(f"'{word}': all of these cases take long; leave out --quick")
    return [case for case in cases if not words or any(has_word(case, word) for word in words)]


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


def require_builds(builds):
    """Mistakes that would show only after all is measured, or would make a measurement useless."""
    if len(builds) > 2:
        raise SystemExit("--build: two builds at most are run in turn")
    if len(builds) == 2 and builds[0].out == builds[1].out:
        raise SystemExit(f"--build: {builds[0].out} can't have the figures of two builds; give each a folder, DIR=OUT")
    for build in builds:
        if not build.folder.is_dir():
            raise SystemExit(f"{build.folder}: no such folder")
        try:
            build.out.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=build.out).close()
        except OSError as error:
            raise SystemExit(f"{build.out}: {error.strerror}; --build DIR=OUT names another folder") from error


def require_programs(builds, cases):
    for build in builds:
        missing = sorted({case.command[0] for case in cases if not build.has(case)})
        if not any(build.has(case) for case in cases):
            raise SystemExit(f"{build.folder} has no {' and no '.join(missing)}: scripts/build.sh release makes them")
        if missing:
            print(f"{build.folder} has no {' and no '.join(missing)}: their cases are left out", file=sys.stderr)


def require_page(page, words, cases):
    """A part of a page is written as a whole."""
    sections = {case.section for case in cases}
    if "growth" not in words or sections != {"growth"}:
        if words:
            raise SystemExit("--write: its tables are of all cases; give it no word, or growth alone")
        bench_tables.require_mark(page, "bench")
    if "growth" in sections:
        bench_tables.require_mark(page, "growth")
        if shutil.which("gnuplot") is None:
            raise SystemExit("--write: gnuplot isn't installed, and draws the pictures of docs/explanation/performance.md")


def build_release():
    """Installs and builds the missing parts, as scripts/bench.sh states."""
    scripts = ROOT / "scripts"
    subprocess.run([scripts / "install-dependencies.sh", "main", "features", "tests"], check=True)
    if subprocess.run([scripts / "install-dependencies.sh", "bench"], check=False).returncode != 0:
        print("without SystemC or valgrind", file=sys.stderr)
    targets = ["kbsim", "kbsim_bench_engine", "kbsim_bench_mesh"]
    if pathlib.Path("/usr/include/systemc").exists():
        targets.append("kbsim_bench_systemc")
    subprocess.run([scripts / "build.sh", "release", *targets], check=True, stdout=sys.stderr)


def parsed():
    parser = argparse.ArgumentParser(prog="scripts/bench.sh", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("words", nargs="*", metavar="WORD", help="only cases whose names have one, or of that section: "
                        + ", ".join(SECTIONS))
    parser.add_argument("--no-build", action="store_true", help="measure build/release as it is")
    parser.add_argument("--repeats", type=int, metavar="N", help=f"of each case, in turn with the others ({REPEATS})")
    parser.add_argument("--quick", action="store_true", help="without the cases that take long")
    parser.add_argument("--instructions", action="store_true",
                        help="count instructions of the steady state with callgrind, which takes fifty times as long")
    parser.add_argument("--build", action="append", metavar="DIR=OUT",
                        help="the build to run, and where its figures go; two of them are run in turn, then compared")
    parser.add_argument("--write", metavar="PAGE", type=pathlib.Path, help="put the tables into this page of docs/")
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"), help="run nothing; compare two folders of figures")
    arguments = parser.parse_args()
    if arguments.compare:
        others = [name for name, value in vars(arguments).items() if value and name != "compare"]
        if others:
            parser.error(f"--compare runs nothing: {' and '.join(others).replace('_', '-')} would have no effect")
    if arguments.repeats is None:
        arguments.repeats = REPEATS
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    return arguments


def main():
    arguments = parsed()
    if arguments.compare:
        print(bench_tables.comparison(*arguments.compare), end="")
        return
    cases = chosen(arguments.words, arguments.quick)
    if arguments.write:
        require_page(arguments.write, arguments.words, cases)
    builds = [build_of(text) for text in arguments.build or []]
    require_builds(builds)
    if arguments.instructions and shutil.which("valgrind") is None and (arguments.build or arguments.no_build):
        raise SystemExit("--instructions: valgrind isn't installed")
    if not builds:
        if not arguments.no_build:
            build_release()
        builds = [build_of(f"{ROOT}/build/release={ROOT}/build/bench")]
        require_builds(builds)
    require_programs(builds, cases)
    measure_all(builds, cases, arguments)
    for build in builds:
        print((build.out / "figures.txt").read_text() + f"written to {build.out}")
    if len(builds) == 2:
        print("\n" + bench_tables.comparison(*(build.out for build in builds)), end="")
    if arguments.write:
        figures = bench_tables.read(builds[0].out)
        bench_tables.write_page(arguments.write, figures)
        bench_plots.draw(figures["cases"], arguments.write.resolve().parents[1] / "images")


try:
    main()
except KeyboardInterrupt:
    raise SystemExit(130) from None
