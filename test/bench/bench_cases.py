"""The cases of scripts/bench.sh: one Case per line of its tables."""
import dataclasses

ENGINES = {"sim": "lib/sim", "heap": "4-ary heap", "wheel": "bare wheel", "method": "SC_METHOD", "thread": "SC_THREAD"}


@dataclasses.dataclass(frozen=True)
class Case:
    section: str
    name: str
    unit: str            # of what `ns` and `instructions` are: event, hop, operation ...
    command: tuple       # program, arguments
    shorter: tuple = ()  # the same with less to do: what the longer one takes beyond it is the steady state
    repeats: int = 99    # at most; 1 for the longest
    quick: bool = True   # also with --quick
    wall: bool = False   # seconds from its start to its end, not of the processor
    chart: str = ""      # of growth: whose point it is,
    series: str = ""
    x: float = 0


def engine(workload, name, items):
    program = "kbsim_bench_systemc" if name in ("method", "thread") else "kbsim_bench_engine"
    return Case("engine", f"{workload} {ENGINES[name]}", "event" if workload == "post" else "item",
                (program, name, workload, str(items)), (program, name, workload, str(items // 2)))


def engines():
    for workload, items in (("W1-1k", 2_000_000), ("W1-100k", 4_000_000), ("W2", 2_000_000), ("W3", 1_000_000)):
        for name in ENGINES:
            if (workload, name) != ("W1-100k", "thread"):  # 100 000 stacks
                yield engine(workload, name, items)
    for workload in ("call", "post"):
        yield engine(workload, "sim", 1_000_000)


def mesh(side, packets, quick):
    program = ("kbsim_bench_mesh", str(side), str(side))
    return Case("mesh", f"traffic at 0.5 on {side} x {side}", "hop", (*program, str(packets)), (*program, str(packets // 2)),
                quick=quick)


def kbsim(name, *arguments, shorter=(), unit="event", **more):
    shorter = ("kbsim", *shorter) if shorter else ()
    return Case("machine", name, unit, ("kbsim", *arguments), shorter, **more)


# Four slots, whatever ccl.yaml has: figures of all versions compare.
def ring(size, packages=4):
    return ("--bench", "ccl", "--algorithm", "chunked_ring_allreduce", "-b", size, "-e", size, "-c", "0", "--set",
            f"system.sips.count={packages}", "--set", "ccl.algorithms.chunked_ring_allreduce.n_slots=4")


def machine():
    yield kbsim("main job", "--bench", "ccl_allreduce")
    yield kbsim("milestone-1h-gemm", "--bench", "milestone-1h-gemm", repeats=3, quick=False)
    yield kbsim("milestone-1h-ccl", "--bench", "milestone-1h-ccl", repeats=1, quick=False)
    for packages in (2, 4, 8, 16, 32, 64):
        yield kbsim(f"hierarchical all-reduce, {packages} packages", "--bench", "ccl_allreduce", "--algorithm",
                    "hierarchical_allreduce", "--set", f"system.sips.count={packages}", repeats=3, quick=packages <= 4)
    yield kbsim("ring of 4 packages, 1 MiB", *ring("1M"), shorter=ring("512K"))
    yield kbsim("ring of 4 packages, 64 MiB", *ring("64M"), repeats=1, quick=False)
    yield kbsim("small model, decode on 4 packages", "--bench", "llm", "--tp", "4", "--set", "system.sips.count=4",
                "--phase", "decode", "--context", "64", "--timing-only", repeats=3)
    yield kbsim("replay of an all-reduce of 64 Ki", "replay", "OPLOG", unit="operation")
    for packages in (2, 64):
        yield kbsim(f"start-up, {packages} packages", "--bench", "gemm_single_pe", "--timing-only", "--set",
                    f"system.sips.count={packages}", unit="run", repeats=3)


@dataclasses.dataclass(frozen=True)
class Chart:
    name: str   # of its picture
    title: str
    x: str      # what it grows with
    y: str = "seconds of the processor"


CHARTS = [
    Chart("packages", "hierarchical all-reduce: by packages of 128 PEs", "packages"),
    Chart("sizes", "all-reduce round a ring of 4 packages: by its size", "MiB"),
    Chart("packets", "all-reduce of 4 MiB round a ring of 4 packages: by the size of packets", "bytes a packet"),
    Chart("threads", "8 packages: by threads, on two cores", "threads", "seconds from start to end"),
]

GROWTH_REPEATS = 3
LONG_SLOTS = ("--set", "ccl.defaults.slot_size=65536", "--set", "pe.pe_dma.request_bytes=65536")
# Joint work of 8 packages.
THREADED = {
    "hierarchical all-reduce, 64 KiB a PE": ("--bench", "ccl", "--algorithm", "hierarchical_allreduce", "-c", "0", "-b",
                                             "64K", "-e", "64K", "--set", "system.sips.count=8"),
}


def point(chart, series, x, *arguments, **more):
    return Case("growth", f"{chart}: {series}, {x:g}", "run", ("kbsim", *arguments), repeats=GROWTH_REPEATS, quick=False,
                chart=chart, series=series, x=x, **more)


def growth():
    for packages in (2, 4, 8, 16, 32, 64):
        yield point("packages", "all-reduce", packages, "--bench", "ccl_allreduce", "--algorithm",
                    "hierarchical_allreduce", "--timing-only", "--set", f"system.sips.count={packages}")
        yield point("packages", "one PE computes", packages, "--bench", "gemm_single_pe", "--timing-only", "--set",
                    f"system.sips.count={packages}")
    for kib in (64, 256, 1024, 4096, 16384, 65536):
        yield point("sizes", "slots of 4 KiB", kib / 1024, *ring(f"{kib}K"))
        yield point("sizes", "slots of 64 KiB", kib / 1024, *ring(f"{kib}K"), *LONG_SLOTS)
        yield point("sizes", "--exact-packets", kib / 1024, *ring(f"{kib}K"), "--exact-packets")
    for size in (64, 128, 256, 512, 1024, 2048, 4096):
        of_size = (*ring("4M"), "--set", f"system.packet_bytes={size}")
        yield point("packets", "reserved ahead", size, *of_size)
        yield point("packets", "--exact-packets", size, *of_size, "--exact-packets")
    for name, arguments in THREADED.items():
        for threads in (1, 2):
            yield point("threads", name, threads, *arguments, "--num-threads", str(threads), wall=True)


CASES = [*engines(), mesh(8, 100_000, True), mesh(32, 100_000, False), *machine(), *growth()]

# Writes what `replay` reads.
OPLOG_RUN = ("--bench", "ccl_allreduce", "--set", "ccl.algorithms.intercube_allreduce.n_elem=65536", "--quiet")

# (ours, the other's, at most or at least): of medians of one run.
GOALS = [
    ("W1-1k", "4-ary heap", 0.37), ("W1-100k", "4-ary heap", 0.40), ("W2", "4-ary heap", 0.27),
    ("W3", "4-ary heap", 0.40), ("W1-1k", "SC_METHOD", 1 / 6), ("W2", "SC_METHOD", 1 / 8), ("W3", "SC_METHOD", 1 / 4.5),
]
