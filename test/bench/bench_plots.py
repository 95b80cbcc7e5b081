"""Draws by gnuplot how a run's time grows: one picture per chart of bench_cases.py."""
import pathlib
import shutil
import subprocess
import tempfile

import bench_cases
import bench_tables

CURVES = """set terminal svg size 720, 420 font ",13" background "white" noenhanced
set output "{output}"
set title "{title}"
set key outside bottom center horizontal
set grid linecolor "gray85"
set logscale xy
set xtics ({tics})
set xlabel "{x}"
set ylabel "{y}"
set datafile separator comma
plot {plots}
"""

BARS = """set terminal svg size 720, 420 font ",13" background "white" noenhanced
set output "{output}"
set title "{title}"
set key outside bottom center horizontal
set grid ytics linecolor "gray85"
set style data histograms
set style fill solid 0.9 noborder
set yrange [0:*]
set ylabel "{y}"
set xlabel "{x}"
set datafile separator comma
plot {plots}
"""


def script_of(chart, series, output, work):
    plots = []
    for number, (name, points) in enumerate(series.items()):
        data = work / f"{chart.name}-{number}.csv"
        data.write_text("".join(f"{x:g},{y:.4f}\n" for x, y in points))
        columns = "using 2:xtic(1)" if chart.name == "threads" else "using 1:2 with linespoints linewidth 2 pointtype 7"
        plots.append(f'"{data}" {columns} linecolor {number + 1} title "{name}"')
    xs = sorted({x for points in series.values() for x, _ in points})
    return (BARS if chart.name == "threads" else CURVES).format(
        output=output, title=chart.title, x=chart.x, y=chart.y, plots=", ".join(plots),
        tics=", ".join(f'"{x:g}" {x:g}' for x in xs))


def draw(cases, images):
    """Draws each chart that has measured points."""
    with tempfile.TemporaryDirectory() as work:
        for chart in bench_cases.CHARTS:
            series = bench_tables.series_of(cases, chart)
            if not series:
                continue
            if shutil.which("gnuplot") is None:
                raise SystemExit("gnuplot isn't installed: the pictures of docs/explanation/performance.md can't be drawn")
            script = script_of(chart, series, images / f"performance_{chart.name}.svg", pathlib.Path(work))
            subprocess.run(["gnuplot", "-"], input=script, text=True, check=True)
