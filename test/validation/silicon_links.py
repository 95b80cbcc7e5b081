"""Links between chips: the latency of a hop, and the rate of routers."""
import pathlib
import tempfile

from silicon_chips import chip_of
from silicon_rows import Row, document_of, each, not_simulated


GALAXY = "bh_galaxy"  # its links run at half their rate (stated)
MESH_HEADER = 80  # bytes before a packet in a 2-D fabric; a line has 48
IN_FLIGHT = 64  # packets of a stream: more than the longest way holds
SAME = ("machine", "pattern", "message", "packet_bytes", "line_length", "packets_per_s")  # of one measurement
FLUSH = "a receiver that waits for its write (flush)"


def round_trip(kbsim, words):
    case, = document_of(kbsim, words)["cases"]
    return 2 * case["total_ns"], 2 * case["total_ns"]


def period(kbsim, words):
    """Time between packets of one stream. The word after --pattern lists streams: 0>7,7>0 of so many packages."""
    words = list(words)
    place = words.index("--pattern") + 1
    chips, streams = words[place].split(":")
    rates = [[0] * int(chips) for _ in range(int(chips))]
    for stream in streams.split(","):
        source, target = map(int, stream.split(">"))
        rates[source][target] = 1
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "rates.csv")
        file.write_text("".join(",".join(map(str, row)) + "\n" for row in rates))
        words[place] = f"file:{file}"
        result = document_of(kbsim, words, "--quiet")
    ns = result["service_ns"] / result["sources"]["mean"]
    return ns, ns


def link_of(row):
    """Settings of the machine's links, if it has links of its own."""
    return ["--set", "system.sips.link.bw_gbs=25"] if row["machine"].startswith(GALAXY) else []


ROUND_TRIP = each(round_trip)
PERIOD = each(period)


def streams(row, width, height, pairs, size, mesh):
    """Streams of packets between packages of the row's box, each with as many packets in flight as it needs."""
    words = ["traffic", "--topology", chip_of(row["machine"]).file, "--scope", "sips", "--outstanding", str(IN_FLIGHT),
             "--bytes", str(size), "--packets", "4000", "--warmup", "1000",
             "--pattern", f"{width * height}:{','.join(f'{a}>{b}' for a, b in pairs)}",
             "--set", f"system.sips.count={width * height}", "--set", f"system.sips.w={width}",
             "--set", f"system.sips.h={height}", *link_of(row)]
    return words + (["--set", f"system.sips.link.frame.header_bytes={MESH_HEADER}"] if mesh else [])


def both(pairs):
    return [*pairs, *((b, a) for a, b in pairs)]


def rate(kind, row, grid, pairs, mesh=False):
    size = int(row["packet_bytes"])
    words = streams(row, *grid, pairs, size, mesh)
    return Row(kind, size, 1e9 / float(row["packets_per_s"]), words, simulate=PERIOD)


def latency_row(row):
    """A packet to the next chip and back: twice a send between queues."""
    kind, chip = row["topology"], chip_of(row["machine"])
    if kind not in chip.hop_ns:
        return not_simulated(kind, f"a hop's latency on a {kind}")
    size = row["packet_bytes"]
    words = ["probe", "--topology", chip.file, "--case", "pe-ipcq-other-sip", "--bytes", size,
             "--set", "system.sips.count=2", "--set", "system.sips.w=2", "--set", "ccl.defaults.slot_size=8192",
             "--set", f"system.sips.link.latency_ns={chip.hop_ns[kind]}", *link_of(row)]
    return Row(f"{kind} round trip", int(size), float(row["latency_avg_ns"]), words, simulate=ROUND_TRIP)


def hop_rate(row):
    """Neighbours that send to each other, or one sender to the chips of its row."""
    test, mesh = row["test"], "x" in row["devices"]
    if "Multicast" in test or test.startswith("CustomMax"):
        return not_simulated("rate", "multicast")
    if row["message"] == "fused_atomic":
        return not_simulated("rate", FLUSH)
    if test.startswith("NeighborExchange"):
        return rate("rate of neighbours", row, (2, 1), both([(0, 1)]), mesh)
    if test.startswith("SingleSender"):
        return rate("rate of one sender", row, (4, 1), [(0, 3)], mesh)
    return not_simulated("rate", f"an experiment for {test}")


def hop_rows(row):
    if chip_of(row["machine"]) is None:
        return not_simulated(row["topology"], f"a machine file of {row['machine']}")
    return latency_row(row) if row["kind"] == "latency" else hop_rate(row)


def no_stream(row, one_way):
    """Why a row of routers isn't simulated; None if it is."""
    if chip_of(row["machine"]) is None:
        return f"a machine file of {row['machine']}"
    if row["pattern"].startswith("mcast_"):
        return "multicast"
    if "flush_atomic" in row["message"] and "no_flush" not in row["message"]:
        return FLUSH
    if one_way and "False" in row["interior_workers_off"]:
        return "routers that merge senders by slots (credits)"
    return None


def router_rows(row):
    """Streams from end to end of a line, or of all rows of a mesh, one way or both ways.

    Other messages than writes have more commands at their receiver; these take less than a router's time a packet.
    """
    one_way = "False" not in row["unidirectional"]
    kind = row["message"].removeprefix("noc_").removeprefix("fused_").replace("_", " ")
    missing = no_stream(row, one_way)
    if missing is not None:
        return not_simulated(kind, missing)
    if "mesh" in row["pattern"]:
        width, height = pair_of(row["line_length"])
        pairs = [(y * width, (y + 1) * width - 1) for y in range(height)]
    else:
        width, height = int(row["line_length"]), 1
        pairs = [(0, width - 1)]
    made = rate(kind, row, (width, height), pairs if one_way else both(pairs), mesh="mesh" in row["pattern"])
    made.same = tuple(row[key] for key in SAME)
    made.one_way = one_way
    return made


def pair_of(text):
    """4 and 2 of "[4, 2]"."""
    first, second = text.strip("[]").split(",")
    return int(first), int(second)


def distinct(rows):
    """One row of those that repeat a figure to its last digit: the first that sends one way, or the first."""
    found = {}
    for row in rows:
        known = found.get(row.same)
        if known is None or (row.one_way and not known.one_way):
            found[row.same] = row
    return list(found.values())


TABLES = {"fabric_hops": hop_rows, "fabric_router": router_rows}
SUMS = [("fabric", "hops", "fabric_hops"), ("fabric", "routers as they stand", "fabric_router"),
        ("fabric", "routers distinct", "fabric_router", distinct), ("fabric", "hops and routers", "fabric_")]
NOTES = {
    "fabric_hops": """\
A hop's latency is that of the link, as the maker states it for each fabric. A port stores a packet before it sends it
on. An atomic increment that goes with a packet takes no time here, and a ring doesn't acknowledge twice. Neighbours
that send to each other are measured faster at 2 KiB than one sender alone, and slower at 4 KiB than the wire: no rule
here gives that.""",
    "fabric_router": """\
Figures are times between packets. A port takes 240 ns to send a packet, and 90 ns to receive one. Scatter writes, and
writes with an increment that doesn't wait, are simulated as writes: what they add is done at the receiver, in less than
a port's time a packet. Packets of 2 and 4 KiB have the same figure to seven digits one way and both ways, with and
without senders between the ends, where packets of 16 B differ by a third. We take such rows for one measurement, made
one way, and count it once in the line *routers distinct*; *routers as they stand* counts each row. This is our reading
of the numbers.""",
}
