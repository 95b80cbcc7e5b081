"""Collectives of chips: the library's workers on lines and rings, one size after the other."""
from silicon_chips import chip_of
from silicon_rows import Row, document_of, not_simulated

MOST_BYTES = 8 << 20  # of a simulated collective; larger ones go on at the rate between the two largest


ALGORITHMS = {
    ("line", "all_gather"): "line_all_gather",
    ("line", "reduce_scatter"): "line_reduce_scatter",
    ("line", "all_to_all"): "line_all_to_all",
    ("ring", "all_gather"): "two_way_ring_all_gather",
    ("ring", "reduce_scatter"): "two_way_ring_reduce_scatter",
    ("ring", "all_to_all"): "two_way_ring_all_to_all",
}
ONE_SHOT_BYTES = 512 << 10  # stated: on a ring a reduce-scatter of up to so many bytes a chip is a direct exchange
SEVERAL_BYTES = 256 << 10  # read off the tables: up to so many, one worker serves a link and direction, then two
RING_BYTES = 512 << 10  # the maker's program: beyond it four cores serve an all-gather on a ring
PACKET_CYCLES = 370  # fitted to all_gather and all_to_all on two chips, from 8 MiB: a worker's own work for a packet
TCM_BYTES = 256  # stated: 16 banks of 16 B a cycle


def both_networks(chip):
    """Settings of links to the ports as wide as the chip's two networks together: the IO chiplet has one."""
    keys = ("sip.io.link.bw_gbs", "sip.ucie_link.bw_gbs")
    return [word for key in keys for word in ("--set", f"{key}={2 * chip.flit * chip.ghz:g}")]


