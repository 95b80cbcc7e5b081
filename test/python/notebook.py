"""Executes a notebook and compares the texts that its cells print and return with those in the file.

notebook.py NOTEBOOK [--write]: with --write, the notebook gets the outputs of this execution. Pictures are not
compared, and what goes to stderr is neither compared nor written.
"""
import copy
import os
import pathlib
import sys
import tempfile

import nbformat
from nbconvert.preprocessors import ExecutePreprocessor

SECONDS = 300  # of a cell


def executed(notebook, folder):
    """A copy with the outputs of an execution in this folder, which gets all files that Jupyter writes."""
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a warning of the debugger
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        os.environ[name] = str(folder)
    fresh = copy.deepcopy(notebook)
    ExecutePreprocessor(timeout=SECONDS, kernel_name="python3", record_timing=False).preprocess(
        fresh, {"metadata": {"path": str(folder)}})
    for cell in code_cells(fresh):
        cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    fresh.metadata = notebook.metadata
    return fresh


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def texts_of(cell):
    """What a cell shows: kind and text of each output; a picture has no text."""
    return [(output.output_type, output.get("text") or output.get("data", {}).get("text/plain", ""))
            for output in cell.outputs]


def difference(stored, fresh):
    for number, (before, after) in enumerate(zip(code_cells(stored), code_cells(fresh)), 1):
        if texts_of(before) != texts_of(after):
            shown = ["\n".join(text for _, text in texts_of(cell)) for cell in (before, after)]
            return f"code cell {number} has\n{shown[0]}\nbut its execution gives\n{shown[1]}"
    return ""


def main(path, writes):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    with tempfile.TemporaryDirectory() as folder:
        fresh = executed(notebook, pathlib.Path(folder))
    if writes:
        nbformat.write(fresh, path)
    elif different := difference(notebook, fresh):
        print(f"{path}: {different}\nIf that is meant: {sys.argv[0]} {path} --write")
        return 1
    print(f"{len(code_cells(notebook))} cells of {path.name} show what it says")
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:] == ["--write"]))
