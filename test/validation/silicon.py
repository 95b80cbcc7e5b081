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

# Collectives on lines of chips: one core a chip, which is the library's worker, and slots of a fabric packet.
MOST_BYTES = 8 << 20  # of a simulated collective; larger ones go on at the rate between the two largest
CCL = ["--topology", "wormhole_box.yaml", "--bench", "ccl", "--check", "0", "--set", "cube.floorplan.pe.grid.x=[1]",
       "--set", "cube.floorplan.pe.grid.y=[1]", "--set", "ccl.defaults.slot_size=6144"]
ALGORITHMS = {"all_gather": "line_all_gather", "reduce_scatter": "line_reduce_scatter",
              "all_reduce": "line_allreduce", "all_to_all": "line_all_to_all"}
# The library's software in us: of a call, and of each hop from end to end. Fitted to fit/ccl_wormhole.csv, sizes to
# 64 KiB. An all-reduce is a reduce-scatter and an all-gather: the sums of theirs.
SOFTWARE_US = {"all_gather": (4.8, 0.4), "reduce_scatter": (2.8, 2.6), "all_to_all": (0.3, 1.9)}
SOFTWARE_US["all_reduce"] = tuple(map(sum, zip(SOFTWARE_US["all_gather"], SOFTWARE_US["reduce_scatter"])))

BOX = ["--topology", "wormhole_box.yaml", "--set", "system.sips.count=1", "--set", "system.sips.w=1"]
ISSUE_CYCLES = {"write": "22.5", "read": "19"}  # stated by the maker's figures: issue of one transaction
GRID = 8  # cores of a row of the chip


class Row:
    """A measured row: its kind, size and figure, and the command that simulates it, or why none does."""

    def __init__(self, kind, size, measured, words=None, missing=None):
        self.kind, self.size, self.measured, self.words, self.missing = kind, size, measured, words, missing
        self.machine = self.simulated = None
        self.software = None  # of a collective, in us

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


def collective_rows(row):
    """A collective on a line; the command simulates all sizes of its kind and number of chips."""
    kind, chips = row["collective"], int(row["chips"])
    if row["topology"] != "line":
        return Row(kind, 0, 1.0, missing=f"collectives on a {row['topology']}")
    if not row["machine"].startswith("wh_"):
        return Row(kind, 0, 1.0, missing=f"a machine file of {row['machine']}")
    if kind not in ALGORITHMS:
        return Row(kind, 0, 1.0, missing=f"an algorithm for {kind}")
    name = ALGORITHMS[kind]
    words = [*CCL, "--algorithm", name, "--set", f"ccl.algorithms.{name}.n_slots=16",
             "--set", f"system.sips.count={chips}", "--set", f"system.sips.w={chips}"]
    call, hop = SOFTWARE_US[kind]
    made = Row(f"{kind} of {chips} chips", int(row["bytes"]), float(row["time_us"]), words)
    made.software = call + hop * (chips - 1)
    return made


# Forwarding latencies of a hop that the maker states, by fabric.
HOP_NS = {"Linear": 711, "Ring": 711, "Mesh": 874}


def hop_rows(row):
    """A packet to the next chip and back: twice a send between queues. Rates need routers' times."""
    kind = row["topology"]
    if row["kind"] != "latency":
        return Row("rate", 0, 1.0, missing="routers under load")
    if not row["machine"].startswith("wh_") or kind not in HOP_NS:
        return Row(kind, 0, 1.0, missing=f"a machine file of {row['machine']}")
    size = row["packet_bytes"]
    words = ["probe", "--topology", "wormhole_box.yaml", "--case", "pe-ipcq-other-sip", "--bytes", size,
             "--set", "system.sips.count=2", "--set", "system.sips.w=2", "--set", "ccl.defaults.slot_size=8192",
             "--set", f"system.sips.link.latency_ns={HOP_NS[kind]}"]
    return Row(f"{kind} round trip", int(size), float(row["latency_avg_ns"]), words)


def not_yet(what):
    return lambda row: Row(row.get("collective") or row.get("kind") or row.get("config") or "rows", 0, 1.0,
                           missing=what)


