"""The cases of a soak."""
import json

import files
from case import Case

# Large enough for every case that is meant, small enough that none takes minutes.
EVENTS = 3_000_000

ALL_REDUCES = ["intercube_allreduce", "ring_allreduce_tcm", "ring_allreduce_hbm", "ring_allreduce_sram",
               "mesh_allreduce", "tree_allreduce", "hierarchical_allreduce", "chunked_ring_allreduce",
               "pipelined_ring_allreduce", "bidirectional_ring_allreduce", "torus_allreduce",
               "two_way_ring_allreduce", "line_allreduce", "one_shot_allreduce", "doubling_allreduce",
               "halving_doubling_allreduce"]
OTHERS = ["ring_all_gather", "ring_reduce_scatter", "ring_broadcast", "ring_reduce", "ring_all_to_all",
          "two_way_ring_all_gather", "two_way_ring_reduce_scatter", "two_way_ring_all_to_all",
          "line_all_gather", "line_reduce_scatter", "line_all_to_all", "direct_all_to_all",
          "one_shot_all_gather", "one_shot_reduce_scatter", "doubling_all_gather", "halving_reduce_scatter",
          "hello_send"]
TOPOLOGIES = ["topology.yaml"] * 4 + ["router_vc.yaml", "hbm4.yaml", "hbm3.yaml", "small.yaml"]
DTYPES = ["half", "bfloat16", "float", "double", "int8", "uint8", "int32"]
OPS = ["sum", "prod", "max", "min", "avg"]


def size_of(random, largest):
    """Mostly small, sometimes around a power of two, up to `largest`."""
    kind = random.random()
    if kind < 0.35:
        return random.choice([1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33])
    power = 1 << random.randint(0, largest.bit_length() - 1)
    return max(1, min(largest, power + random.choice([-1, 0, 1, random.randint(0, power)])))


