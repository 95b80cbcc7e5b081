"""Reads cases: the command, the reference, and the tolerance."""
import pathlib
import re
import shlex

FIELDS = ("name", "reference", "unit", "source", "tolerance", "ours", "command")


class Case:
    def __init__(self, place, section, cells):
        self.place, self.section = place, section
        for field, cell in zip(FIELDS, cells):
            setattr(self, field, cell)
        self.relative, self.allowed = parse_tolerance(place, self.tolerance)
        if not self.command.startswith("kbsim "):
            raise SystemExit(f"{place}: expected a command that begins with kbsim, got '{self.command}'")

    def arguments(self):
        return shlex.split(self.command)[1:]

    def within(self, reference, ours):
        difference = abs(ours - reference)
        return difference <= (self.allowed * abs(reference) if self.relative else self.allowed)


class Plot:
    """Curves of load against latency: (label, command), or (label, file) of a reference."""

    def __init__(self, place, section, cells):
        self.place, self.section = place, section
        self.name, self.title = cells[0], cells[1]
        self.curves = [tuple(part.strip() for part in cell.split("=", 1)) for cell in cells[2:]]
        if any(len(curve) != 2 for curve in self.curves):
            raise SystemExit(f"{place}: expected LABEL = COMMAND or LABEL = FILE.csv for each curve")


class Bars:
    """The rows of the section, reference beside ours."""

    def __init__(self, place, section, cells):
        self.place, self.section = place, section
        self.name, self.title = cells[0], cells[1]


class Section:
    def __init__(self, title):
        self.title, self.text, self.cases, self.figures = title, [], [], []


def parse_tolerance(place, text):
    """'exact', '2 %' of the reference, or a number in the unit of the case."""
    if text == "exact":
        return True, 1e-9
    found = re.fullmatch(r"([0-9.]+)\s*(%?)", text)
    if not found:
        raise SystemExit(f"{place}: tolerance '{text}', expected exact, 2 % or a number")
    return (True, float(found[1]) / 100) if found[2] else (False, float(found[1]))


def read(path):
    """Sections with their cases, in the order of the file."""
    sections, names = [], set()
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        place, line = f"{path}:{number}", line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("=="):
            sections.append(Section(line[2:].strip()))
            continue
        if not sections:
            raise SystemExit(f"{place}: expected a section, == TITLE, first")
        section = sections[-1]
        cells = [cell.strip() for cell in line.lstrip(">").split("|")]
        if line.startswith(">"):
            section.text.append(line[1:].strip())
        elif cells[0] == "plot":
            section.figures.append(Plot(place, section, cells[1:]))
        elif cells[0] == "bars":
            section.figures.append(Bars(place, section, cells[1:]))
        elif len(cells) != len(FIELDS):
            raise SystemExit(f"{place}: {len(cells)} cells, expected {len(FIELDS)}: {' | '.join(FIELDS)}")
        else:
            section.cases.append(Case(place, section, cells))
            if (section.title, cells[0]) in names:
                raise SystemExit(f"{place}: two cases called '{cells[0]}' in one section")
            names.add((section.title, cells[0]))
    return sections
