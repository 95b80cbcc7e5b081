"""The page of all rows, and its summary for the README."""
import re

INTRODUCTION = """\
# How kbsim agrees with theory and with reference tools

After this page you know which figures of kbsim were held against what, how near they are, and how to repeat each
of them. `scripts/validate.sh` writes it: it runs every command below with `--json`, compares, and fails if a row
is out of its tolerance. A row is a line of [cases.txt](../../test/validation/cases.txt); the formulas are in
[formulas.py](../../test/validation/formulas.py). Files that a command names lie in
[test/validation](../../test/validation). Results for files that others made are at the end:
[Inputs of others](#inputs-of-others).
"""


def rows_line(rows):
    return f"{rows} rows, each within its tolerance."


def number(value):
    return f"{value:.6g}"


def difference(case):
    if case.expected == 0:
        return f"{case.measured:+.3g}" if case.measured else "0"
    share = case.measured / case.expected - 1
    return "0" if abs(share) < 1e-9 else f"{100 * share:+.2g} %"


def identity(case):
    """The page's text for a case before it is run."""
    return f"| {case.name} | {case.source}: "


def is_of(line, case):
    return line.startswith(identity(case)) and line.endswith(f"| {case.tolerance} | `{case.command}` |")


def row(case):
    unit = f" {case.unit}" if case.unit != "-" else ""
    return (f"{identity(case)}{number(case.expected)}{unit} | {number(case.measured)}{unit} | "
            f"{difference(case)} | {case.tolerance} | `{case.command}` |")


def shares(cases):
    """The error of each, smallest first."""
    return sorted(abs(c.measured / c.expected - 1) for c in cases if c.expected != 0)


def percent(share):
    return "0" if share < 1e-9 else f"{100 * share:.2g} %"


def summary(sections):
    lines = ["| held against | rows | median difference | largest |", "|---|---|---|---|"]
    for section in sections:
        if section.cases:
            off = shares(section.cases) or [0.0]
            lines.append(f"| {section.title} | {len(section.cases)} | {percent(off[len(off) // 2])} | "
                         f"{percent(off[-1])} |")
    return lines


def text(sections):
    rows = sum(len(section.cases) for section in sections)
    lines = [INTRODUCTION, rows_line(rows), "", *summary(sections), ""]
    for section in sections:
        lines += [f"## {section.title}", *section.text, ""]
        if section.cases:
            lines += ["| case | reference | ours | difference | allowed | command |", "|---|---|---|---|---|---|"]
            lines += [row(case) for case in section.cases]
            lines.append("")
        lines += [f"![{figure.title}](../images/{figure.name}.svg)\n" for figure in section.figures]
    return "\n".join(lines).rstrip() + "\n"


def fill(path, mark, lines):
    """Replaces the lines between the two marks of that name."""
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    old = path.read_text()
    if begin not in old or end not in old:
        raise SystemExit(f"{path}: expected {begin} and {end}")
    filled = "\n".join([begin, *lines, end])
    path.write_text(re.sub(re.escape(begin) + ".*" + re.escape(end), lambda _: filled, old, flags=re.S))


# Lines of the page's section on inputs of others that the README repeats: their names there, and the column.
REPEATED = (("| judged | calibrated, open |", "NOC traces, judged half, calibrated, open loop", 5),
            ("| judged | calibrated, closed |", "NOC traces, judged half, calibrated, closed loop", 5),
            ("| mean error after it, all-reduce |", "All-reduce measured on another machine, fitted", 2),
            ("| mean error after it, all-to-all,", "All-to-all of that machine, by the same fit", 2))


def mean_errors(inputs):
    """The mean errors that the section on inputs of others has, as rows of the summary."""
    return [f"| {name} | | {line.split('|')[column].strip()} mean | |" for line in inputs.splitlines()
            for beginning, name, column in REPEATED if line.startswith(beginning)]


def update_readme(path, sections, inputs):
    fill(path, "validation", summary(sections) + mean_errors(inputs))


def update_readme_of_inputs(path, inputs):
    """Replaces the rows of inputs of others, and leaves all other rows."""
    text = path.read_text()
    for line in mean_errors(inputs):
        name = line[:line.index(" | ") + 3]
        text = re.sub(re.escape(name) + ".*", lambda _: line, text)
    path.write_text(text)
