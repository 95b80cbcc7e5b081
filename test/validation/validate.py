"""Runs the cases of cases.txt, holds each against its reference, and writes docs/reference/validation.md.

Exit code 1 if a row is out of its tolerance. With --check nothing is run: the page is held against the cases.
"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import re
import subprocess
import sys

import cases as cases_of
import figures
import formulas
import others
import page
import silicon

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KNOWN = {name: getattr(formulas, name) for name in dir(formulas) if not name.startswith("_")}
KNOWN.update({name: getattr(math, name) for name in ("sqrt", "exp", "log", "ceil", "floor")})
KNOWN.update(min=min, max=max, sum=sum, range=range)


def value_at(document, path):
    """a.b[2].c of a JSON document; [key=word,key=word] is the element of a list that has them."""
    here = document
    for word in re.findall(r"[^.\[\]]+|\[[^\]]*\]", path):
        if not word.startswith("["):
            here = here[word]
        elif "=" in word:
            wanted = dict(pair.split("=", 1) for pair in word[1:-1].split(","))
            here = next(item for item in here if all(str(item[key]) == text for key, text in wanted.items()))
        else:
            here = here[int(word[1:-1])]
    return float(here)


def evaluated(place, expression, document=None):
    """An expression; {path} is a figure of the document."""
    try:
        filled = re.sub(r"\{([^}]+)\}", lambda found: repr(value_at(document, found[1])), expression)
        return float(eval(filled, {"__builtins__": {}}, KNOWN))  # pylint: disable=eval-used
    except Exception as error:
        raise SystemExit(f"{place}: {expression}: {error!r}") from error


def output_of(kbsim, case):
    run = subprocess.run([kbsim, *case.arguments(), "--json", *quiet(case)], cwd=HERE, capture_output=True,
                         text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"{case.place}: exit code {run.returncode} of {case.command}\n{run.stderr}")
    return json.loads(run.stdout)


# A probe has nothing to say on stderr.
def quiet(case):
    return [] if case.arguments()[0] == "probe" else ["--quiet"]


def outputs(kbsim, chosen, jobs):
    """The document of each command, run once."""
    first = {}
    for case in chosen:
        first.setdefault(case.command, case)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(first, pool.map(lambda case: output_of(kbsim, case), first.values())))


def judge(sections, kbsim, jobs):
    """Fills in reference and ours of each case; returns the cases out of their tolerance."""
    chosen = [case for section in sections for case in section.cases]
    documents = outputs(kbsim, chosen, jobs)
    wrong = []
    for case in chosen:
        case.expected = evaluated(case.place, case.reference)
        case.measured = evaluated(case.place, case.ours, documents[case.command])
        case.good = case.within(case.expected, case.measured)
        if not case.good:
            wrong.append(case)
        print(f"{'ok  ' if case.good else 'OUT '} {case.section.title}: {case.name}: {case.expected:.6g} and "
              f"{case.measured:.6g} {case.unit}, {page.difference(case)}, allowed {case.tolerance}", flush=True)
    return wrong


def check(sections, written):
    """The cases that the page lacks."""
    text = written.read_text() if written.exists() else ""
    lines = text.splitlines()
    missing = [f"{case.place}: {written.name} has no '{case.name}' as it stands here; run scripts/validate.sh"
               for section in sections for case in section.cases
               if not any(page.is_of(line, case) for line in lines)]
    rows = sum(len(section.cases) for section in sections)
    if page.rows_line(rows) not in text:
        missing.append(f"{written.name} doesn't say that it has {rows} rows")
    if not others.between_marks(text):
        missing.append(f"{written.name} has no section between {others.BEGIN} and {others.END}")
    for line in missing:
        print(line)
    return 1 if missing else 0


def of_inputs(given, old):
    """The section on inputs of others: written anew from a folder of them, else as the page has it."""
    if given.inputs is None:
        return others.between_marks(old), []
    text, wrong = others.section(given.kbsim, given.inputs, given.jobs, ROOT / "docs/images")
    return others.marked(text), wrong


def write_inputs_only(given, written):
    old = written.read_text()
    new, wrong = of_inputs(given, old)
    if wrong:
        return 1
    written.write_text(old.replace(others.between_marks(old), new) if others.between_marks(old)
                       else f"{old.rstrip()}\n\n{new}\n")
    page.update_readme_of_inputs(ROOT / "README.md", new)
    return 0


def write_silicon(given, written):
    tables = silicon.run(given.kbsim, given.silicon, given.jobs)
    print("\n".join(silicon.lines_of(tables)))
    written.write_text(silicon.page(tables))
    return 0


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("section", nargs="*", help="only sections whose title has this word; writes nothing")
    options.add_argument("--kbsim", default=str(ROOT / "build/release/apps/kbsim/kbsim"))
    options.add_argument("--cases", default=str(HERE / "cases.txt"))
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--check", action="store_true")
    options.add_argument("--inputs", help="a folder of inputs of others: their section is written anew")
    options.add_argument("--inputs-only", action="store_true", help="nothing but that section")
    options.add_argument("--silicon", metavar="DIR", help="nothing but docs/silicon.md, from a folder of tables "
                         "that a maker published of his chips")
    given = options.parse_args()
    given.kbsim = str(pathlib.Path(given.kbsim).resolve())  # commands are run in other folders
    if given.inputs_only and given.inputs is None:
        options.error("--inputs-only: which inputs? --inputs DIR")
    if given.silicon is not None:
        return write_silicon(given, ROOT / "docs/silicon.md")
    sections = cases_of.read(given.cases)
    written = ROOT / "docs/reference/validation.md"
    if given.check:
        return check(sections, written)
    if given.inputs_only:
        return write_inputs_only(given, written)
    if given.section:
        sections = [s for s in sections if any(word.lower() in s.title.lower() for word in given.section)]
    wrong = judge(sections, given.kbsim, given.jobs)
    print(f"{sum(len(s.cases) for s in sections)} rows, {len(wrong)} out of their tolerance")
    if wrong or given.section:
        return 1 if wrong else 0
    inputs, wrong = of_inputs(given, written.read_text() if written.exists() else "")
    if wrong:
        return 1
    figures.draw(sections, given.kbsim, HERE, ROOT / "docs/images")
    written.write_text(page.text(sections) + (f"\n{inputs}\n" if inputs else ""))
    page.update_readme(ROOT / "README.md", sections, inputs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
