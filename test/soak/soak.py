"""Draws machines, algorithms and programs at random and runs them, until the time is up. A line for
each kind of finding, with the command that shows it. Started by scripts/soak.sh."""
import argparse
import itertools
import multiprocessing
import random
import sys
import time
from collections import Counter
from pathlib import Path

import cases
from judge import Judge
from keys import Keys
from shrink import kind_of, shrink

ROOT = Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=None, help="of all cases; the time of day if not given")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--release", required=True, help="the build folder to try")
    parser.add_argument("--debug", help="a build with sanitizers; some cases run there, too")
    parser.add_argument("--case", type=int, help="only this one of the seed")
    parser.add_argument("--cases", type=int, default=10**9, help="so many at most")
    parser.add_argument("--family", choices=[family.__name__ for family, _ in cases.FAMILIES],
                        help="only cases of this family")
    return parser.parse_args()


def try_case(job):
    """Draws and judges case `number` of `seed`: its finding, the smaller case, and how runs
    ended; nothing once the time is up."""
    seed, number, options, end = job
    if time.monotonic() > end:
        return None
    drawn = random.Random(f"{seed}/{number}")
    case = cases.draw(drawn, Keys(ROOT / "docs/reference/configuration.md"), options.family)
    judge = Judge(options.release, options.debug, drawn)
    found = judge.judge(case)
    exits = dict(judge.exits)
    if found:
        case = shrink(case, found, Judge(options.release, None, drawn), 60)
    return number, found, str(case), exits


def main():
    options = arguments()
    seed = options.seed if options.seed is not None else int(time.time())
    end = time.monotonic() + 60 * options.minutes
    numbers = [options.case] if options.case is not None else range(options.cases)
    in_time = itertools.takewhile(lambda _: time.monotonic() < end, numbers)
    jobs = ((seed, number, options, end) for number in in_time)
    ran, exits, findings = 0, {}, Counter()
    print(f"soak: seed {seed}, {options.minutes:g} minutes, {options.jobs} at a time", flush=True)
    with multiprocessing.Pool(options.jobs) as pool:
        for answer in pool.imap_unordered(try_case, jobs):
            if answer is None:  # it was drawn ahead; what is being shrunk still comes
                continue
            number, found, command, ended = answer
            ran += 1
            for code, count in ended.items():
                exits[code] = exits.get(code, 0) + count
            if found and kind_of(found) not in findings:
                print(f"FAIL case {number}: {found}\n     {command}", flush=True)
            if found:
                findings[kind_of(found)] += 1
    ends = ", ".join(f"{count} exit {code}" for code, count in sorted(exits.items()))
    print(f"soak: {ran} cases ({ends}), {sum(findings.values())} findings"
          + "".join(f"\n  {count} x {kind}" for kind, count in findings.items() if count > 1), flush=True)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
