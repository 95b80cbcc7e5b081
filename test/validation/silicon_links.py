"""Links between chips: the latency of a hop, and the rate of routers."""
from silicon_rows import Row, document_of, each, not_simulated, not_yet

# Forwarding latencies of a hop that the maker states, by fabric.
HOP_NS = {"Linear": 711, "Ring": 711, "Mesh": 874}


def round_trip(kbsim, words):
    case, = document_of(kbsim, words)["cases"]
    return 2 * case["total_ns"], 2 * case["total_ns"]


ROUND_TRIP = each(round_trip)


def hop_rows(row):
    """A packet to the next chip and back: twice a send between queues. Rates need routers' times."""
    kind = row["topology"]
    if row["kind"] != "latency":
        return not_simulated("rate", "routers under load")
    if not row["machine"].startswith("wh_") or kind not in HOP_NS:
        return not_simulated(kind, f"a machine file of {row['machine']}")
    size = row["packet_bytes"]
    words = ["probe", "--topology", "wormhole_box.yaml", "--case", "pe-ipcq-other-sip", "--bytes", size,
             "--set", "system.sips.count=2", "--set", "system.sips.w=2", "--set", "ccl.defaults.slot_size=8192",
             "--set", f"system.sips.link.latency_ns={HOP_NS[kind]}"]
    return Row(f"{kind} round trip", int(size), float(row["latency_avg_ns"]), words, simulate=ROUND_TRIP)


TABLES = {"fabric_hops": hop_rows, "fabric_router": not_yet("routers under load")}
SUMS = [("fabric", "round trips", "fabric_hops")]
NOTES = {
    "fabric_hops": """\
A hop's latency is that of the link, as the maker states it for each fabric. His routers store a packet before they
send it on; here its head goes on at once, so packets of 4 KiB are too fast. An atomic increment that goes with a
packet takes no time here, and a ring doesn't acknowledge twice.""",
}
