"""Draws the figures of docs/reference/validation.md with gnuplot: their data lies beside them as long as they are drawn."""
import csv
import pathlib
import shlex
import shutil
import subprocess
import tempfile

import cases as cases_of

CURVES = """set terminal svg size 860, 520 font ",13" background "white" noenhanced
set output "{output}"
set title "{title}"
set key top left
set grid linecolor "gray85"
set datafile separator comma
set xlabel "offered (packets a service time and source)"
set ylabel "mean latency (service times)"
set yrange [0:{top}]
plot {plots}
"""

BARS = """set terminal svg size 860, {height} font ",13" background "white" noenhanced
set output "{output}"
set title "{title}"
set key outside bottom center horizontal
set grid xtics linecolor "gray85"
set lmargin at screen 0.4
set xrange [0:*]
set yrange [{rows} - 0.4:-0.6]
set ytics scale 0
set datafile separator comma
set style fill solid 0.9 noborder
plot "{data}" using 2:0:(0):2:($0 - 0.36):($0 - 0.02):ytic(1) with boxxyerror linecolor "gray60" title "reference", \\
  "" using 3:0:(0):3:($0 + 0.02):($0 + 0.36) with boxxyerror linecolor "#1f77b4" title "kbsim"
"""


def gnuplot(script):
    subprocess.run(["gnuplot", "-"], input=script, text=True, check=True)


def swept(kbsim, folder, command, data):
    """Rows of offered and latency in services, of a command of kbsim traffic with --sweep."""
    subprocess.run([kbsim, *shlex.split(command)[1:], "--quiet", "--out", data.with_suffix(".out")], cwd=folder,
                   check=True, capture_output=True)
    with open(data.with_suffix(".out") / "results.csv", newline="") as rows, open(data, "w") as out:
        for row in csv.DictReader(rows):
            out.write(f"{row['offered']},{float(row['latency_mean_ns']) / float(row['service_ns'])}\n")


def draw_curves(plot, kbsim, folder, output, work):
    plots = []
    for i, (label, what) in enumerate(plot.curves):
        data, style = folder / what, "points pointtype 6 pointsize 1.2"
        if what.startswith("kbsim "):
            data, style = work / f"{plot.name}-{i}.csv", "lines linewidth 2"
            swept(kbsim, folder, what, data)
        plots.append(f'"{data}" using 1:2 with {style} linecolor {i + 1} title "{label}"')
    first = work / f"{plot.name}-0.csv"
    lowest = float(first.read_text().splitlines()[0].split(",")[1]) if first.exists() else 10.0
    gnuplot(CURVES.format(output=output, title=plot.title, top=5 * lowest, plots=", ".join(plots)))


def draw_bars(bars, output, work):
    data = work / f"{bars.name}.csv"
    data.write_text("".join(f'"{case.name}",{case.expected},{case.measured}\n' for case in bars.section.cases))
    rows = len(bars.section.cases)
    gnuplot(BARS.format(output=output, title=bars.title, data=data, rows=rows, height=110 + 32 * rows))


def draw(sections, kbsim, folder, images):
    if shutil.which("gnuplot") is None:
        raise SystemExit("gnuplot isn't installed: the figures of docs/reference/validation.md can't be drawn")
    with tempfile.TemporaryDirectory() as work:
        for figure in (figure for section in sections for figure in section.figures):
            output = images / f"{figure.name}.svg"
            if isinstance(figure, cases_of.Bars):
                draw_bars(figure, output, pathlib.Path(work))
            else:
                draw_curves(figure, kbsim, folder, output, pathlib.Path(work))