# By the beginning of a file's name: how a row is simulated. A row with a reason is listed, and counted.
TABLES = {
    "noc_path": path_rows,
    "noc_rows": not_yet("multicast"),
    "noc_": noc_rows,
    "ccl_": collective_rows,
    "fabric_hops": hop_rows,
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
    if row.words[0] == "probe":
        simulate_round_trip(kbsim, row)
        return
    words = [kbsim, *row.words, "--race", "off", "--timing-only", "--quiet", "--json"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(row.words)}: exit code {ran.returncode}\n{ran.stderr}")
    result = json.loads(ran.stdout)["result"]
    row.machine, row.simulated = result["median_ns"], result["with_software_ns"]


def simulate_round_trip(kbsim, row):
    ran = subprocess.run([kbsim, *row.words, "--json"], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(row.words)}: exit code {ran.returncode}\n{ran.stderr}")
    case, = json.loads(ran.stdout)["cases"]
    row.machine = row.simulated = 2 * case["total_ns"]


def sizes_of(rows):
    """The sizes to simulate: powers of two that cover those of the rows."""
    least = min(row.size for row in rows)
    most = min(max(row.size for row in rows), MOST_BYTES)
    return max(least, 64), max(most, least)


def time_at(times, size):
    """The simulated time, or its continuation beyond the largest size."""
    if size in times:
        return times[size]
    last, before = sorted(times, reverse=True)[:2]
    return times[last] + (size - last) * (times[last] - times[before]) / (last - before)


def simulate_collectives(kbsim, rows):
    """All rows of one command, by one run over their sizes."""
    least, most = sizes_of(rows)
    words = [*rows[0].words, "-b", str(least), "-e", str(most), "-f", "2", "--race", "off", "--quiet", "--json"]
    ran = subprocess.run([kbsim, *words], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: exit code {ran.returncode}\n{ran.stderr}")
    times = {row["size"]: row["time"] for row in json.loads(ran.stdout)["rows"]}
    for row in rows:
        row.machine = time_at(times, row.size)
        row.simulated = row.machine + row.software


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
        of = {}
        for row in table.simulated():
            of.setdefault(row.kind.split(" of ")[0], []).append(row)
        lines += [line_of(table.name, kind, rows) for kind, rows in sorted(of.items())]
        lines += [f"silicon {table.name} not_simulated rows {count} needs {what}"
                  for what, count in sorted(table.missing().items())]
    return lines + [line_of(name, kind, rows) for name, kind, rows in sums_of(tables)]


def sums_of(tables):
    """Rows that belong together: name, kind and rows."""
    found = []
    for name, kind, begin in (("noc", "unicast", "noc_"), ("fabric", "round trips", "fabric_hops"),
                              ("ccl", "lines", "ccl_")):
        rows = [row for table in tables if table.name.startswith(begin) for row in table.simulated()]
        if rows:
            found.append((name, kind, rows))
    return found


def by_size(rows):
    """Mean errors of small, middle and large rows."""
    small, middle = SIZES[rows[0].software is not None]
    classes = [[], [], []]
    for row in rows:
        classes[0 if row.size <= small else 1 if row.size <= middle else 2].append(row.error(row.simulated))
    return [f"{mean(errors):.1f} %" if errors else "–" for errors in classes]


# Limits of small and middle rows: of transfers, and of collectives.
SIZES = {False: (512, 4096), True: (64 << 10, 4 << 20)}


def classes_of(table):
    return (("to 64 KiB", "to 4 MiB", "above") if table.simulated()[0].software is not None
            else ("to 512 B", "to 4 KiB", "above"))


def section(table):
    text = [f"## {table.name}", ""]
    note = next((note for begin, note in NOTES.items() if table.name.startswith(begin)), None)
    if note is not None and table.simulated():
        text += [note, ""]
    if table.simulated():
        text += [f"| kind | rows | mean error | worst | {' | '.join(classes_of(table))} | without software |",
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


# By the beginning of a file's name: the reason of the largest errors.
NOTES = {
    "ccl_": """\
One core a chip runs a collective here. It keeps several packets on their way, and relays packets through its
scratchpad. The library's cores handle one packet after the other, and up to four of them share a link; its routers
forward an all-gather without a core. So on two chips large transfers are too fast here, and an all-gather over four
chips is too slow. Sizes above 8 MiB continue at the rate between the two largest simulated sizes. The software of a
call and of each hop is fitted to sizes of at most 64 KiB (`SOFTWARE_US` in
[silicon.py](../test/validation/silicon.py)); an all-reduce has the sum of that of its two parts.""",
    "fabric_hops": """\
A hop's latency is that of the link, as the maker states it for each fabric. His routers store a packet before they
send it on; here its head goes on at once, so packets of 4 KiB are too fast. An atomic increment that goes with a
packet takes no time here, and a ring doesn't acknowledge twice.""",
    "noc_path": """\
Reads of at most 512 B cost 25 cycles each in this table, and 19 in the other one, for the same experiment.""",
    "noc_wormhole": """\
Writes of at most 64 B to DRAM are read, changed and written by its controller, which isn't modelled.""",
}

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
    text += ["## In all", "", "| rows of | rows | mean error | worst | without software |", "|---|---|---|---|---|"]
    for name, kind, rows in sums_of(tables):
        errors = [row.error(row.simulated) for row in rows]
        bare = [row.error(row.machine) for row in rows]
        text.append(f"| {name}, {kind} | {len(rows)} | {mean(errors):.1f} % | {worst(errors):+.1f} % | "
                    f"{mean(bare):.1f} % |")
    return "\n".join(text).rstrip() + "\n"


def run(kbsim, folder, jobs):
    tables = tables_in(folder)
    rows = [row for table in tables for row in table.simulated()]
    collectives = {}
    for row in rows:
        if row.software is not None:
            collectives.setdefault(tuple(row.words), []).append(row)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        alike = pool.map(lambda of: simulate_collectives(kbsim, of), collectives.values())
        list(pool.map(lambda row: simulate(kbsim, row), [row for row in rows if row.software is None]))
        list(alike)
    return tables
