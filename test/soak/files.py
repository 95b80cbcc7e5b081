"""Layer lists and logs with odd headers: an independent writer knows the contents of each file. The command reads the
same, or refuses the file with a place."""
from case import Case

NO_BREAK = "\u00a0"
MARK = "\ufeff"


def padded(random, text):
    """With blanks around it, of Unicode, too."""
    return random.choice(["", "", " ", "  ", NO_BREAK]) + text + random.choice(["", "", " ", NO_BREAK])


def spelled(random, name):
    """A name of several words in another case or with other signs between them."""
    name = name.replace(" ", random.choice([" ", " ", "_", "-", "", NO_BREAK]))
    return random.choice([name, name, name.lower(), name.upper()])


def whole(random, lines, blanks=True):
    """The lines as a file: line ends, a byte order mark, blank lines."""
    end = random.choice(["\n", "\n", "\r\n"])
    for _ in range(random.choice([0, 0, 1]) * blanks):
        lines.insert(random.randint(1, len(lines)), random.choice(["", "  ", NO_BREAK]))
    text = end.join(lines) + ("" if random.random() < 0.2 else end)
    return (MARK if random.random() < 0.3 else "") + text


# Columns that change a layer unless their cell is the first of these, and one unknown column.
CHANGES = [("Groups", "1", "2"), ("Batch", "1", "4"), ("Sparsity", "1:1", "2:4"), ("Repeat", "1", "3"),
           ("Wavelets", "", "5")]


def convolution(random):
    """Cells by name, and M, N and K by the definition of a convolution."""
    cells = {"IFMAP Height": random.randint(3, 9), "IFMAP Width": random.randint(3, 9),
             "Filter Height": random.randint(1, 3), "Filter Width": random.randint(1, 3),
             "Channels": random.randint(1, 4), "Num Filter": random.randint(1, 8), "Strides": random.randint(1, 2)}
    padding, dilation = random.choice([0, 0, 1, 2]), random.choice([1, 1, 2])
    if (cells["Filter Height"] - 1) * dilation >= cells["IFMAP Height"] or \
            (cells["Filter Width"] - 1) * dilation >= cells["IFMAP Width"]:
        dilation = 1
    return cells, padding, dilation


def outputs(size, filter_size, stride, padding, dilation):
    """Positions at which a filter lies within its padded input, one by one."""
    covered = range(-padding, size + padding)
    reach = (filter_size - 1) * dilation
    return sum(1 for at in covered[::stride] if at + reach in covered)


def layer_rows(random):
    """Names of columns, rows of cells, and their layers."""
    if random.random() < 0.4:
        names = ["M", "N", "K"]
        rows = [[random.randint(1, 24) for _ in names] for _ in range(random.randint(1, 3))]
        return names, rows, [tuple(row) for row in rows]
    drawn = [convolution(random) for _ in range(random.randint(1, 3))]
    names = list(drawn[0][0])
    has_padding, has_dilation = random.random() < 0.5, random.random() < 0.4
    rows, layers = [], []
    for cells, padding, dilation in drawn:
        padding, dilation = padding if has_padding else 0, dilation if has_dilation else 1
        h, w, fh, fw, c, f, s = cells.values()
        layers.append((outputs(h, fh, s, padding, dilation) * outputs(w, fw, s, padding, dilation), f, fh * fw * c))
        rows.append(list(cells.values()) + [padding] * has_padding + [dilation] * has_dilation)
    return names + ["Padding"] * has_padding + ["Dilation"] * has_dilation, rows, layers


def layers(random, _):
    names, rows, expected = layer_rows(random)
    order = list(range(len(names)))
    doubled = "IFMAP Width" in names and len(names) == 7 and random.random() < 0.3
    if doubled:  # as several shipped lists have it: read by position
        names[0] = "IFMAP Width"
    elif random.random() < 0.5:
        random.shuffle(order)
    names = [spelled(random, names[i]) for i in order]
    rows = [[row[i] for i in order] for row in rows]
    refused = False
    if not doubled and random.random() < 0.4:
        name, neutral, change = random.choice(CHANGES)
        refused = random.random() < 0.5
        at = random.randint(0, len(names))
        names.insert(at, spelled(random, name))
        changed = random.randrange(len(rows))
        for i, row in enumerate(rows):
            row.insert(at, change if refused and i == changed else neutral)
    separator = random.choice([",", ",", ", ", ";", "\t"])
    quoted = lambda cell: f'"{cell}"' if random.random() < 0.05 else str(cell)
    has_names = doubled or random.random() < 0.8
    # Between tabs a blank cell at the end would be no cell.
    last = separator.strip(" ") if separator != "\t" and random.random() < 0.4 else ""
    if has_names:
        names, rows = ["Layer"] + names, [[f"L{i}"] + row for i, row in enumerate(rows)]
    lines = [separator.join(padded(random, quoted(cell)) if separator != "\t" else str(cell) for cell in row) + last
             for row in [names] + rows]
    answer = None if refused else [[f"L{i}"] * has_names + list(layer) for i, layer in enumerate(expected)]
    return Case(["--bench", "gemm", "--layers", "layers.csv", "--timing-only", "--topology", "topology.yaml"], [],
                files={"layers.csv": whole(random, lines)},
                readings=[([], "layers" if has_names else "extents", answer)])


