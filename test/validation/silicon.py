"""Chips that exist: runs the experiments of published tables, and writes docs/silicon.md.

A folder of tables in the form of the project's silicon inputs is named; no other file is read, and no contents of
the tables are written. Each file has an experiment for each of its kinds of rows, or a reason why there is none.
"""
import concurrent.futures
import csv
import pathlib
import statistics

import silicon_collectives
import silicon_links
import silicon_noc
import silicon_products
from silicon_rows import Refused

# A table is named by the longest beginning of its file's name. A row with a reason is listed, and counted.
MODULES = [silicon_noc, silicon_links, silicon_collectives, silicon_products]
TABLES = {begin: rows for module in MODULES for begin, rows in module.TABLES.items()}
NOTES = {begin: note for module in MODULES for begin, note in module.NOTES.items()}
SUMS = [of for module in MODULES for of in module.SUMS]


def longest(of, name):
    """The entry with the longest beginning of a name."""
    begins = [begin for begin in of if name.startswith(begin)]
    return of[max(begins, key=len)] if begins else None


def rows_in(file):
    """The rows of a file, each with its line; columns by the names of the first line."""
    try:
        with open(file, newline="", encoding="utf-8-sig") as text:
            reader = csv.DictReader(text, skipinitialspace=True, strict=True)
            if not reader.fieldnames:
                raise SystemExit(f"{file}: empty, expected names of columns and rows")
            if len(set(reader.fieldnames)) < len(reader.fieldnames):
                raise SystemExit(f"{file}:1: a column is there twice")
            for row in reader:
                if None in row or None in row.values():
                    raise SystemExit(f"{file}:{reader.line_num}: expected {len(reader.fieldnames)} columns")
                yield reader.line_num, row
    except (OSError, UnicodeError, csv.Error) as error:
        raise SystemExit(f"{file}: can't be read as a table: {error}") from error


class Table:
    """The rows of one file."""

    def __init__(self, file):
        self.name, self.rows, self.suspect = file.stem, [], 0
        make = longest(TABLES, self.name)
        for line, row in rows_in(file):
            if row.get("suspect"):
                self.suspect += 1
                continue
            try:
                self.rows.append(make(row))
                if not 0 < self.rows[-1].measured < float("inf"):
                    raise ValueError(f"a measured figure of {self.rows[-1].measured}")
            except KeyError as error:
                raise SystemExit(f"{file}:{line}: the table has no column {error}") from error
            except (AttributeError, TypeError, ValueError) as error:
                raise SystemExit(f"{file}:{line}: no row of this table: {error}") from error

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
    files = [file for file in sorted(path.glob("*.csv")) if longest(TABLES, file.stem) is not None]
    if not files:
        raise SystemExit(f"--silicon {folder}: no table, expected noc_*.csv, ccl_*.csv, gemm.csv and the like")
    return [Table(file) for file in files]


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
    for name, kind, begin, *choose in SUMS:
        rows = [row for table in tables if table.name.startswith(begin) for row in table.simulated()]
        rows = choose[0](rows) if choose else rows
        if rows:
            found.append((name, kind, rows))
    return found


def by_size(rows):
    """Mean errors of small, middle and large rows."""
    small, middle = rows[0].limits
    classes = [[], [], []]
    for row in rows:
        classes[0 if row.size <= small else 1 if row.size <= middle else 2].append(row.error(row.simulated))
    return [f"{mean(errors):.1f} %" if errors else "–" for errors in classes]


def size_in_words(size):
    return f"{size} B" if size < 1024 else f"{size >> 10} KiB" if size < 1 << 20 else f"{size >> 20} MiB"


def classes_of(table):
    small, middle = table.simulated()[0].limits
    return f"to {size_in_words(small)}", f"to {size_in_words(middle)}", "above"


def section(table):
    text = [f"## {table.name}", ""]
    note = longest(NOTES, table.name)
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


INTRODUCTION = """\
# How kbsim agrees with chips that exist

After this page you know how near simulated times are to those that a maker published of his chips, with which
machine, and which rows can't be simulated yet. `scripts/validate.sh --silicon DIR` writes it from a folder of
tables, and prints a line a table and kind. The machines are `configs/wormhole_box.yaml` and
`configs/blackhole_box.yaml`, in which each number has its source. Numbers marked *fitted* there were fitted to the
rows named beside them. The second machine has none: what isn't stated of that chip is as on the first.

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
    alike = {}
    for table in tables:
        for row in table.simulated():
            alike.setdefault((row.simulate, tuple(row.words)), []).append(row)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda rows: simulate(kbsim, rows), alike.values()))
    return tables


def simulate(kbsim, rows):
    """Rows whose command is refused are counted, with what the command says."""
    try:
        rows[0].simulate(kbsim, rows)
    except Refused as refused:
        for row in rows:
            row.words, row.missing = None, f"a command that isn't refused: {refused}"
