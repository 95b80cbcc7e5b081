"""Golden times: runs of each part of the machine take the recorded time, under the recorded model version.

times.py KBSIM            compares
times.py KBSIM --write    writes times.txt anew; if a time changed, the model version must have risen
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).parent / "times.txt"
CLOSING = re.compile(r"^simulated (\S+) ns, ", re.MULTILINE)


def read(text):
    """The recorded version, and the time of each command."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    version = lines[0].removeprefix("model_version ")
    return version, [tuple(line.split(" ", 1)) for line in lines[1:]]


def version_of(kbsim):
    out = subprocess.run([kbsim, "version"], capture_output=True, text=True, check=True).stdout
    return out.split("model version ")[1].strip()


def measured(kbsim, arguments):
    done = subprocess.run([kbsim, *arguments.split()], capture_output=True, text=True)
    found = CLOSING.search(done.stderr)
    if done.returncode != 0 or not found:
        raise SystemExit(f"kbsim {arguments}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return found[1], arguments


def compare(recorded, now, version, own_version):
    """Differences, one a line."""
    said = [f"kbsim {new[1]}: {new[0]} ns; recorded: {old[0]} ns"
            for old, new in zip(recorded, now) if old != new]
    if said and version == own_version:
        said.append("If these times are right, raise kModelVersion (lib/base), then write times.txt anew: --write")
    if version != own_version:
        said.append(f"model version {own_version}; recorded: {version}")
    return said


def main():
    kbsim = os.path.abspath(sys.argv[1])
    version, recorded = read(PAGE.read_text())
    own_version = version_of(kbsim)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        now = list(pool.map(lambda row: measured(kbsim, row[1]), recorded))
    said = compare(recorded, now, version, own_version)
    if sys.argv[2:] == ["--write"]:
        if version == own_version and any(old != new and old[0] != "-" for old, new in zip(recorded, now)):
            raise SystemExit("\n".join(said))
        head = "".join(line + "\n" for line in PAGE.read_text().splitlines() if line.startswith("#"))
        PAGE.write_text(f"{head}model_version {own_version}\n" + "".join(" ".join(row) + "\n" for row in now))
        return 0
    print("\n".join(said) if said else f"{len(now)} runs have their recorded times, model version {own_version}")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
