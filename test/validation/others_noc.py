"""Recorded NOC traces of others: kbsim fit on one half, judged on the other, by trace and by barrier."""
import csv
import pathlib
import tempfile

import others_figures
from others_tables import percent, shown, table

# As kbsim fit calls its columns, and as the page does.
COLUMNS = {"uncalibrated open": "uncalibrated, open", "uncalibrated closed": "uncalibrated, closed",
           "calibrated open": "calibrated, open", "calibrated closed": "calibrated, closed"}
COMMAND = ["fit", "--topology", "wormhole.yaml", "--trace", "noc-traces"]
ALLOWED = 0.10  # the judged half's mean, calibrated
WORST = 8       # barriers that are named

TEXT = """\
The error of a barrier is |predicted − measured end| over the measured time from its first outstanding read to its
end; a barrier without reads before it isn't judged. A trace is of the fitted half if the 64-bit FNV-1a hash of its
base name is even. Only the fitted half enters the fit. Open loop: reads are issued when they were recorded; closed
loop: as long after the simulated end of the barrier before as was recorded.

**The judged half isn't untouched.** No constant's value was computed from it, but it was looked at several times
while the model was chosen: the number of constants, the cost, the search and a default latency were settled by
people who had seen its errors ([ADR 0071](../adr/0071-four-constants-are-fitted.md) says when and what followed). A
clean check are traces that weren't there.
"""


def half_rows(result):
    rows = []
    for half in ("fitted", "judged"):
        for key, label in COLUMNS.items():
            own = result[key][half]
            rows.append([half, label, own["traces"], own["barriers"],
                         *(percent(own[what]) for what in ("mean", "median", "p95", "worst", "mean_of_traces"))])
    return table(["half", "run", "traces", "barriers", "mean", "median", "p95", "worst", "mean of the traces"],
                        rows)


def fit_line(result):
    before, after = (result[key]["judged"]["mean"] for key in ("uncalibrated open", "calibrated open"))
    verdict = "doesn't help the judged half" if after >= before else "helps the judged half"
    return (f"The fit {verdict}: its mean is {percent(before)} before and {percent(after)} after it, in open loop. "
            f"Allowed is a mean error of the judged half of {percent(ALLOWED, 0)}, calibrated, in each loop.")


def trace_rows(result):
    named = {key: {row["trace"]: row for row in result[key]["traces"]} for key in COLUMNS}
    rows = []
    for trace, own in sorted(named["calibrated open"].items(), key=lambda item: (item[1]["half"], item[0])):
        if own["barriers"] == 0:
            rows.append([f"`{trace}`", own["half"], 0, *["–"] * 7])
            continue
        rows.append([f"`{trace}`", own["half"], own["barriers"],
                     *(percent(named[key][trace]["mean"]) for key in list(COLUMNS)[:2]),
                     *(percent(own[what]) for what in ("mean", "median", "p95", "worst")),
                     percent(named["calibrated closed"][trace]["mean"])])
    return table(["trace", "half", "barriers", "uncalibrated, open: mean", "closed: mean",
                         "calibrated, open: mean", "median", "p95", "worst", "closed: mean"], rows)


def barriers_in(folder):
    with open(pathlib.Path(folder) / "barriers.csv", newline="", encoding="utf-8") as rows:
        return list(csv.DictReader(rows))


def worst_rows(barriers):
    calibrated = sorted((b for b in barriers if b["run"] == "calibrated open"), key=lambda b: -float(b["error"]))
    return table(
        ["barrier", "half", "node", "first read at cycle", "transfers", "measured", "predicted", "error"],
        [[f"`{b['trace']}`", b["half"], b["node"], b["first_cycle"], b["transfers"], f"{b['measured_cycles']} cycles",
          f"{float(b['predicted_cycles']):.0f} cycles", percent(float(b["error"]), 0)]
         for b in calibrated[:WORST]])


def constants(document):
    return table(["constant", "default", "fitted"],
                        [[f"`{key}`", f"{value['default']:g}", f"{value['fitted']:g}"]
                         for key, value in document["constants"].items()])


def other_chips(runner):
    """Traces of four chips that ran an all-gather together: the fit hasn't seen them."""
    files = [f for f in runner.files("noc-traces/t3k-line-4", ".json") if "dev" in f]
    document = runner.document("traffic", "--topology", "wormhole.yaml", "--trace", *files, "--quiet")
    open_loop, closed = (document["result"][key]["traces"] for key in ("open loop", "closed loop"))
    rows = [[f"`{row['trace']}`", row["barriers"],
             *(percent(own["mean"]) if row["barriers"] else "–" for own in (row, other))]
            for row, other in zip(open_loop, closed)]
    return ["Traces of one chip each of an all-gather over four, by `kbsim traffic --trace` with the constants of "
            "`wormhole.yaml` (events of links between chips are left out; neither half has them):", "",
            *table(["trace", "barriers", "open loop: mean", "closed loop: mean"], rows)]


def section(runner, images):
    with tempfile.TemporaryDirectory() as folder:
        document = runner.document(*COMMAND, "--quiet", "--out", folder)
        barriers = barriers_in(folder)
    result = document["result"]
    for key in ("calibrated open", "calibrated closed"):
        runner.expect(result[key]["judged"]["mean"] < ALLOWED, f"NOC traces, {key}: the judged half's mean is "
                      f"{percent(result[key]['judged']['mean'])}, allowed {percent(ALLOWED)}")
    others_figures.draw(barriers, images)
    return ["### Recorded NOC traces", f"`{shown(COMMAND)}`, which tries {document['tried']} sets of values:", "",
            *constants(document), TEXT, *half_rows(result),
            fit_line(result), "",
            "![Predicted against measured barriers, calibrated, open loop](../images/validation_noc_barriers.svg)", "",
            "Barriers within 1 % of each other on both axes are one point.", "",
            "![Share of barriers by their error](../images/validation_noc_errors.svg)", "",
            "By trace:", "", *trace_rows(result),
            f"The {WORST} worst barriers, calibrated, open loop; `--out DIR` of the command writes the row of each "
            "barrier to `barriers.csv`:", "", *worst_rows(barriers), *other_chips(runner)]
