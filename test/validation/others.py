"""Inputs of others: runs them, and writes their section of docs/reference/validation.md.

The samples are no part of the project: a folder with noc-traces, nccl-tests, chakra, msccl and layers is named, and
the section has the results. No contents of the files are written.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile

import others_noc
from others_tables import percent, shown, table

BEGIN, END = "<!-- inputs of others -->", "<!-- /inputs of others -->"
SLOTS = (1, 2, 4)
FOUR = ["--set", "system.sips.count=4", "--quiet"]


class Runner:
    """Runs the command beside the samples; the page shows the command that was run."""

    def __init__(self, kbsim, inputs, jobs):
        self.kbsim, self.inputs, self.jobs, self.wrong = str(kbsim), pathlib.Path(inputs).resolve(), jobs, []
        if not self.inputs.is_dir():
            raise SystemExit(f"--inputs {inputs}: no such folder")

    def run(self, *words):
        env = {key: value for key, value in os.environ.items() if not key.startswith("KBSIM")}
        return subprocess.run([self.kbsim, *words], cwd=self.inputs, env=env, capture_output=True, text=True,
                              check=False)

    def document(self, *words):
        ran = self.run(*words, "--json")
        if ran.returncode != 0:
            raise SystemExit(f"{shown(words)}: exit code {ran.returncode}\n{ran.stderr}")
        return json.loads(ran.stdout)

    def each(self, function, of):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(function, of))

    def files(self, folder, *endings):
        found = sorted(f for f in (self.inputs / folder).glob("*") if f.suffix in endings)
        if not found:
            raise SystemExit(f"--inputs: no {' or '.join(endings)} in {self.inputs / folder}")
        return [str(f.relative_to(self.inputs)) for f in found]

    def expect(self, good, what):
        if not good:
            self.wrong.append(what)
            print(f"OUT  {what}", flush=True)


def measured_collectives(runner):
    """Two logs of one machine: the all-reduce is fitted, the all-to-all judged."""
    logs = {"ring_allreduce_tcm": "nccl-tests/nccl_allreduce.log", "ring_all_to_all": "nccl-tests/nccl_alltoall.log"}
    lines = ["### Times of collectives: logs of nccl-tests",
             "Both logs are of 8 GPUs behind a switch, ours (1 KiB to 1 MiB) of a ring of 8 packages of the default "
             "machine: another machine, whose absolute times needn't agree. A latency and an efficiency are fitted on "
             "the all-reduce (measured = latency + simulated / efficiency, so above 1 the measured machine has the "
             "more bandwidth) and judged on the all-to-all. Each log is of one algorithm, so none are ranked.", ""]
    with tempfile.TemporaryDirectory() as work:
        words = ["correlate"]
        for algorithm, log in logs.items():
            out = str(pathlib.Path(work) / algorithm)
            runner.document("--bench", "ccl", "--algorithm", algorithm, "-b", "1K", "-e", "1M", "-d", "float", "-c",
                            "0", "--set", "system.sips.count=8", "--no-report", "--quiet", "--out", out)
            words += ["--results", out + "/results.csv", "--reference", f"{algorithm}={log}"]
        document = runner.document(*words, "--fit", "ring_allreduce_tcm")
    rows = []
    for log in logs.values():
        about = runner.document("import", log)
        rows.append([f"`{log}`", about["rows"], about["rows_skipped"], about["rows_without_bytes"]])
    lines += table(["log", "rows", "skipped", "of 0 bytes, left out"], rows)
    return lines + correlation_lines(document)


def correlation_lines(document):
    fit, ranking = document["fit"], document.get("ranking")
    rows = [["points of the same size", fit["fitted"] + fit["judged"]],
            ["fitted on the all-reduce: latency, efficiency", f"{fit['latency_us']:.4g} us, {fit['efficiency']:.4g}"],
            ["mean error after it, all-reduce", f"{fit['fitted_mape_percent']:.1f} %"],
            ["mean error after it, all-to-all, which wasn't fitted", f"{fit['judged_mape_percent']:.1f} %"],
            ["worst of the all-to-all", f"{fit['worst']['error_percent']:+.0f} % at {fit['worst']['size']:.0f} B"]]
    if ranking:
        rows += [["sizes at which the same of the two is faster",
                  f"{ranking['equal_winners']} of {len(ranking['sizes'])}"],
                 ["Kendall's tau of the ranking", f"{ranking['kendall_tau']:.3g}"]]
    return table(["figure", "value"], rows)


def execution_traces(runner):
    """The all-reduce as execution traces, and as the algorithm that it is."""
    traces = runner.document("--bench", "chakra", "--workload", "chakra", "--timing-only", *FOUR)["result"]["time_us"]
    rows = runner.document("--bench", "ccl", "--algorithm", "ring_allreduce_tcm", "-b", "1M", "-e", "1M", "-c", "0",
                           *FOUR)["rows"]
    own = rows[0]["time"]
    runner.expect(abs(traces / own - 1) <= 0.01, f"Chakra: {traces} us and {own} us differ by more than 1 %")
    return ["### Execution traces: Chakra",
            "Four ranks, 1 MiB each, as a `COMM_COLL` node a rank and as `--bench ccl --algorithm "
            "ring_allreduce_tcm`. Allowed is 1 % between the two times.", "",
            *table(["as execution traces", "as an algorithm", "difference"],
                   [[f"{traces:.6g} us", f"{own:.6g} us", percent(traces / own - 1, 3)]])]


def plan_outcome(runner, job):
    """Right values, a deadlock whose report names a step, or any other outcome."""
    file, ranks, slots = job
    ran = runner.run("--bench", "ccl", "--algorithm", file, "-b", "64K", "-e", "64K", "-d", "float", "--set",
                     f"system.sips.count={ranks}", "--set", "system.sips.topology=full", "--set",
                     f"ccl.defaults.n_slots={slots}", "--json", "--quiet")
    if ran.returncode == 0 and json.loads(ran.stdout)["correct"] is True:
        return "right"
    if ran.returncode == 8 and "step" in ran.stderr + ran.stdout:
        return "deadlock, steps named"
    return f"exit code {ran.returncode}"


def plans(runner):
    """Each plan with each number of slots, on packages that are all joined."""
    files = runner.files("msccl", ".xml", ".json")
    about = [json.loads(runner.run("ccl", "import", file, "--json").stdout) for file in files]
    jobs = [(file, plan["ranks"], slots) for file, plan in zip(files, about) for slots in SLOTS]
    outcomes = dict(zip(jobs, runner.each(lambda job: plan_outcome(runner, job), jobs)))
    rows = []
    for file, plan in zip(files, about):
        mine = [outcomes[file, plan["ranks"], slots] for slots in SLOTS]
        rows.append([f"`{file}`", plan["collective"], plan["ranks"], *mine])
        runner.expect(all(o.startswith(("right", "deadlock")) for o in mine), f"{file}: {', '.join(mine)}")
    counts = ", ".join(f"{sum(outcomes[job] == 'right' for job in jobs if job[2] == s)} of {len(files)} with {s}"
                       for s in SLOTS)
    return ["### Collective plans: MSCCL's XML, MSCCL++'s JSON",
            f"64 KiB of f32 on packages that are all joined (`system.sips.topology=full`), every element compared. "
            f"Right values by slots: {counts}.", "",
            *table(["plan", "collective", "ranks", *(f"{s} slot{'s' * (s > 1)}" for s in SLOTS)], rows)]


def closed_form_macs(path):
    """(layer, MACs) of a list, from its text: M N K, or the same of a convolution's im2col."""
    head, *lines = [[cell.strip() for cell in line.split(",")] for line in
                    path.read_text(encoding="utf-8-sig").splitlines() if line.strip(" ,\t")]
    macs = []
    for cells in lines:
        numbers = [int(cell) for cell in cells[1:] if cell]
        if len([cell for cell in head if cell]) == 4:
            macs.append((cells[0], numbers[0] * numbers[1] * numbers[2]))
        else:
            height, width, deep, wide, channels, filters, stride = numbers[:7]
            rows = ((height - deep) // stride + 1) * ((width - wide) // stride + 1)
            macs.append((cells[0], rows * deep * wide * channels * filters))
    return macs


def layer_list(runner, file):
    rows = runner.document("--bench", "gemm", "--layers", file, "--on", "pe", "--timing-only",
                           "--quiet")["rows"]
    expected = closed_form_macs(runner.inputs / file)
    runner.expect([row["layer"] for row in rows] == [name for name, _ in expected], f"{file}: layers are missing")
    equal = sum(row["macs"] == macs == row["macs_simulated"] for row, (_, macs) in zip(rows, expected))
    runner.expect(equal == len(rows), f"{file}: {len(rows) - equal} layers' MACs aren't their closed form")
    traffic = sum(row["hbm_bytes"] == row["hbm_bytes_simulated"] for row in rows)
    runner.expect(traffic == len(rows), f"{file}: {len(rows) - traffic} layers' bytes aren't their closed form")
    most = max(row["utilization"] for row in rows)
    runner.expect(most <= 1, f"{file}: a utilization of {most}")
    bounds = sorted({row["roofline"] for row in rows})
    named = ", ".join(f"{bound} {sum(row['roofline'] == bound for row in rows)}" for bound in bounds)
    return [f"`{file}`", len(rows), f"{sum(macs for _, macs in expected) / 1e9:.4g}", f"{equal} of {len(rows)}",
            f"{traffic} of {len(rows)}", percent(most), named]


def layers(runner):
    found = runner.each(lambda file: layer_list(runner, file), runner.files("layers", ".csv"))
    return ["### Layer lists: SCALE-Sim",
            "`kbsim --bench gemm --layers FILE --on pe --timing-only`. MACs are held against M N K, of a "
            "convolution of its im2col, computed from the file's text; bytes that the memories counted against the "
            "closed form of the tiles.", "",
            *table(["list", "layers", "10⁹ MACs", "MACs as the closed form", "bytes as the closed form",
                    "highest utilization", "roofline"], found)]


INTRODUCTION = ["## Inputs of others",
                "`scripts/validate.sh --inputs DIR` writes this section from a folder of samples that others made "
                "(`noc-traces`, `nccl-tests`, `chakra`, `msccl`, `layers`); without `--inputs` it stays as it is. "
                "The samples are no part of this project; commands are run in their folder.", ""]


def section(kbsim, inputs, jobs, images):
    """The section's text, and the rows out of their tolerance."""
    runner = Runner(kbsim, inputs, jobs)
    lines = list(INTRODUCTION)
    for part in (lambda: others_noc.section(runner, images), lambda: measured_collectives(runner),
                 lambda: execution_traces(runner), lambda: plans(runner), lambda: layers(runner)):
        found = part()
        print(f"ran  {found[0].lstrip('# ')}", flush=True)
        lines += found
    return "\n".join(lines).rstrip() + "\n", runner.wrong


def between_marks(text):
    """The section as a page has it, with its marks; "" if it has none."""
    if BEGIN not in text or END not in text:
        return ""
    return text[text.index(BEGIN):text.index(END) + len(END)]


def marked(text):
    return f"{BEGIN}\n{text}{END}"
