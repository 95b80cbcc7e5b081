"""Holds --mapping auto of --bench llm against each built-in mapping on random machines, shapes and batches.

auto_mapping.py KBSIM TOPOLOGY [--cases N] [--seed S] [--only CASE] [--save FILE]

The time of a case is that of its four products in one layer: the sum of their paths. Fails unless auto's time is
within 5 % of the best built-in mapping's in nine of ten cases and within 20 % in all, and unless columns and blocks
differ by more than 20 % in at least half. Takes minutes, so it isn't in the gate.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

PRODUCTS = ("qkv", "output", "gate/up", "down")
MAPPINGS = ("columns", "blocks")


def drawn(random_case: random.Random) -> dict:
    """A machine, a model's layer and a phase, small enough for some seconds."""
    choose = random_case.choice
    w, h = choose([(1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (4, 4)])
    # From half of the documents' PEs per cube to the most. Two mappings that divide a cube's work differently
    # are nearly the same with two PEs.
    pes = choose([4, 8, 16])
    head = choose([32, 64])
    kv = choose([1, 2, 4])
    queries = kv * choose([1, 2, 4])
    hidden = choose([192, 256, 512, 768])
    prefill = choose([False, True])
    return {
        "set": {
            "sip.cube_mesh.w": w,
            "sip.cube_mesh.h": h,
            "cube.pe_layout.pe_per_corner": pes // 2,
            "cube.pe_layout.corners": "[NW, SE]",
            "cube.xbar_to_hbm_bw_gbs": choose([64, 256, 512]),
            "sip.ucie_link.bw_gbs": choose([32, 128, 512]),
            "cube.noc.link_bw_gbs": choose([128, 256, 512]),
            "pe.pe_gemm.macs_per_ns": choose([512, 2048, 4096, 8192]),
        },
        "model": {
            "hidden_size": hidden,
            "num_attention_heads": queries,
            "num_key_value_heads": kv,
            "head_dim": head,
            "intermediate_size": hidden * choose([2, 3]),
            "num_hidden_layers": 1,
            "vocab_size": 256,
            "hidden_act": "silu",
            "torch_dtype": "bfloat16",
        },
        "phase": ["--phase", "prefill", "--prompt", str(choose([16, 40, 64, 128]))] if prefill else
                 ["--phase", "decode", "--context", "32", "--batch", str(choose([1, 4, 16, 48]))],
    }


def run(kbsim: str, topology: str, case: dict, mapping: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "config.json"
        model.write_text(json.dumps(case["model"]))
        settings = [word for key, value in case["set"].items() for word in ("--set", f"{key}={value}")]
        command = [kbsim, "--topology", topology, "--bench", "llm", "--timing-only", "--json", "--model", str(model),
                   "--mapping", mapping, *case["phase"], *settings]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)["rows"][0]


def time_of(row: dict) -> float:
    return sum(each["path_us"] for each in row["operations"] if each["operation"] in PRODUCTS)


def measured(kbsim: str, topology: str, case: dict) -> dict:
    rows = {mapping: run(kbsim, topology, case, mapping) for mapping in (*MAPPINGS, "auto")}
    paths = {mapping: {each["operation"]: each["path_us"] for each in row["operations"]
                       if each["operation"] in PRODUCTS} for mapping, row in rows.items()}
    return {"case": case, "times": {mapping: time_of(row) for mapping, row in rows.items()}, "paths": paths,
            "choices": rows["auto"]["choices"]}


def line_of(number: int, result: dict) -> str:
    times = result["times"]
    best = min(times[mapping] for mapping in MAPPINGS)
    chosen = ", ".join(f"{each['operation']} {each['mapping']}" for each in result["choices"])
    return (f"{number:3} columns {times['columns']:9.3f} blocks {times['blocks']:9.3f} auto {times['auto']:9.3f} us, "
            f"{times['auto'] / best:.3f} of the best ({chosen})")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kbsim")
    parser.add_argument("topology")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--save")
    options = parser.parse_args()
    numbers = [options.only] if options.only is not None else range(options.cases)
    results = []
    for number in numbers:
        case = drawn(random.Random(f"{options.seed} {number}"))
        results.append(measured(options.kbsim, options.topology, case))
        print(line_of(number, results[-1]), flush=True)
        if options.save:
            pathlib.Path(options.save).write_text(json.dumps(results))
    ratios = [result["times"]["auto"] / min(result["times"][mapping] for mapping in MAPPINGS) for result in results]
    apart = sum(max(r["times"][m] for m in MAPPINGS) > 1.2 * min(r["times"][m] for m in MAPPINGS) for r in results)
    near = sum(ratio <= 1.05 for ratio in ratios)
    print(f"auto is within 5 % in {near} of {len(ratios)}, at most {100 * (max(ratios) - 1):.1f} % off; "
          f"columns and blocks differ by more than 20 % in {apart}")
    good = near >= 0.9 * len(ratios) and max(ratios) <= 1.2 and apart >= 0.5 * len(ratios)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
