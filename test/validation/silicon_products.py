"""Products of many cores, and whole models."""
from silicon_chips import ONE_CHIP, chip_of
from silicon_rows import Row, document_of, not_simulated, not_yet

MACS = {"LoFi": 2048, "HiFi2": 1024, "HiFi3": 682.667, "HiFi4": 512}  # stated: of a core's matrix engine in a cycle
TYPES = {"bfloat8_b": "bfp8", "bfloat4_b": "bfp4"}
MOST = 4096  # rows, columns and depth of a simulated product
PLACES = {"L1": "tcm", "DRAM": "hbm"}


def cores_of(grid, chip):
    """The settings for a grid such as 8x8, the first columns and rows; None if there are no such cores."""
    wide, high = (int(side) for side in grid.split("x"))
    if not (1 <= wide <= len(chip.columns) and 1 <= high <= len(chip.rows)):
        return None
    if (wide, high) == (len(chip.columns), len(chip.rows)):
        return []
    return chip.grid(chip.columns[:wide], chip.rows[:high])


def sized(rows, depth, columns):
    return ["--m", str(rows), "--k", str(depth), "--n", str(columns)]


def kernel_ns(kbsim, words):
    return document_of(kbsim, words, "--race", "off", "--timing-only", "--quiet")["result"]["kernel_ns"]


def simulate(kbsim, products):
    """Products of one command. A large one is blocks of at most MOST rows and columns, one after the other, whose
    steps of K go on at the rate of those from a half of MOST to MOST."""
    words, (rows, depth, columns) = products[0].words, products[0].extents
    fixed = words[:-len(sized(rows, depth, columns))]
    of_block = [min(rows, MOST), min(depth, MOST), min(columns, MOST)]
    time = kernel_ns(kbsim, [*fixed, *sized(*of_block)])
    if depth > MOST:
        half = kernel_ns(kbsim, [*fixed, *sized(of_block[0], MOST // 2, of_block[2])])
        time += (depth - MOST) * (time - half) / (MOST / 2)
    for product in products:
        product.machine = product.simulated = time * max(rows / MOST, 1) * max(columns / MOST, 1)


def product_rows(row):
    """A product over all cores of a chip, from a recorded launch."""
    config, name = row["config"], row["machine"]
    chip = chip_of(name)
    if chip is None:
        return not_simulated(config, f"a machine file of {name}")
    cores = cores_of(row["grid"], chip)
    if cores is None:
        return not_simulated(config, f"a chip with {row['grid']} cores")
    if row["dtype"] != "bfloat16":
        return not_simulated(config, TYPES.get(row["dtype"], row["dtype"]))
    if config != "tuned":
        return not_simulated(config, "block sizes that the library doesn't state")
    if row["trace"] != "1":
        return not_simulated(config, "a launch by the host")
    rows, depth, columns = (int(row[name]) for name in ("M", "K", "N"))
    words = ["--bench", "products", "--topology", chip.file, *ONE_CHIP, *cores,
             "--a_in", PLACES[row["in0"]], "--c_in", PLACES[row["out"]],
             "--set", f"pe.pe_gemm.macs_per_ns={MACS[row['fidelity']] * chip.ghz}",
             "--set", "cube.memory.tcm_scheduler_bytes=16KiB",  # no composite runs
             *sized(rows, depth, columns)]
    made = Row(row["fidelity"], 2 * (rows * depth + depth * columns + rows * columns), float(row["device_ns"]),
               words, simulate=simulate, limits=(8 << 20, 64 << 20))
    made.extents = rows, depth, columns
    return made


TABLES = {"gemm": product_rows, "llm": not_yet("models in 8 and 4 bits"),
          "dispatch": not_yet("launches: software alone")}
SUMS = [("gemm", "products", "gemm")]
NOTES = {
    "gemm": """\
Core (r, c) makes rows r and columns c. The library's cores send blocks by multicast, on two networks, in turn; here a
block is read over one network and goes on from core to core over the other: *multicast drawn as a relay*. That costs a
small product the way through eight cores. Blocks are as many as fit into a core's scratchpad here. Products larger
than 4096 in an extent go on at the rate of 4096. Classes of size are of all three matrices.""",
}
