"""Chips that exist: runs the experiments of published tables, and writes docs/silicon.md.

A folder of tables in the form of the project's silicon inputs is named; no other file is read, and no contents of
the tables are written. Each file has an experiment for each of its kinds of rows, or a reason why there is none.
"""
import concurrent.futures
import csv
import json
import pathlib
import statistics
import subprocess

BOX = ["--topology", "wormhole_box.yaml", "--set", "system.sips.count=1", "--set", "system.sips.w=1"]
ISSUE_CYCLES = {"write": "22.5", "read": "19"}  # stated by the maker's figures: issue of one transaction
GRID = 8  # cores of a row of the chip


class Row:
    """A measured row: its kind, size and figure, and the command that simulates it, or why none does."""

    def __init__(self, kind, size, measured, words=None, missing=None):
        self.kind, self.size, self.measured, self.words, self.missing = kind, size, measured, words, missing
        self.machine = self.simulated = None

    def error(self, value):
        return 100 * (value / self.measured - 1)


def transfer(move, source, target, row, where="tcm", size=None, more=()):
    return ["--bench", "transfers", *BOX, "--move", move, "--where", where, "--from", source, "--to", target,
            "--transactions", row["transactions"], "--bytes", size or row["transaction_bytes"],
            "--set", f"pe.pe_cpu.dispatch_cycles={ISSUE_CYCLES[move]}", *more]


ONE_CHANNEL = ["--set", "cube.floorplan.hbm.interleave_bytes=0"]
CORNER, OTHER = "0", str(3 * GRID + 3)  # cores in different rows and columns


def grid_of(row):
    """The cores of a grid such as 4x4, from the corner on, row by row."""
    width, height = (int(side) for side in row["grid"].split("x"))
    return [str(y * GRID + x) for y in range(height) for x in range(width)]


def noc_pattern(row):
    """The command of a row of noc_*.csv, or a reason."""
    pattern, role = row["pattern"], row["role"]
    if "multicast" in pattern:
        return None, "multicast"
    if row["arch"] != "wormhole_b0":
        return None, f"a machine file of {row['arch']}"
    if pattern == "one_to_one":
        return transfer("write", CORNER, OTHER, row), None
    if pattern == "one_from_one":
        return transfer("read", CORNER, OTHER, row), None
    if pattern == "loopback":
        return transfer("write", CORNER, CORNER, row), None
    if pattern == "dram_interleaved":  # despite its name of one channel, as its rate shows
        return transfer("read" if "read" in role else "write", OTHER, CORNER, row, "hbm", more=ONE_CHANNEL), None
    if pattern.startswith(("one_to_all", "one_from_all", "all_to_all", "all_from_all")):
        cores = ",".join(grid_of(row))
        move = "read" if "from" in pattern else "write"
        itself = ["--itself", "1"] if row.get("loopback") == "yes" else []
        return transfer(move, cores if pattern.startswith("all_") else CORNER, cores, row,
                        size=row["bytes_per_destination"] or None, more=itself), None
    return None, f"an experiment for {pattern}"


def noc_rows(row):
    words, missing = noc_pattern(row)
    kind = row["role"] if row["pattern"] == "dram_interleaved" else row["pattern"]
    return Row(kind, int(row["transaction_bytes"]), float(row["latency_cycles"]), words, missing)


def path_rows(row):
    """Both ends in a row or column, or in neither."""
    if row["arch"] != "wormhole_b0":
        return Row(row["operation"], 0, 1.0, missing=f"a machine file of {row['arch']}")
    same = row["same_row_or_column"] == "yes"
    kind = f"{row['operation']} in {'a row or column' if same else 'neither'}"
    target = "3" if same else OTHER
    return Row(kind, int(row["transaction_bytes"]), float(row["latency_cycles"]),
               transfer(row["operation"], CORNER, target, row))


def not_yet(what):
    return lambda row: Row(row.get("collective") or row.get("kind") or row.get("config") or "rows", 0, 1.0,
                           missing=what)


# By the beginning of a file's name: how a row is simulated. A row with a reason is listed, and counted.
TABLES = {
    "noc_path": path_rows,
    "noc_rows": not_yet("multicast"),
    "noc_": noc_rows,
    "ccl_": not_yet("collectives of the box"),
    "fabric_hops": not_yet("round trips between chips"),
    "fabric_router": not_yet("routers under load"),
    "gemm": not_yet("products of many cores"),
    "llm": not_yet("models in 8 and 4 bits"),
    "dispatch": not_yet("launches: software alone"),
}


def table_of(name):
    return next((rows for begin, rows in TABLES.items() if name.startswith(begin)), None)