def cores_of(chip, count):
    """Settings of a chip with so many cores, in one row or two."""
    rows = chip.rows[:1] if count <= len(chip.columns) else chip.rows[:2]
    return chip.grid(chip.columns[:count // len(rows)], rows)


def workers_of(kind, chips, topology, size):
    """Cores of a chip that work on each link and direction."""
    if kind == "all_gather" and topology == "line":
        return 1  # routers forward: a core sends its own part alone
    if kind == "all_to_all" and chips == 2:
        return 1
    if kind == "all_gather" and size > RING_BYTES:
        return 4
    return 1 if size <= SEVERAL_BYTES else 2


def slots_of(kind, chips):
    """Slots of a queue: at least those of two rounds of relays on the busiest link."""
    relays = {"all_gather": chips - 1, "all_to_all": chips // 2 * ((chips + 1) // 2)}.get(kind, 0)
    return max(24, 2 * relays + 2)


def words_of(kind, row, size):
    """The command of a collective, the library's work that it may have, and the cores, each with a share."""
    chips, topology, links = int(row["chips"]), row["topology"], int(row["links_per_direction"])
    chip = chip_of(row["machine"])
    one_shot = kind == "reduce_scatter" and topology == "ring" and size <= ONE_SHOT_BYTES
    name = "one_shot_reduce_scatter" if one_shot else ALGORITHMS[topology, kind]
    cores = 2 * links * (1 if one_shot else workers_of(kind, chips, topology, size))
    words = ["--topology", chip.file, "--bench", "ccl", "--check", "0", "--algorithm", name,
             *cores_of(chip, cores),
             "--set", f"pe.pe_tcm.read_bw_gbs={TCM_BYTES * chip.ghz:g}", *both_networks(chip),
             "--set", f"system.sips.count={chips}", "--set", f"system.sips.w={chips}",
             "--set", f"system.sips.link.bw_gbs={row['line_rate_gbs']}"]
    if links > 1:
        words += ["--set", f"system.sips.link.channels={links}"]
    if topology == "ring":  # a torus of one row
        words += ["--set", "system.sips.topology=torus_2d"]
    own = {"slot_size": chip.fabric_packet, "n_slots": 8 if one_shot else slots_of(kind, chips),
           "mapper": "all_pes", "credit": "direct"}
    if not one_shot:
        own["serial"] = "true"
        if kind != "reduce_scatter":
            own["per_way"] = "true"
    for key, value in own.items():
        words += ["--set", f"ccl.algorithms.{name}.{key}={value}"]
    software = [] if one_shot else ["--set", f"ccl.algorithms.{name}.packet_ns={PACKET_CYCLES / chip.ghz:g}"]
    return words, software, cores


def time_at(times, size):
    """The simulated times, or their continuation beyond the largest size."""
    if size in times:
        return times[size]
    last, before = sorted(times, reverse=True)[:2]
    slope = (size - last) / (last - before)
    return tuple(at_last + slope * (at_last - at_before) for at_last, at_before in zip(times[last], times[before]))


def sizes_to_simulate(sizes):
    """Runs of doubled sizes, (first, last), that have all sizes up to MOST_BYTES, and two to continue from."""
    wanted = {size for size in sizes if size <= MOST_BYTES}
    if max(sizes) > MOST_BYTES:
        wanted |= {MOST_BYTES // 2, MOST_BYTES}
    runs = []
    for size in sorted(wanted):
        if runs and size == 2 * runs[-1][1]:
            runs[-1] = (runs[-1][0], size)
        else:
            runs.append((size, size))
    return runs


def rows_by_size(kbsim, words, cores, sizes):
    """Rows of the command by size."""
    found = {}
    for first, last in sizes_to_simulate(sizes):
        document = document_of(kbsim, words, "-b", str(first // cores), "-e", str(last // cores), "-f", "2",
                               "--race", "off", "--quiet")
        found |= {first << index: row for index, row in enumerate(document["rows"])}
    return found


def simulated(kbsim, words, software, cores, sizes):
    """Times of the machine and with software in us, by size."""
    machine = rows_by_size(kbsim, words, cores, sizes)
    worked = rows_by_size(kbsim, words + software, cores, sizes) if software else machine
    return {size: (machine[size]["time"], row.get("with_software", row["time"])) for size, row in worked.items()}


def simulate_sizes(kbsim, rows):
    """All rows of one command, by runs over their sizes. An all-reduce is its parts, one after the other."""
    sizes = [row.size for row in rows]
    parts = [simulated(kbsim, *part, sizes) for part in rows[0].parts]
    for row in rows:
        row.machine, row.simulated = map(sum, zip(*(time_at(times, row.size) for times in parts)))


def collective_rows(row):
    """A collective; the command simulates all sizes that its cores serve."""
    kind, topology, size = row["collective"], row["topology"], int(row["bytes"])
    parts = ("reduce_scatter", "all_gather") if kind == "all_reduce" else (kind,)
    if any((topology, part) not in ALGORITHMS for part in parts):
        return not_simulated(kind, f"an algorithm for {kind} on a {topology}")
    if chip_of(row["machine"]) is None:
        return not_simulated(kind, f"a machine file of {row['machine']}")
    if row.get("memory", "DRAM") != "DRAM":
        return not_simulated(kind, f"collectives in {row['memory']}")
    commands = [words_of(part, row, size) for part in parts]
    made = Row(f"{kind} of {row['chips']} chips on a {topology}", size, float(row["time_us"]),
               sum((words for words, *_ in commands), []), simulate=simulate_sizes, limits=(64 << 10, 4 << 20))
    made.parts = commands
    return made


TABLES = {"ccl_": collective_rows}
SUMS = [("ccl", "collectives", "ccl_")]
NOTES = {
    "ccl_": """\
A chip runs the library's workers here, and no other cores: PEs that serve one way of a link each, and handle one
packet after the other (`serial`, `per_way`). Up to 256 KiB one core serves a link and direction, then two; an
all-gather on a line has one, and so has an all-to-all of two chips. The library's routers forward an all-gather on a
line without a core; here PEs relay it through their scratchpads. A reduce-scatter's PEs serve both ways, and read what
arrives from their scratchpads, as the library's read it from DRAM. A PE's scratchpad is read at its own rate, 256 GB/s:
`pe_tcm.read_bw_gbs` of the machine is that of answers to others. Links from the two networks to the ports are as wide
as both together. An all-reduce is a reduce-scatter and then an all-gather. Sizes above 8 MiB continue at the rate
between the two largest simulated sizes. The software of a call and of each hop (`software.calls`) is fitted to sizes of
at most 64 KiB, and 370 cycles of a worker's work for a packet to two chips from 8 MiB.""",
}
