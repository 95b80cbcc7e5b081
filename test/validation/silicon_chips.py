"""The chips of the tables: their machine files, and figures that the maker states."""
WORMHOLE_NAMES = ("wormhole", "wh_", "t3k", "n300", "n150")
BLACKHOLE_NAMES = ("blackhole", "bh_", "p100", "p150", "p300")
ONE_CHIP = ["--set", "system.sips.count=1", "--set", "system.sips.w=1"]


class Chip:
    """A chip of its box.

    columns and rows are those of routers with cores. `ghz` is the clock in whose cycles tables count. flit,
    noc_packet and fabric_packet are bytes; hop_ns is the latency of a hop between chips by fabric.
    """

    def __init__(self, file, ghz, columns, rows, flit, noc_packet, fabric_packet, hop_ns):
        self.file, self.ghz, self.columns, self.rows = file, ghz, columns, rows
        self.flit, self.noc_packet, self.fabric_packet, self.hop_ns = flit, noc_packet, fabric_packet, hop_ns

    def grid(self, columns, rows):
        """Settings of a chip with cores at these routers alone."""
        return ["--set", f"cube.floorplan.pe.grid.x={columns}", "--set", f"cube.floorplan.pe.grid.y={rows}"]


WORMHOLE = Chip("wormhole_box.yaml", 1.0, [1, 2, 3, 4, 6, 7, 8, 9], [1, 2, 3, 4, 7, 8, 9, 10], 32, 8192, 6144,
                {"Linear": 711, "Ring": 711, "Mesh": 874})
BLACKHOLE = Chip("blackhole_box.yaml", 1.35, [*range(1, 8), *range(10, 16)], [*range(2, 12)], 64, 16384, 8192,
                 {"Linear": 515, "Ring": 515, "Mesh": 619})


def chip_of(machine):
    """The chip of a table's machine; None if there is none."""
    if machine.startswith(WORMHOLE_NAMES):
        return WORMHOLE
    return BLACKHOLE if machine.startswith(BLACKHOLE_NAMES) else None
