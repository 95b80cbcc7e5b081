"""Transfers over the NOC of a chip: core to core, to many and from many, and to DRAM."""
from silicon_rows import Row, not_simulated, not_yet

BOX = ["--topology", "wormhole_box.yaml", "--set", "system.sips.count=1", "--set", "system.sips.w=1"]
ISSUE_CYCLES = {"write": "22.5", "read": "19"}  # stated by the maker's figures: issue of one transaction
GRID = 8  # cores of a row of the chip


def transfer(move, source, target, row, where="tcm", size=None, more=()):
    return ["--bench", "transfers", *BOX, "--move", move, "--where", where, "--from", source, "--to", target,
            "--transactions", row["transactions"], "--bytes", size or row["transaction_bytes"],
            "--set", f"pe.pe_cpu.dispatch_cycles={ISSUE_CYCLES[move]}", *more]


ONE_CHANNEL = ["--set", "cube.floorplan.hbm.interleave_bytes=0"]
CORNER, OTHER = "0", str(3 * GRID + 3)  # cores in different rows and columns


def grid_of(row):
    """The cores of a grid such as 4x4, from the corner on, row by row."""
    width, height = (int(side) for side in row["grid"].split("x"))
    return [str(y * GRID + x) for y in range(height) for x in range(width)]


def noc_pattern(row):
    """The command of a row of noc_*.csv, or a reason."""
    pattern, role = row["pattern"], row["role"]
    if "multicast" in pattern:
        return None, "multicast"
    if row["arch"] != "wormhole_b0":
        return None, f"a machine file of {row['arch']}"
    if pattern == "one_to_one":
        return transfer("write", CORNER, OTHER, row), None
    if pattern == "one_from_one":
        return transfer("read", CORNER, OTHER, row), None
    if pattern == "loopback":
        return transfer("write", CORNER, CORNER, row), None
    if pattern == "dram_interleaved":  # despite its name of one channel, as its rate shows
        return transfer("read" if "read" in role else "write", OTHER, CORNER, row, "hbm", more=ONE_CHANNEL), None
    if pattern.startswith(("one_to_all", "one_from_all", "all_to_all", "all_from_all")):
        cores = ",".join(grid_of(row))
        move = "read" if "from" in pattern else "write"
        itself = ["--itself", "1"] if row.get("loopback") == "yes" else []
        return transfer(move, cores if pattern.startswith("all_") else CORNER, cores, row,
                        size=row["bytes_per_destination"] or None, more=itself), None
    return None, f"an experiment for {pattern}"


def noc_rows(row):
    words, missing = noc_pattern(row)
    kind = row["role"] if row["pattern"] == "dram_interleaved" else row["pattern"]
    return Row(kind, int(row["transaction_bytes"]), float(row["latency_cycles"]), words, missing)


def path_rows(row):
    """Both ends in a row or column, or in neither."""
    if row["arch"] != "wormhole_b0":
        return not_simulated(row["operation"], f"a machine file of {row['arch']}")
    same = row["same_row_or_column"] == "yes"
    kind = f"{row['operation']} in {'a row or column' if same else 'neither'}"
    target = "3" if same else OTHER
    return Row(kind, int(row["transaction_bytes"]), float(row["latency_cycles"]),
               transfer(row["operation"], CORNER, target, row))


TABLES = {"noc_": noc_rows, "noc_path": path_rows, "noc_rows": not_yet("multicast")}
SUMS = [("noc", "unicast", "noc_")]
NOTES = {
    "noc_path": """\
Reads of at most 512 B cost 25 cycles each in this table, and 19 in the other one, for the same experiment.""",
    "noc_wormhole": """\
Writes of at most 64 B to DRAM are read, changed and written by its controller, which isn't modelled.""",
}
