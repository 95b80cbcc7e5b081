"""Collectives of chips, one size after the other."""
from silicon_rows import Row, document_of, not_simulated

# Collectives on lines of chips: one core a chip, which is the library's worker, and slots of a fabric packet.
MOST_BYTES = 8 << 20  # of a simulated collective; larger ones go on at the rate between the two largest
CCL = ["--topology", "wormhole_box.yaml", "--bench", "ccl", "--check", "0", "--set", "cube.floorplan.pe.grid.x=[1]",
       "--set", "cube.floorplan.pe.grid.y=[1]", "--set", "ccl.defaults.slot_size=6144"]
ALGORITHMS = {"all_gather": "line_all_gather", "reduce_scatter": "line_reduce_scatter",
              "all_reduce": "line_allreduce", "all_to_all": "line_all_to_all"}
# The library's software in us: of a call, and of each hop from end to end. Fitted to fit/ccl_wormhole.csv, sizes to
# 64 KiB. An all-reduce is a reduce-scatter and an all-gather: the sums of theirs.
SOFTWARE_US = {"all_gather": (4.8, 0.4), "reduce_scatter": (2.8, 2.6), "all_to_all": (0.3, 1.9)}
SOFTWARE_US["all_reduce"] = tuple(map(sum, zip(SOFTWARE_US["all_gather"], SOFTWARE_US["reduce_scatter"])))


def sizes_of(rows):
    """The sizes to simulate: powers of two that cover those of the rows."""
    least = min(row.size for row in rows)
    most = min(max(row.size for row in rows), MOST_BYTES)
    return max(least, 64), max(most, least)


def time_at(times, size):
    """The simulated time, or its continuation beyond the largest size."""
    if size in times:
        return times[size]
    last, before = sorted(times, reverse=True)[:2]
    return times[last] + (size - last) * (times[last] - times[before]) / (last - before)


def simulate_sizes(kbsim, rows):
    """All rows of one command, by one run over their sizes."""
    least, most = sizes_of(rows)
    document = document_of(kbsim, rows[0].words, "-b", str(least), "-e", str(most), "-f", "2", "--race", "off",
                           "--quiet")
    times = {row["size"]: row["time"] for row in document["rows"]}
    for row in rows:
        row.machine = time_at(times, row.size)
        row.simulated = row.machine + row.software


def collective_rows(row):
    """A collective on a line; the command simulates all sizes of its kind and number of chips."""
    kind, chips = row["collective"], int(row["chips"])
    if row["topology"] != "line":
        return not_simulated(kind, f"collectives on a {row['topology']}")
    if not row["machine"].startswith("wh_"):
        return not_simulated(kind, f"a machine file of {row['machine']}")
    if kind not in ALGORITHMS:
        return not_simulated(kind, f"an algorithm for {kind}")
    name = ALGORITHMS[kind]
    words = [*CCL, "--algorithm", name, "--set", f"ccl.algorithms.{name}.n_slots=16",
             "--set", f"system.sips.count={chips}", "--set", f"system.sips.w={chips}"]
    call, hop = SOFTWARE_US[kind]
    made = Row(f"{kind} of {chips} chips", int(row["bytes"]), float(row["time_us"]), words,
               simulate=simulate_sizes, limits=(64 << 10, 4 << 20))
    made.software = call + hop * (chips - 1)
    return made


TABLES = {"ccl_": collective_rows}
SUMS = [("ccl", "lines", "ccl_")]
NOTES = {
    "ccl_": """\
One core a chip runs a collective here. It keeps several packets on their way, and relays packets through its
scratchpad. The library's cores handle one packet after the other, and up to four of them share a link; its routers
forward an all-gather without a core. So on two chips large transfers are too fast here, and an all-gather over four
chips is too slow. Sizes above 8 MiB continue at the rate between the two largest simulated sizes. The software of a
call and of each hop is fitted to sizes of at most 64 KiB (`SOFTWARE_US` in
[silicon_collectives.py](../test/validation/silicon_collectives.py)); an all-reduce has the sum of that of its two
parts.""",
}
