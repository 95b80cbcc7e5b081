"""Figures of barriers: predicted against measured, and the distribution of errors."""
import itertools
import math
import pathlib
import re
import tempfile

import figures

HALVES = {"fitted": ("#0072b2", 7), "judged": ("#d55e00", 5)}
CURVES = {"uncalibrated open": "uncalibrated, open", "uncalibrated closed": "uncalibrated, closed",
          "calibrated open": "calibrated, open", "calibrated closed": "calibrated, closed"}
GRID = 1.01  # barriers as near as this, on both axes, are one point

SCATTER = """set terminal svg size 720, 560 font ",13" background "white" noenhanced
set output "{output}"
set title "Barriers of recorded NOC traces: predicted and measured cycles"
set key top left Left reverse
set grid linecolor "gray85"
set logscale xy
set xrange [{least}:{most}]
set yrange [{least}:{most}]
set xtics add ("500" 500, "2000" 2000, "5000" 5000, "20000" 20000)
set ytics add ("500" 500, "2000" 2000, "5000" 5000, "20000" 20000)
set xlabel "measured (cycles)"
set ylabel "predicted (cycles), calibrated, open loop"
set datafile separator comma
plot x with lines linecolor "gray60" title "equal", 1.1 * x with lines dashtype 2 linecolor "gray60" title "10 % off", \\
  x / 1.1 with lines dashtype 2 linecolor "gray60" notitle, {plots}
"""

SHARES = """set terminal svg size 860, 480 font ",13" background "white" noenhanced
set output "{output}"
set title "Judged half: share of barriers whose error is at most so large"
set key bottom right
set grid linecolor "gray85"
set xlabel "error of a barrier (%)"
set ylabel "share of barriers (%)"
set xrange [0:60]
set yrange [0:100]
set datafile separator comma
plot {plots}
"""


def cell(barrier):
    return tuple(round(math.log(max(float(barrier[key]), 1.0), GRID)) for key in ("measured_cycles", "predicted_cycles"))


POINT = re.compile(r"\s*<use xlink:href='#gpPt(\d+)' transform='translate\(([-\d.]+),([-\d.]+)\) scale\(([\d.]+)\)' "
                   r"color='([^']+)'/>")
CIRCLE = "6"  # gnuplot's; the others here are squares


def style_of(line):
    found = POINT.fullmatch(line)
    return (found[1], found[4], found[5]) if found else None


def dots(style, lines):
    kind, scale, colour = style
    moves = "".join("M{},{}h0".format(*POINT.fullmatch(line).group(2, 3)) for line in lines)
    cap, width = ("round", 2.0) if kind == CIRCLE else ("square", 1.6)
    return (f"<path d='{moves}' stroke='{colour}' stroke-width='{width * float(scale):.2f}' stroke-linecap='{cap}' "
            "fill='none'/>")


def compact(svg):
    """Points of one style that follow each other become one path of dots: a tenth of the file."""
    lines = []
    for style, same in itertools.groupby(svg.splitlines(), style_of):
        lines += same if style is None else [dots(style, same)]
    return "\n".join(lines) + "\n"


def scatter(barriers, output, work):
    plots = []
    ends = [float(b[key]) for b in barriers if b["run"] == "calibrated open" for key in ("measured_cycles", "predicted_cycles")]
    for half, (colour, point) in HALVES.items():
        data = work / f"{half}.csv"
        cells = sorted({cell(b) for b in barriers if b["run"] == "calibrated open" and b["half"] == half})
        data.write_text("".join(f"{GRID ** x:.0f},{GRID ** y:.0f}\n" for x, y in cells))
        if cells:
            plots.append(f'"{data}" using 1:2 with points pointtype {point} pointsize 0.45 linecolor "{colour}" '
                         f'title "{half} half"')
    figures.gnuplot(SCATTER.format(output=output, least=f"{0.8 * min(ends):.0f}", most=f"{1.25 * max(ends):.0f}",
                                   plots=", ".join(plots)))
    output.write_text(compact(output.read_text()))


def shares(barriers, output, work):
    """A step a percent."""
    plots = []
    for i, (run, label) in enumerate(CURVES.items(), 1):
        errors = sorted(100 * float(b["error"]) for b in barriers if b["run"] == run and b["half"] == "judged")
        if not errors:
            continue
        data = work / f"share{i}.csv"
        data.write_text("".join(f"{at / 2},{100 * sum(e <= at / 2 for e in errors) / len(errors):.2f}\n"
                                for at in range(121)))
        plots.append(f'"{data}" using 1:2 with lines linewidth 2 dashtype {1 + i % 2 * 2} linecolor {i} '
                     f'title "{label} loop"')
    figures.gnuplot(SHARES.format(output=output, plots=", ".join(plots)))


def draw(barriers, images):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        scatter(barriers, images / "validation_noc_barriers.svg", work)
        shares(barriers, images / "validation_noc_errors.svg", work)
