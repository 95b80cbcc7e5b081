"""Transfers over the NOC of a chip: core to core, to many and from many, and to DRAM."""
import math
import re

from silicon_chips import BLACKHOLE, ONE_CHIP, WORMHOLE, chip_of
from silicon_rows import Row, not_simulated, transfers_of

ISSUE_CYCLES = {"write": "22.5", "read": "19"}  # stated by the maker's figures: issue of one transaction
ONE_CHANNEL = ["--set", "cube.floorplan.hbm.interleave_bytes=0"]
FLIT_HOPS = 2_000_000  # of a simulation flit by flit; more transactions go on at its rate
HOPS = 11  # of a packet on the way, in the mean


class Cores:
    """The cores of a chip, and transfers between them, whose tables count in cycles.

    Where many cores send at once, packets wait for each other in routers with finite queues, flit by flit: 16 virtual
    channels, as the maker states. Their depth isn't stated; 16 flits are the least power of two with which a transfer
    alone has a link's whole rate. A packet has a header of one flit, as the maker states.
    """

    def __init__(self, chip):
        self.chip, self.columns, self.rows = chip, len(chip.columns), len(chip.rows)
        self.corner, self.other = "0", str(3 * self.columns + 3)  # in different rows and columns
        self.in_row, self.in_column = "3", str(3 * self.columns)  # of the corner
        flit, packet = chip.flit, chip.noc_packet
        self.by_flits = [
            "--set", "cube.noc.router.impl=builtin.router_iq", "--set", "cube.noc.router.vcs=16",
            "--set", f"cube.noc.router.flit_bytes={flit}", "--set", "cube.noc.router.buffer_flits=16",
            "--set", f"cube.noc.router.packet_flits={packet // flit + 1}", "--set", f"system.packet_bytes={flit}",
            "--set", f"pe.pe_dma.request_bytes={packet + flit}"]

    def of(self, width, height):
        """The cores of a grid, from the corner on, row by row."""
        return [str(y * self.columns + x) for y in range(height) for x in range(width)]

    def transfer(self, move, source, target, size, *more):
        return ["--bench", "transfers", "--topology", self.chip.file, *ONE_CHIP, "--move", move,
                "--from", source, "--to", target, "--bytes", str(size),
                "--set", f"pe.pe_cpu.dispatch_cycles={ISSUE_CYCLES[move]}", *more]

    def set_cycles(self, row, machine_ns, simulated_ns):
        row.machine, row.simulated = machine_ns * self.chip.ghz, simulated_ns * self.chip.ghz

    def simulate(self, kbsim, rows):
        times = transfers_of(kbsim, rows[0].words)
        for row in rows:
            self.set_cycles(row, *times)

    def simulate_row_and_column(self, kbsim, rows):
        """The mean of a target in the corner's row and one in its column."""
        of_row = transfers_of(kbsim, rows[0].words)
        at = rows[0].words.index("--to") + 1
        of_column = transfers_of(kbsim, [*rows[0].words[:at], self.in_column, *rows[0].words[at + 1:]])
        for row in rows:
            self.set_cycles(row, *((a + b) / 2 for a, b in zip(of_row, of_column)))

    def simulate_many(self, kbsim, rows):
        """Rows of many transactions go on at the rate of those that are simulated."""
        machine, with_software = transfers_of(kbsim, rows[0].words)
        for row in rows:
            self.set_cycles(row, machine * row.times, machine * row.times + with_software - machine)


CORES = {chip: Cores(chip) for chip in (WORMHOLE, BLACKHOLE)}


def cores_of(row):
    return CORES.get(chip_of(row["arch"]))


def made(cores, row, kind, words):
    return Row(kind, int(row["transaction_bytes"]), float(row["latency_cycles"]),
               [*words, "--transactions", str(int(row["transactions"]))], simulate=cores.simulate)


def ends_of(cores, row, word):
    """The cores that `one`, `all`, `row` or `column` of a pattern's name means, or None."""
    if word == "one":
        return [cores.corner]
    if word == "all":
        width, height = (int(side) for side in row["grid"].split("x"))
        if min(width, height) < 1:
            raise ValueError(f"a grid of {row['grid']}")
    else:
        width, height = (cores.columns, 1) if word == "row" else (1, cores.rows)
    return cores.of(width, height) if width <= cores.columns and height <= cores.rows else None