class Table:
    """The rows of one file."""

    def __init__(self, file):
        self.name, self.rows, self.suspect = file.stem, [], 0
        make = table_of(self.name)
        with open(file, newline="", encoding="utf-8") as text:
            for number, row in enumerate(csv.DictReader(text), 2):
                if row.get("suspect"):
                    self.suspect += 1
                    continue
                try:
                    self.rows.append(make(row))
                except (KeyError, TypeError, ValueError) as error:
                    raise SystemExit(f"{file}:{number}: no row of this table: {error!r}") from error

    def simulated(self):
        return [row for row in self.rows if row.words is not None]

    def kinds(self):
        found = {}
        for row in self.simulated():
            found.setdefault(row.kind, []).append(row)
        return found

    def missing(self):
        found = {}
        for row in self.rows:
            if row.words is None:
                found[row.missing] = found.get(row.missing, 0) + 1
        return found


def tables_in(folder):
    path = pathlib.Path(folder)
    if not path.is_dir():
        raise SystemExit(f"--silicon {folder}: no such folder")
    files = [file for file in sorted(path.glob("*.csv")) if table_of(file.stem) is not None]
    if not files:
        raise SystemExit(f"--silicon {folder}: no table, expected noc_*.csv, ccl_*.csv, gemm.csv and the like")
    return [Table(file) for file in files]


def simulate(kbsim, row):
    words = [kbsim, *row.words, "--race", "off", "--timing-only", "--quiet", "--json"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(row.words)}: exit code {ran.returncode}\n{ran.stderr}")
    result = json.loads(ran.stdout)["result"]
    row.machine, row.simulated = result["median_ns"], result["with_software_ns"]


def mean(errors):
    return statistics.mean(abs(error) for error in errors)


def worst(errors):
    return max(errors, key=abs)


def line_of(table, kind, rows):
    errors = [row.error(row.simulated) for row in rows]
    bare = [row.error(row.machine) for row in rows]
    return (f"silicon {table} {kind.replace(' ', '_')} rows {len(rows)} mean {mean(errors):.1f} "
            f"worst {worst(errors):.1f} without_software {mean(bare):.1f}")


def lines_of(tables):
    """A line a table and kind, and how many rows aren't simulated."""
    lines = []
    for table in tables:
        lines += [line_of(table.name, kind, rows) for kind, rows in sorted(table.kinds().items())]
        lines += [f"silicon {table.name} not_simulated rows {count} needs {what}"
                  for what, count in sorted(table.missing().items())]
    rows = [row for table in tables if table.name.startswith("noc_") for row in table.simulated()]
    if rows:
        lines.append(line_of("noc", "unicast", rows))
    return lines


def by_size(rows):
    """Mean errors of small, middle and large transfers."""
    classes = {"to 512 B": [], "to 4 KiB": [], "above": []}
    for row in rows:
        size = "to 512 B" if row.size <= 512 else "to 4 KiB" if row.size <= 4096 else "above"
        classes[size].append(row.error(row.simulated))
    return [f"{mean(errors):.1f} %" if errors else "–" for errors in classes.values()]


def section(table):
    text = [f"## {table.name}", ""]
    if table.simulated():
        text += ["| kind | rows | mean error | worst | to 512 B | to 4 KiB | above | without software |",
                 "|---|---|---|---|---|---|---|---|"]
        for kind, rows in sorted(table.kinds().items()):
            errors = [row.error(row.simulated) for row in rows]
            bare = [row.error(row.machine) for row in rows]
            text.append(f"| {kind} | {len(rows)} | {mean(errors):.1f} % | {worst(errors):+.1f} % | "
                        f"{' | '.join(by_size(rows))} | {mean(bare):.1f} % |")
        text.append("")
    text += [f"- Not simulated: {count} rows, which need {what}." for what, count in sorted(table.missing().items())]
    if table.suspect:
        text.append(f"- Left out: {table.suspect} rows that the table marks as suspect.")
    return text + [""]


INTRODUCTION = """\
# How kbsim agrees with chips that exist

After this page you know how near simulated times are to those that a maker published of his chips, with which
machine, and which rows can't be simulated yet. `scripts/validate.sh --silicon DIR` writes it from a folder of
tables, and prints a line a table and kind. The machine is
`configs/wormhole_box.yaml`, in which each number has its source. Numbers marked *fitted* there were fitted to the
rows named beside them.

Errors are those of times: (simulated − measured) / measured. A mean is of absolute errors. Errors *without software*
leave out the times that the maker's library adds (`software:` in the machine's file). Figures of several cores are
medians, as in the tables.
"""


def page(tables):
    text = [INTRODUCTION]
    for table in tables:
        text += section(table)
    rows = [row for table in tables if table.name.startswith("noc_") for row in table.simulated()]
    if rows:
        errors = [row.error(row.simulated) for row in rows]
        text += ["## All unicast transfers on the NOC", "",
                 f"{len(rows)} rows, mean error {mean(errors):.1f} %, worst {worst(errors):+.1f} %.", ""]
    return "\n".join(text).rstrip() + "\n"


def run(kbsim, folder, jobs):
    tables = tables_in(folder)
    rows = [row for table in tables for row in table.simulated()]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda row: simulate(kbsim, row), rows))
    return tables
