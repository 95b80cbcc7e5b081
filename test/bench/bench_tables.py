"""Tables of bench.py's figures, and the differences of two of them."""
import json
import pathlib
import re
import statistics

import bench_cases

COLUMNS = ["case", "ns", "spread", "events/s", "events", "instructions", "allocations", "seconds", "peak"]
UNITS = {"engine": "each item", "mesh": "each hop", "machine": "each event (operation, run)"}


def read(folder):
    path = pathlib.Path(folder) / "figures.json"
    try:
        figures = json.loads(path.read_text())
        cases = [figures["cases"][name] for name in figures["cases"]]
        if not all(case["samples"] and case["items"] >= 0 for case in cases) or not (figures["commit"] and figures["machine"]):
            raise ValueError
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise SystemExit(f"{path} isn't what scripts/bench.sh writes, or isn't whole") from error
    return figures


def each(figures):
    """Nanoseconds an item, ascending."""
    return sorted(seconds / max(figures["items"], 1) * 1e9 for seconds in figures["samples"])


def spread(samples):
    """Half of the distance between the quartiles, relative to the median: the effect of chance on a median."""
    if len(samples) < 3:
        return 0.0
    low, _, high = statistics.quantiles(samples, n=4, method="inclusive")
    return (high - low) / 2 / statistics.median(samples)


def number(value):
    """Three digits."""
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def row(name, figures):
    samples = each(figures)
    events, seconds = figures.get("events", 0), statistics.median(figures["samples"])
    return [name, number(statistics.median(samples)), f"± {100 * spread(samples):.1f} %",
            f"{events / seconds / 1e6:.2f} M" if events > 1 else "",
            number(events / figures["items"]) if events > 1 else "",
            number(figures["instructions_each"]) if "instructions_each" in figures else "",
            f"{figures['allocations_each']:.4f}" if "allocations_each" in figures else "",
            f"{seconds:.3f}", f"{figures['peak'] / 2 ** 20:.0f} MiB"]


def rows(cases, section):
    return [row(name, figures) for name, figures in cases.items() if figures["section"] == section]


def aligned(table):
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in table) + "\n"


def markdown(table):
    head, *body = table
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def ratios(cases):
    """Ours to others, of the medians."""
    table = [["workload", "against", "ratio", "times as fast", "goal"]]
    for workload, other, goal in bench_cases.GOALS:
        ours, theirs = cases.get(f"{workload} lib/sim"), cases.get(f"{workload} {other}")
        if ours and theirs:
            ratio = statistics.median(each(ours)) / statistics.median(each(theirs))
            wanted = f"≤ {goal:.2f}" if other == "4-ary heap" else f"≥ {1 / goal:.1f} times"
            table.append([workload, other, f"{ratio:.2f}", f"{1 / ratio:.1f}", wanted])
    return table


def links(side):
    return 4 * side * (side - 1) + 2 * side * side


def memory(cases):
    """Bytes of a process, a PE and a link: the difference between runs of two sizes."""
    table = [["of", "bytes", "from"]]
    for name in (name for name in cases if name.startswith("W1-")):
        table.append([f"a process of {name}", number(cases[name]["bytes"] / cases[name]["parts"]), "heap before the run"])
    pes = 128  # a package
    for what in ("start-up", "hierarchical all-reduce"):
        small, large = cases.get(f"{what}, 2 packages"), cases.get(f"{what}, 64 packages")
        if small and large:
            table.append([f"a PE, {what}", number((large["peak"] - small["peak"]) / (62 * pes)), "peaks of 64 and 2 packages"])
    small, large = cases.get("traffic at 0.5 on 8 x 8"), cases.get("traffic at 0.5 on 32 x 32")
    if small and large:
        table.append(["a link with its share of routers, packets and statistics",
                      number((large["peak"] - small["peak"]) / (links(32) - links(8))), "peaks of 32 x 32 and 8 x 8"])
    return table


def series_of(cases, chart):
    """Points of x and median seconds, by series."""
    series = {}
    for figures in cases.values():
        if figures.get("chart") == chart.name:
            series.setdefault(figures["series"], []).append((figures["x"], statistics.median(figures["samples"])))
    return series


