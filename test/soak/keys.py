"""The keys that a soak may set, read from the configuration page: all documented keys are soaked."""
import re
from pathlib import Path

# Keys whose large values only make a case slow, or are another question (a machine of thousands of PEs): kept small
# here.
SMALL = {
    "system.sips.count": [1, 1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 9, 12, 16],
    "sip.cube_mesh.w": [1, 1, 2, 3, 4, 5],
    "sip.cube_mesh.h": [1, 1, 2, 3, 4],
    "cube.noc.w": [1, 2, 3, 4, 5],
    "cube.noc.h": [1, 2, 3, 4, 5],
    "cube.pe_layout.pe_per_corner": [1, 1, 2, 3, 4],
    "n_slots": [1, 1, 2, 3, 4, 5, 16, 64],
    "slot_size": [1, 2, 3, 4, 7, 8, 16, 30, 64, 100, 255, 256, 257, 1000, 4096, 65536, 1 << 20],
    "system.packet_bytes": [0, 1, 16, 32, 33, 64, 100, 255, 256, 257, 1000, 4096, 1 << 20],
    "cube.memory.tcm_bytes": [4096, 5000, 16384, 65536, 100000, 1 << 20, 16 << 20, 256 << 20],
    "cube.memory.tcm_scheduler_bytes": [0, 1, 1000, 4096, 65536, 4 << 20],
    "cube.memory.hbm_bytes_per_pe": [4096, 65536, 1 << 20, 1 << 30, 6 << 30],
    "cube.memory.sram_bytes": [4096, 65536, 1 << 20, 32 << 20],
    "buffer_bytes": [1, 64, 255, 256, 257, 512, 1000, 4096, 65536],
    "vcs": [1, 2, 3, 4, 6, 8, 9, 12, 64],
    "lanes": [1, 3, 64, 1000, 1 << 20],
    "max_outstanding": [1, 2, 3, 7, 15, 16, 17, 31, 32, 256, 100000],
    "request_bytes": [1, 16, 100, 256, 1000, 4096, 65536],
    "request_policy": ["in_order", "round_robin"],
    "rows": [1, 7, 64, 65, 1024],
    "cols": [1, 7, 64, 65, 1024],
    "hide_preload": ["true", "false"],
    "tile_m": [1, 7, 32, 33, 128, 65536],
    "tile_k": [1, 7, 64, 65, 512, 65536],
    "tile_n": [1, 7, 32, 33, 128, 65536],
    "max_commands": [1, 10, 1000, 100000, 1000000],
    "dispatch_cycles": [0, 1, 4, 100, 100000],
    "elementwise_cycles": [1, 2, 50],
    "transcendental_cycles": [1, 4, 50],
    "reduce_cycles": [1, 2, 50],
    "move_cycles": [1, 2, 50],
    "pseudo_channels": [1, 2, 3, 8, 16, 64],
    "row_bytes": [32, 64, 1024, 2048],
    "burst_bytes": [1, 16, 32, 64, 256],
    "arbiter": ["round_robin", "oldest_first"],
    "voq": ["true", "false"],
    "store_and_forward": ["true", "false"],
    "allocator": ["islip", "separable"],
    "flit_bytes": [1, 16, 64, 100, 256, 257, 4096, 65536],
    "buffer_flits": [1, 2, 3, 16, 100],
    "packet_flits": [1, 2, 3, 16, 64, 1000],
    "iterations": [1, 2, 3, 64],
    "input_speedup": [1, 2, 3, 64],
    "credit_cycles": [0, 1, 2, 1000],
}
# The models of each place; a plug-in's model would be added here.
MODELS = {
    "cube.hbm_ctrl": ["builtin.hbm_ctrl", "builtin.hbm_banks"],
    "cube.noc.router": ["builtin.router", "builtin.router_vc", "builtin.router_iq"],
    "sip.io.router": ["builtin.router", "builtin.router_vc", "builtin.router_iq"],
    "pe.pe_gemm": ["builtin.pe_gemm", "builtin.pe_gemm_systolic"],
}
LEFT_OUT = {"schema_version", "defaults.algorithm", "defaults.world_size", "defaults.n_elem",
            "system.sips.w", "system.sips.h"}  # the last two are drawn together with the count