def machine_parts(random, keys, algorithm=None):
    drawn = keys.draw(random, random.choice([0, 1, 1, 2, 2, 3, 4, 6, 9]), algorithm)
    parts = [[word for setting in settings for word in ("--set", setting)] for settings in drawn]
    if random.random() < 0.7:
        parts.append(packages(random))
    if random.random() < 0.25:
        parts = [part for part in parts if not any(word.startswith(NOT_BESIDE_A_PLAN) for word in part)]
        parts.append(floor_plan(random))
    if random.random() < 0.7:  # a smaller package: more cases
        w, h = random.choice([(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (1, 4)])
        parts.append(["--set", f"sip.cube_mesh.w={w}", "--set", f"sip.cube_mesh.h={h}"])
    return parts


NOT_BESIDE_A_PLAN = ("cube.pe_layout.", "cube.xbar", "cube.noc.w=", "cube.noc.h=", "cube.memory.hbm_bytes_per_pe")


def floor_plan(random):
    """A grid of routers with PEs anywhere: a mesh, rings or one-way rings; most with memory that all share."""
    w, h = random.choice([(1, 1), (1, 5), (2, 2), (3, 2), (4, 3), (5, 5)])
    spot = lambda: [random.randrange(w), random.randrange(h)]
    spots = lambda most: [spot() for _ in range(random.randint(1, most))]
    plan = [f"pe: {{at: {spots(6)}, per_router: {random.choice([1, 1, 1, 2, 5])}}}"]
    if random.random() < 0.7:
        channels = [sorted(map(list, set(map(tuple, spots(3))))) for _ in range(random.randint(1, 5))]
        plan.append(f"hbm: {{channels: {[{'at': ports} for ports in channels]}, ".replace("'", "") +
                    f"channel_bytes: {random.choice(['64KiB', '1MiB', '1GiB'])}, "
                    f"interleave_bytes: {random.choice([0, 32, 64, 256, 4096])}}}")
    if random.random() < 0.5:
        plan.append(f"port: {{n: {spot()}, e: {spot()}}}")
    if random.random() < 0.5:
        plan.append(f"m_cpu: {{at: {spot()}}}")
    part = ["--set", f"cube.noc.w={w}", "--set", f"cube.noc.h={h}",
            "--set", f"cube.floorplan={{{', '.join(plan)}}}"]
    if random.random() < 0.6:
        part += ["--set", "cube.noc.wrap=true"] + networks(random, ["both", "east_south", "north_west"])
    elif random.random() < 0.3:
        part += networks(random, ["both"])
    return part


def networks(random, kinds):
    """One network of a cube or several, each with traffic of its own."""
    links = [random.choice(kinds) for _ in range(random.choice([1, 1, 2, 2, 3]))]
    part = ["--set", f"cube.noc.links=[{', '.join(links)}]"]
    if len(links) == 1:
        return part
    traffic = ["reads", "writes", "messages", "control"]
    random.shuffle(traffic)
    use = {kind: i if i < len(links) else random.randrange(len(links)) for i, kind in enumerate(traffic)}
    return part + ["--set", f"cube.noc.use={{{', '.join(f'{kind}: noc{i}' for kind, i in use.items())}}}"]


def packages(random):
    """Number of packages, their topology, and sometimes their grid."""
    w, h = random.choice([1, 2, 2, 3, 4]), random.choice([1, 1, 2, 3])
    grids = ["ring_1d", "torus_2d", "mesh_2d", "mesh_2d_no_wrap"]
    topology = random.choice(grids + ["ring_1d_unidir", "tree_binary", "all_pairs", "doubling_distances"])
    if random.random() < 0.1:
        return listed_links(random, w * h)
    part = ["--set", f"system.sips.count={w * h}", "--set", f"system.sips.topology={topology}"]
    if random.random() < 0.4:
        part += ["--set", f"system.sips.w={w}", "--set", f"system.sips.h={h}"]
    return part + (ports(random, topology) if random.random() < 0.15 else [])


def ports(random, topology):
    """Ports between packages that store packets, some with processors."""
    sends = random.choice([0, 1, 7.3, 240])
    receives = random.choice([0, sends / 2, sends]) if topology != "ring_1d_unidir" else 0
    values = {"store_and_forward": "true", "packet_ns": sends, "receive_ns": receives,
              "latency_ns": random.choice([0, 1, 711])}
    if random.random() < 0.5:
        values["credits"] = random.choice([2, 3, 8])
    part = [word for key, value in values.items() for word in ("--set", f"system.sips.link.{key}={value}")]
    return part + (["--set", "system.sips.bubble=true"] if "credits" in values and random.random() < 0.7 else [])


def listed_links(random, count):
    """Packages joined by a switch, or in a tree, with a link or two beside."""
    ends = [(f"sip{sip}", random.choice(["sw"] + [f"sip{other}" for other in range(sip)])) for sip in range(count)]
    ends += [("sip0", f"sip{random.randrange(1, count)}") for _ in range(random.randint(0, 2)) if count > 1]
    ends = {frozenset(pair): pair for pair in ends}.values()  # a second link is refused
    links = ", ".join(f"{{a: {a}, b: {b}, bw_gbs: {random.choice([1, 64, 128])}}}" for a, b in ends)
    return ["--set", f"system.sips.count={count}", "--set", "system.sips.topology=links",
            "--set", f"system.sips.links=[{links}]"]


def queue_parts(random, section):
    parts = []
    if random.random() < 0.5:
        parts.append(["--buffer-kind", random.choice(["tcm", "hbm", "sram"])])
    if random.random() < 0.3:
        parts.append(["--set", f"ccl.{section}.n_slots={random.choice([1, 1, 2, 3, 5])}"])
    if random.random() < 0.3:
        parts.append(["--set", f"ccl.{section}.slot_size={random.choice([16, 30, 64, 256, 1000, 65536])}"])
    return parts


def all_reduce(random, keys):
    algorithm = random.choice(ALL_REDUCES)
    largest = 1 << random.choice([6, 10, 12, 14, 17])
    section = f"algorithms.{algorithm}"
    parts = machine_parts(random, keys, section)
    parts.append(["--set", f"ccl.{section}.n_elem={size_of(random, largest)}"])
    parts += queue_parts(random, section)
    head = ["--topology", random.choice(TOPOLOGIES), "--bench", "ccl_allreduce", "--algorithm", algorithm,
            "--max-events", str(EVENTS), "--max-memory", "4GiB"]
    return Case(head, parts, limited=True, shuffles=True, bench=True)


def quick(part):
    """Whether it leaves messages and packets large: --bench ccl has no limit of events."""
    sizes = [word.split("=")[1] for word in part if "slot_size=" in word or "packet_bytes=" in word]
    return all(size == "0" or int(size) >= 64 for size in sizes)


def collective(random, keys):
    algorithm = random.choice(OTHERS * 2 + ALL_REDUCES)
    parts = machine_parts(random, keys, f"algorithms.{algorithm}")
    parts += queue_parts(random, f"algorithms.{algorithm}")
    size = 0 if random.random() < 0.02 else size_of(random, 1 << (18 if all(map(quick, parts)) else 11))
    if random.random() < 0.5:
        parts.append(["-d", random.choice(DTYPES)])
    if "reduce" in algorithm and random.random() < 0.6:
        parts.append(["-o", random.choice(OPS)])
    if algorithm in ("ring_broadcast", "ring_reduce") and random.random() < 0.6:
        parts.append(["-r", str(random.randint(0, 3))])
    if random.random() < 0.2:
        parts.append(["-n", str(random.randint(1, 3)), "-w", str(random.randint(0, 2))])
    head = ["--topology", random.choice(TOPOLOGIES), "--bench", "ccl", "--algorithm", algorithm,
            "-b", str(size), "-e", str(size), "--max-memory", "4GiB"]
    return Case(head, parts)


def compute(random, keys):
    bench = random.choice(["gemm_single_pe", "qkv_gemm", "qkv_gemm_multi_pe", "va_offset_verify"])
    head = ["--topology", random.choice(TOPOLOGIES), "--bench", bench, "--max-events", str(EVENTS), "--max-memory", "4GiB"]
    parts = machine_parts(random, keys)
    for unit in random.sample(["pe_scheduler", "pe_gemm", "pe_math", "pe_dma", "pe_tcm"], 2):
        settings = []
        for key in keys.models["builtin." + unit]:
            if random.random() < 0.3:
                settings += ["--set", f"pe.{unit}.{key.name}={key.draw(random)}"]
        if settings:
            parts.append(settings)
    return Case(head, parts, limited=True, shuffles=True, bench=True)


def attention(random, keys):
    h_kv, ranks = random.choice([1, 1, 2, 3]), random.choice([1, 2, 4, 8])
    head = ["--topology", random.choice(TOPOLOGIES), "--bench", "attention", "--ranks", str(ranks), "--panel",
            random.choice([f"{user}_user_{phase}" for user in ("single", "multi") for phase in ("prefill", "decode")])]
    parts = [part for part in machine_parts(random, keys, "defaults") + queue_parts(random, "defaults")
             if not any(word.startswith("system.sips") for word in part)]
    parts.append(["--h_kv", str(h_kv), "--h_q", str(h_kv * random.choice([1, 2, 4, 7]))])
    parts.append(["--d_head", str(size_of(random, 128))])
    parts.append(["--s_kv", str(size_of(random, 128))])
    parts.append(["--s_q", str(size_of(random, 16))])
    parts.append(["--causal", random.choice("01")])
    return Case(head, parts)


def probe(random, keys):
    head = ["probe", "--topology", random.choice(TOPOLOGIES), "--bytes", str(size_of(random, 1 << 16)),
            "--max-memory", "4GiB"]
    return Case(head, machine_parts(random, keys), shuffles=True, dry_run=False)


# Keys that --set may change there: in a part of the machine, and in any other bare network.
MET_BY_TRAFFIC = {
    "link": ("cube.noc.link", "system.ns"),
    "sip0.cubes": ("cube.noc", "system.ns", "sip.cube", "sip.ucie"),
    "sips": ("system.ns", "system.sips", "sip.io"),
}
MET_IN_NOC = ("cube.noc", "system.ns")


def traffic(random, keys):
    scope = random.choice(["link", "mesh:4x4", "mesh:1x3", "torus:3x3", "torus:1x1", "ring:5", "sip0.cubes",
                           "sip0.cube0.noc", "sips"])
    pattern = random.choice(["uniform", "transpose", "hotspot:0.2", "all-to-one", "neighbour", "permutation:3"])
    head = ["traffic", "--topology", random.choice(TOPOLOGIES), "--scope", scope, "--packets", "2000",
            "--warmup", "200"]
    met = MET_BY_TRAFFIC.get(scope, MET_IN_NOC)
    parts = [part for part in machine_parts(random, keys) if all(word.startswith(met) for word in part[1::2])]
    parts.append(["--pattern", pattern])
    parts.append(["--arrivals", random.choice(["poisson", "bernoulli"])])
    parts.append(["--seed", str(random.randint(0, 99))])
    if random.random() < 0.3:
        parts.append(["--bytes", str(size_of(random, 1 << 12))])
    head += ["--load", str(random.choice([0.01, 0.2, 0.5, 0.8, 0.95, 1]))]
    return Case(head, parts, shuffles=True, dry_run=False)


# The mock has no memories that could be full and, here, no limit of commands.
NOT_IN_MOCK = ("tcm_bytes", "tcm_scheduler_bytes", "on_full", "max_commands", "hbm_bytes_per_pe", "sram_bytes")


def program(random, keys):
    head = ["--program", str(random.randint(1, 10**9)), "--topology", random.choice(TOPOLOGIES)]
    parts = machine_parts(random, keys, "defaults") + queue_parts(random, "defaults")
    parts = [part for part in parts if not any(key in word for word in part for key in NOT_IN_MOCK)]
    return Case(head, parts, command="soak_program", shuffles=True, json=False, dry_run=False)


def host_program(random, _):
    """Programs of test/host that draw by a seed, and judge themselves by definitions."""
    name = random.choice(["Random DTensor programs", "Random aliasing", "Collectives: random calls"])
    return Case([f"--test-case={name}*"], [], command="test_host", json=False, dry_run=False, repeats=False,
                environment={"KBSIM_RANDOM_SEED": str(random.randint(1, 10**9))})


def tensor_parallel(random, keys):
    """A part of the machine runs: a setting of the rest has no effect, or is refused."""
    head = ["--bench", "tp_mlp", "--tokens", str(random.randint(1, 9)), "--hidden", str(random.choice([8, 24, 64])),
            "--ffn", str(random.choice([12, 96, 256])), "--topology", random.choice(TOPOLOGIES), "--ranks",
            random.choice("1234")]
    parts = machine_parts(random, keys, "defaults") + queue_parts(random, "defaults")
    return Case(head, [part for part in parts if not any(word.startswith("system.sips") for word in part)])


def whole_model(random, keys):
    """A small model, whole or divided: what equals earlier work is skipped in one run and simulated in another."""
    kv_heads, groups = random.choice([1, 1, 2, 3, 4]), random.choice([1, 2, 3])
    model = {"hidden_size": random.choice([8, 24, 46, 64, 130]), "num_attention_heads": kv_heads * groups,
             "num_key_value_heads": kv_heads, "head_dim": 2 * random.randint(1, 12),
             "intermediate_size": random.choice([1, 12, 75, 96, 256]), "num_hidden_layers": random.randint(1, 7),
             "vocab_size": random.choice([1, 3, 101, 256]),
             "torch_dtype": random.choice(["float32", "bfloat16", "float16"])}
    if random.random() < 0.2:
        model["sliding_window"] = random.choice([1, 4, 33])
    phase = random.choice(["prefill", "decode", "both"])
    head = ["--bench", "llm", "--model", "model.json", "--topology", random.choice(TOPOLOGIES), "--timing-only",
            "--phase", phase]
    fits = [n for n in (1, 2, 3, 4) if kv_heads * groups % n == model["intermediate_size"] % n == 0]
    tp, dp = random.choice([1] + fits), random.choice([1, 1, 1, 2])
    pp, micro_batches = random.choice([1, 1, 1, 2]), random.choice([1, 2, 2, 3])
    parts = machine_parts(random, keys)
    if pp > 1:
        parts.append(["--micro-batches", str(micro_batches), "--batch", str(micro_batches * dp * random.randint(1, 2))])
    elif phase == "decode":
        parts.append(["--batch", str(random.randint(1, 4))])
    if phase == "decode" and random.random() < 0.3:
        parts.append(["--drawn-contexts", f"1-{random.randint(1, 90)}"])
    elif phase == "decode":
        parts.append(["--context", str(random.randint(1, 70))])
    else:
        parts.append(["--prompt", str(random.randint(1, 40))])
    parts = [part for part in parts if not any(word.startswith(("system.sips", "sip.cube_mesh")) for word in part)]
    w, h = random.choice([(1, 1), (2, 1), (1, 2), (2, 2), (3, 1)])
    head += ["--set", f"sip.cube_mesh.w={w}", "--set", f"sip.cube_mesh.h={h}"]
    files = {"model.json": json.dumps(model)}
    mapping = random.choice(["auto", "columns", "blocks"])
    if tp * dp * pp > 1:
        head += ["--set", f"system.sips.count={tp * dp * pp}", "--tp", str(tp), "--dp", str(dp), "--pp", str(pp)]
    if tp > 1 and random.random() < 0.5:
        overlap = random.choice(["output", "down", "output, down"])
        files["mapping.yaml"] = f"default: {mapping}\noverlap: [{overlap}]\n"
        mapping = "mapping.yaml"
    elif tp > 1 and random.random() < 0.3:
        parts.append(["--sequence-parallel"])
    head += ["--mapping", mapping]
    return Case(head, parts, files=files, verifies=pp == 1)  # no layer is skipped in the stages of --pp


ODD = ["", "0", "-1", "1e309", "nan", "inf", "1e-320", "9223372036854775808", "2147483648", "99999999999999999999",
       "0x10", "true", "null", "~", "[]", "{}", "[1, 2]", "'", "\"", "a", "NE", "ring_1d", "4KiB", "1e3", "16 MiB",
       "&a", "*a", "!!int 3", "%", "\x01", "\n", "1GiB", "127TiB", "0.0000001"]


def hostile(random, keys):
    """Values that no user should give: they are refused, or they work."""
    case = random.choice([all_reduce, compute])(random, keys)
    key = random.choice(keys.machine).name
    if "--algorithm" in case.head and random.random() < 0.3:
        algorithm = case.head[case.head.index("--algorithm") + 1]
        key = f"ccl.algorithms.{algorithm}.{random.choice(keys.ccl).name}"
    case.parts.append(["--set", f"{key}={random.choice(ODD)}"])
    return case


FAMILIES = [(all_reduce, 11), (collective, 5), (program, 4), (compute, 3), (attention, 2), (traffic, 2), (hostile, 2), (probe, 1),
            (files.layers, 1), (files.log, 2), (host_program, 4), (tensor_parallel, 1), (whole_model, 3)]


def draw(random, keys, name=None):
    """A case of any family, or of the one of that name."""
    families = [(family, weight) for family, weight in FAMILIES if name in (None, family.__name__)]
    family = random.choices([f for f, _ in families], [weight for _, weight in families])[0]
    return family(random, keys)