def peaks_of(cases, chart):
    return {(figures["series"], figures["x"]): figures["peak"] / 2 ** 20
            for figures in cases.values() if figures.get("chart") == chart.name}


def growth(cases, chart):
    """A line for each x: seconds and peak memory of each series."""
    series, peaks = series_of(cases, chart), peaks_of(cases, chart)
    table = [[chart.x, *(f"{name}: {what}" for name in series for what in ("s", "MiB"))]]
    for x in sorted({x for points in series.values() for x, _ in points}):
        line = [f"{x:g}"]
        for name, points in series.items():
            seconds = dict(points).get(x)
            line += ["", ""] if seconds is None else [number(seconds), number(peaks[name, x])]
        table.append(line)
    return table


def parts(cases):
    """Title and table of each part."""
    for section, unit in UNITS.items():
        body = rows(cases, section)
        if body:
            head = COLUMNS.copy()
            head[0] = f"{section}, of {unit}"
            yield [head, *body]
    for table in (ratios(cases), memory(cases)):
        if len(table) > 1:
            yield table


def growths(cases):
    """The charts with measured points, and their tables."""
    for chart in bench_cases.CHARTS:
        table = growth(cases, chart)
        if len(table) > 1:
            yield chart, table


def text(cases):
    return "\n".join(aligned(table) for table in (*parts(cases), *(table for _, table in growths(cases))))


def comparison(folder_a, folder_b):
    """Medians of B over those of A; within the noise of both if they lie closer than their spreads."""
    a, b = read(folder_a), read(folder_b)
    if not any(name in b["cases"] for name in a["cases"]):
        raise SystemExit(f"{folder_a} and {folder_b} have no case in common")
    table = [["case", "A ns", "B ns", "B / A", "noise", ""]]
    for name in (name for name in a["cases"] if name in b["cases"]):
        before, after = each(a["cases"][name]), each(b["cases"][name])
        ratio = statistics.median(after) / statistics.median(before)
        noise = spread(before) + spread(after)
        verdict = "" if abs(ratio - 1) > noise else "within noise"
        if min(len(before), len(after)) < 3:
            verdict = "too few repeats"
        table.append([name, number(statistics.median(before)), number(statistics.median(after)), f"{ratio:.3f}",
                      f"± {100 * noise:.1f} %", verdict])
    for what in ("instructions_each", "allocations_each"):
        for name in (name for name in a["cases"] if name in b["cases"]):
            before, after = a["cases"][name].get(what), b["cases"][name].get(what)
            if before and after:
                table.append([f"{name}: {what.split('_')[0]}", number(before), number(after), f"{after / before:.3f}", "", ""])
    return f"A: {a['commit']}, {a['machine']}\nB: {b['commit']}, {b['machine']}\n\n" + aligned(table)


def marks_of(mark):
    return re.compile(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", re.DOTALL)


def require_mark(page, mark):
    try:
        if marks_of(mark).search(page.read_text()):
            return
    except (OSError, ValueError) as error:
        raise SystemExit(f"--write {page}: {getattr(error, 'strerror', error)}") from error
    raise SystemExit(f"--write {page}: it has no <!-- {mark} --> and <!-- /{mark} -->")


def put(page, mark, text):
    page.write_text(marks_of(mark).sub(lambda found: found[1] + text + found[2], page.read_text()))


def in_turn(repeats):
    return "one run each" if repeats == 1 else f"medians of {repeats} runs in turn"


def write_page(page, figures):
    """Puts the tables with measured figures between the page's marks."""
    cases = figures["cases"]
    said = f"{figures['machine']}; {{}}; {figures['commit']}.\n\n"
    tables = "\n".join(markdown(table) for table in parts(cases))
    if tables:
        put(page, "bench", said.format(in_turn(figures["repeats"])) + tables)
    charts = "\n".join(f"![{chart.title}](../images/performance_{chart.name}.svg)\n\n{markdown(table)}"
                       for chart, table in growths(cases))
    if charts:
        put(page, "growth", said.format(in_turn(min(figures["repeats"], bench_cases.GROWTH_REPEATS))) + charts)