def many_rows(cores, row, move, sources, targets):
    """Many cores, or many targets: each core takes the targets in the same order."""
    itself = row["loopback"] == "yes" and len(targets) > 1
    if len(targets) == 1 and len(sources) > 1:
        sources = [core for core in sources if core != targets[0]]
    receivers = len(targets) - (0 if itself or len(targets) == 1 else 1)
    kind = f"{row['pattern']} of {row['grid']} cores" if row.get("grid") else row["pattern"]
    size = int(row.get("bytes_per_destination") or int(row["transaction_bytes"]) // receivers)
    ends = [",".join(sources), ",".join(targets)]
    more = ["--itself", "1"] if itself else []
    if len(sources) == 1:
        return made(cores, row, kind, cores.transfer(move, *ends, size, *more))
    packet, flit = cores.chip.noc_packet, cores.chip.flit
    flits = math.ceil(min(size, packet) / flit) + 2  # with header and acknowledgement
    words = cores.transfer(move, *ends, min(size, packet) + flit, *more, *cores.by_flits)
    packets = int(row["transactions"]) * math.ceil(size / packet)
    simulated = min(packets, max(1, FLIT_HOPS // (len(sources) * receivers * flits * HOPS)))
    many = made(cores, {**row, "transactions": simulated}, kind, words)
    many.simulate, many.times = cores.simulate_many, packets / simulated
    return many


def noc_rows(row):
    """A row of noc_*.csv, by its pattern."""
    pattern, role, cores = row["pattern"], row.get("role", ""), cores_of(row)
    if "multicast" in pattern + row.get("mechanism", ""):
        return not_simulated(pattern, "multicast")
    if cores is None:
        return not_simulated(pattern, f"a machine file of {row['arch']}")
    size = row["transaction_bytes"]
    if pattern == "loopback":
        return made(cores, row, pattern, cores.transfer("write", cores.corner, cores.corner, size))
    if pattern in ("dram_interleaved", "dram_sharded") and row["grid"] == "1x1":
        move = "read" if "read" in role else "write"  # of one channel in both tables, as their rates show
        words = cores.transfer(move, cores.other, cores.corner, size, "--where", "hbm", *ONE_CHANNEL)
        return made(cores, row, role, words)
    words = re.fullmatch("(one|all|row|column)_(to|from)_(one|all|row|column)(_unicast)?", pattern)
    if words is None:
        return not_simulated(pattern, f"an experiment for {pattern}")
    move = "read" if words[2] == "from" else "write"
    sources, targets = ends_of(cores, row, words[1]), ends_of(cores, row, words[3])
    if words[1] == words[3] == "one":
        return made(cores, row, pattern, cores.transfer(move, cores.corner, cores.other, size))
    if sources is None or targets is None:
        return not_simulated(pattern, f"a chip with {row['grid']} cores")
    return many_rows(cores, row, move, sources, targets)


def path_rows(row):
    """Both ends in a row or column, or in neither."""
    cores, move, size = cores_of(row), row["operation"], row["transaction_bytes"]
    if cores is None:
        return not_simulated(move, f"a machine file of {row['arch']}")
    if row["same_row_or_column"] != "yes":
        return made(cores, row, f"{move} in neither", cores.transfer(move, cores.corner, cores.other, size))
    path = made(cores, row, f"{move} in a row or column", cores.transfer(move, cores.corner, cores.in_row, size))
    path.simulate = cores.simulate_row_and_column
    return path


TABLES = {"noc_": noc_rows, "noc_path": path_rows}
SUMS = [("noc", "unicast", "noc_", lambda rows: [row for row in rows if not row.kind.startswith("all_")]),
        ("noc", "many at once", "noc_", lambda rows: [row for row in rows if row.kind.startswith("all_")])]
MANY = """\
Where many cores send at once, the routers have virtual channels with finite queues, flit by flit. Rows of more
transactions than are simulated go on at their rate."""
NOTES = {
    "noc_": MANY,
    "noc_path": """\
Reads of at most 512 B cost 25 cycles each in this table, and 19 in the other one, for the same experiment.""",
    "noc_wormhole": """\
Writes of at most 64 B to DRAM are read, changed and written by its controller, which isn't modelled.""",
}