# Texts that launchers and collectors of logs put before a line; they change from line to line.
LABELS = [lambda random: "", lambda random: f"[1,{random.randint(0, 12)}]<stdout>:",
          lambda random: f"{random.randint(0, 15)}: ",
          lambda random: f"nccl-worker-{random.choice(['a7f9', 'b2cc', 'xk4'])}: ",
          lambda random: f"2024-05-01T12:{random.randint(10, 59)}:{random.randint(10, 59)}.{random.randint(0, 999)}Z ",
          lambda random: f"12:{random.randint(10, 59)}:{random.randint(10, 59)} node{random.randint(1, 9)} | "]
FOREIGN = ["host:3442:3442 [0] NCCL INFO Launch mode Parallel", "# Avg bus bandwidth    : 68.4", "",
           "WARNING: there is a process of 3 ranks"]
GROUPS = {"out": "out-of-place", "in": "in-place"}


def coloured(random, line):
    return f"\x1b[{random.choice(['32', '1;31', '0'])}m{line}\x1b[0m" if random.random() < 0.15 else line


MICROSECONDS = {"us": 1.0, "ms": 1000.0, "ns": 1e-3, "s": 1e6}


def group_cells(random, wrong_column, unit):
    """For one row and group: the cells, the time in microseconds, and whether its values were right."""
    time = round(random.uniform(1, 9000), 2)
    wrong = random.choice(["0", "0", "0", "N/A", "3", "1e+00"])
    if wrong_column == "error":
        wrong = random.choice(["0e+00", "2e-07", "N/A"])
    right = wrong_column == "error" or wrong in ("0", "N/A")
    return [f"{time:.2f}", "1.50", "1.25", wrong], time * MICROSECONDS[unit] if unit != "us" else time, right


class Kept:
    """The contents of a log for one kind of times: the first right time of each size, and lines that aren't read."""

    def __init__(self):
        self.times, self.skipped = {}, []

    def add(self, number, size, time, right):
        if not right or (size > 0 and size in self.times):
            self.skipped.append(number)
        elif size > 0:
            self.times[size] = time


def log(random, _):
    wrong_column = random.choice(["#wrong", "#wrong", "error"])
    left = ["size", "count", "type"] + random.choice([[], ["redop"], ["redop", "root"]])
    kinds = random.choice([["out", "in"], ["out", "in"], ["in", "out"], ["out"], ["in"]])
    named = kinds not in (["out"], ["out", "in"]) or random.random() < 0.7
    label = random.choice(LABELS)
    unit = random.choice(["us", "us", "us", "ms", "ns", "s"])
    stamped, behind = random.random() < 0.2, random.random() < 0.15
    widths = [13, 14, 10, 8, 8][:len(left)]
    group = ["time", "algbw", "busbw", wrong_column]
    head = "#" + "".join(f"{name:>{width}}" for name, width in zip(left, widths))[1:]
    blank = " " * len(head)
    head += "".join("".join(f"{name:>8}" for name in group) for _ in kinds) + "  #iters" * behind + \
        "            timestamp" * stamped
    above = "#" + blank[1:] + "".join(f"{GROUPS[kind]:^32}" for kind in kinds)
    units = "#" + f"{'(B)':>{widths[0]}}"[1:] + f"{'(elements)':>{widths[1]}}" + blank[sum(widths[:2]):] + \
        f"{'(' + unit + ')':>8}{'(GB/s)':>8}{'(GB/s)':>8}{'':>8}" * len(kinds)
    kept = {"out": Kept(), "in": Kept()}
    lines = ["# nThread 1 nGpus 8 minBytes 1 maxBytes 64"] + [above.rstrip()] * named + [head]
    if unit != "us" or random.random() < 0.7:
        lines.append(units)
    size, root = 0, random.choice(["-1", "0", "3"])
    for _ in range(random.randint(1, 6)):
        size = size + random.choice([1, 8, 512, 4096]) if random.random() < 0.9 else size
        cells = [str(size), str(size // 4), "float", "sum", root][:len(left)]
        row = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths))
        empty = random.choice(kinds) if len(kinds) == 2 and not behind and random.random() < 0.15 else None
        cut = empty is None and not stamped and not behind and random.random() < 0.1
        for kind in kinds:
            cells, time, right = group_cells(random, wrong_column, unit)
            row += " " * 32 if kind == empty else "".join(f"{cell:>8}" for cell in cells)
            kept[kind].add(len(lines), size, time, right and kind != empty and not cut)
        row += "      20" * behind
        lines.append(row.rstrip()[:-8].rstrip() if cut else row.rstrip() + "  2025-02-11 10:00:01" * stamped)
        if random.random() < 0.2:
            lines.append(random.choice(FOREIGN))
    files = {"run.log": whole(random, [label(random) + coloured(random, line.rstrip()) for line in lines], blanks=False)}
    readings = []
    for kind, more in (("out", []), ("in", ["--in-place"])):
        found = kept[kind]
        answer = [[[float(size), time] for size, time in sorted(found.times.items())],
                  sorted(number + 1 for number in found.skipped)]
        files[f"{kind}.csv"] = "size,time\n" + "".join(f"{size},1\n" for size in sorted(found.times) or [8])
        readings.append((["--results", f"{kind}.csv"] + more, "times", answer if found.times else None))
    if not named and len(kinds) == 1:
        readings.pop()  # a log that doesn't say it has one kind of times
    return Case(["correlate", "--reference", "run.log"], [], files=files, readings=readings)
