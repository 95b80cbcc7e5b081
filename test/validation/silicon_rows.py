"""A row of a published table: its figure, and the command that simulates it.

A module of tables has TABLES: by the beginning of a file's name, the function that makes a Row of a line of the file;
NOTES: by the beginning, the reason of the largest errors; SUMS: (name, kind, beginning) of rows that belong together,
and if wanted a function that chooses among them.
silicon.MODULES names the modules.
"""
import json
import subprocess


class Refused(Exception):
    """The command's usage or its machine, or what it needs, isn't there."""


REFUSED = (2, 5)  # exit codes


def document_of(kbsim, words, *more):
    """The document that a command prints."""
    ran = subprocess.run([kbsim, *words, *more, "--json"], capture_output=True, text=True, check=False)
    if ran.returncode in REFUSED:
        raise Refused(" ".join(ran.stderr.split()).removeprefix("kbsim: "))
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: exit code {ran.returncode}\n{ran.stderr}")
    return json.loads(ran.stdout)


def transfers_of(kbsim, words):
    """The time of transfers: of the machine, and with software."""
    result = document_of(kbsim, words, "--race", "off", "--timing-only", "--quiet")["result"]
    return result["median_ns"], result["with_software_ns"]


def each(times):
    """Rows of one command have one time: times(kbsim, words) returns that of the machine and that with software."""
    def simulate(kbsim, rows):
        machine, simulated = times(kbsim, rows[0].words)
        for row in rows:
            row.machine, row.simulated = machine, simulated
    return simulate


TRANSFERS = each(transfers_of)


class Row:
    """A measured row: its kind, size and figure, and the command that simulates it, or why none does.

    simulate(kbsim, rows) simulates all rows that have it and the same words; it sets machine and simulated of each, in
    the unit of measured. limits are the largest of small and of middle rows, in bytes.
    """

    def __init__(self, kind, size, measured, words=None, missing=None, simulate=TRANSFERS, limits=(512, 4096)):
        self.kind, self.size, self.measured, self.words, self.missing = kind, size, measured, words, missing
        self.simulate, self.limits = simulate, limits
        self.machine = self.simulated = None

    def error(self, value):
        return 100 * (value / self.measured - 1)


def not_simulated(kind, why):
    """A row that is counted, with its reason."""
    return Row(kind, 0, 1.0, missing=why)


def not_yet(what):
    """A table without an experiment."""
    return lambda row: not_simulated(row.get("collective") or row.get("kind") or row.get("config") or "rows", what)