# Keys of floor plans and of listed links mean something together alone: cases.py draws whole ones.
DRAWN_WHOLE = ("cube.floorplan.", "cube.noc.wrap", "cube.noc.links", "cube.noc.use.", "system.sips.links.",
               "system.sips.switch", "system.sips.bubble")


def is_left_out(name):
    return name in LEFT_OUT or name.startswith(DRAWN_WHOLE)


class Key:
    """A key, and how its values are drawn."""

    def __init__(self, name, takes, default):
        self.name, self.takes, self.default = name, takes, default

    def draw(self, random):
        tail = self.name.rsplit(".", 1)[-1]
        for name in (self.name, tail):
            if name in SMALL:
                return random.choice(SMALL[name])
        if self.takes.startswith("one of "):
            return random.choice(self.takes[len("one of "):].split(", "))
        if self.takes.startswith("a list"):
            corners = random.sample(["NW", "NE", "SW", "SE"], random.randint(1, 4))
            return "[" + ", ".join(corners) + "]"
        return self._draw_number(random)

    def _draw_number(self, random):
        bounds = re.search(r"from (\S+)(?: [KMG]?i?B)? to (\S+)", self.takes)
        least = float(bounds[1]) if bounds else 0.0
        most = float(bounds[2]) if bounds else 1e12
        if "integer" in self.takes or "size" in self.takes:
            drawn = random.choice([1, 2, 3, 16, 64, 100, 1000, 4096])
        elif "GB/s" in self.takes:
            drawn = random.choice([0.01, 0.5, 1, 7.3, 33.3, 64, 100, 128, 204.8, 256, 512, 3000, 1e6])
        elif "(ns)" in self.takes:
            drawn = random.choice([0, 0.001, 0.125, 1, 2, 3.7, 8, 11.003, 100, 1234.5])
        else:
            drawn = random.choice([0.001, 0.01, 0.1, 0.5, 0.8, 1, 2, 7.5, 100])
        if "positive" in self.takes:
            least = 1e-3
        drawn = min(max(drawn, least), most)
        return int(drawn) if drawn == int(drawn) else drawn


class Keys:
    """All keys of the page: those of every machine and of ccl, and those of each model."""

    def __init__(self, page):
        self.machine, self.ccl, self.models = [], [], {}
        section = None
        for line in Path(page).read_text(encoding="utf-8").splitlines():
            if line.startswith("## "):
                section = line[3:].strip()
            row = re.match(r"\| `([^`]+)` \| (.*?) \| `(.*?)` \|", line)
            if not row or is_left_out(row[1]) or row[2].startswith("a map"):
                slot = re.match(r"\| `([^`]+)` \| a map with impl.* \| `(builtin\.\w+)` \|", line)
                if slot:
                    MODELS.setdefault(slot[1], [slot[2]])
                continue
            self._add(section, Key(row[1], row[2], row[3]))

    def _add(self, section, key):
        if section == "topology.yaml":
            self.machine.append(key)
        elif section == "ccl.yaml":
            if key.name.startswith("defaults."):
                self.ccl.append(Key(key.name.removeprefix("defaults."), key.takes, key.default))
        else:
            self.models.setdefault(section, []).append(key)

    def draw(self, random, count, algorithm):
        """About `count` settings, as lists of `key=value` that stand or fall together; those of collectives
        are of the algorithm, a section of the ccl file, if there is one."""
        settings = {}
        for _ in range(count):
            kind = random.random()
            if kind < 0.15 and algorithm:
                key = random.choice(self.ccl)
                settings[key.name] = [f"ccl.{algorithm}.{key.name}={key.draw(random)}"]
                if key.name == "poll_ns":
                    settings[key.name].append(f"ccl.{algorithm}.backpressure=poll")
            elif kind < 0.6:
                key = random.choice(self.machine)
                settings[key.name] = [f"{key.name}={key.draw(random)}"]
            else:
                place, model = self._draw_model(random)
                settings[place] = [f"{place}.impl={model}"]
                for key in self.models.get(model, []):
                    if random.random() < 0.25:
                        settings[place].append(f"{place}.{key.name}={key.draw(random)}")
        return list(settings.values())

    @staticmethod
    def _draw_model(random):
        # Where there is a choice, more often.
        choices = [place for place, models in MODELS.items() if len(models) > 1]
        place = random.choice(choices if random.random() < 0.6 else list(MODELS))
        return place, random.choice(MODELS[place])
