"""The benchmarks: python benchmarks/run.py [GROUP…] [--long] [--alone] [--ranks N] [--json FILE] [--store].

The table shows the cost under pysmpi, the cost under SMPI for the same pattern on the same platform in the same run (if
smpirun is installed), and their ratio. It also shows the budget of each row with its verdict, and a comparison with an
earlier run (baselines.json: ratios to a calibration loop, bytes and instructions, no seconds). All times are processor
time on one core. docs/benchmarks.md explains the rows. The exit status is 1 if the instructions of a hot path have
grown.
"""

import argparse
import json
import pathlib
import resource
import tempfile

from groups import GROUPS
from rows import BUDGETS, Baselines, Context, Row
from sides import HERE, Smpi, calibrate


def main() -> int:
    """Run the groups that the command line names, or all."""
    parser = argparse.ArgumentParser(description="Runs benchmarks.")
    parser.add_argument("--long", action="store_true", help="also run benchmarks that take hours or much memory")
    parser.add_argument("--alone", action="store_true", help="omit SMPI, which takes most of the time")
    parser.add_argument("--ranks", type=int, default=1 << 30, metavar="N", help="limit of ranks, for a quick look")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all results to this file")
    parser.add_argument("--store", action="store_true", help="store this run as the one to compare with")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"one or more of {', '.join(GROUPS)} (all)")
    arguments = parser.parse_args()
    for group in arguments.groups:
        if group not in GROUPS:
            parser.error(f"there is no group {group!r}; there are {', '.join(GROUPS)}")
    calibration = calibrate()
    print(f"calibration: {calibration * 1e3:.0f} ms", flush=True)
    baselines = Baselines(HERE / "baselines.json")
    found: dict[str, list[Row]] = {}
    failed = False
    with tempfile.TemporaryDirectory() as directory:
        smpi = Smpi(directory) if Smpi.is_here() and not arguments.alone else None
        if not Smpi.is_here():
            print("smpirun and smpicc not found: pysmpi only")
        context = Context(smpi, arguments.ranks, arguments.long)
        for group in arguments.groups or GROUPS:
            print(f"\n{group:62} {'ours':>12} {'exact':>12} {'SMPI':>12} {'ratio':>8}", flush=True)
            found[group] = []
            for row in GROUPS[group](context):
                found[group].append(row)
                word, error = baselines.verdict(group, row, calibration)
                failed = failed or error
                print(line(row, word), flush=True)
            print(f"{group}: {spent():.0f} s of processor time since the start", flush=True)
            if arguments.store:
                baselines.store(group, found[group], calibration)
    if arguments.json:
        described = {group: [row.described(calibration) for row in rows] for group, rows in found.items()}
        arguments.json.write_text(json.dumps({"calibration": calibration, "groups": described}, indent=2) + "\n")
    print(summary(found))
    print(table(found))
    return int(failed)


def spent() -> float:
    """Return the processor seconds of all child processes."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def line(row: Row, word: str) -> str:
    """Return a row of the table; `word` compares it with its stored value."""
    smpi = f"{row.smpi:,.4g} {row.unit}" if row.smpi is not None else ""
    ratio = f"{row.ratio:,.1f} x" if row.ratio is not None else ""
    words = "; ".join([*row.words(), *([word] if word else [])])
    exact = f"{row.exact:,.4g} {row.unit}" if row.exact is not None else ""
    return f"{row.name:62} {f'{row.ours:,.4g} {row.unit}':>12} {exact:>12} {smpi:>12} {ratio:>8}  {words}".rstrip()


def summary(found: dict[str, list[Row]]) -> str:
    """Return the number of budgets met, and the names of missed ones."""
    judged = [(group, row) for group, rows in found.items() for row in rows if row.reached is not None]
    missed = [f"{group}: {row.name}" for group, row in judged if not row.reached]
    held = f"\n{len(judged) - len(missed)} of {len(judged)} budgets reached"
    return held + ("; missed:\n" + "\n".join(missed) if missed else "")


def table(found: dict[str, list[Row]]) -> str:
    """Return the project's budgets, each with its rows and its verdict."""
    lines = ["\nbudgets"]
    for name in BUDGETS:
        rows = [row for each in found.values() for row in each if row.table == name]
        verdict = "not run" if not rows else "REACHED" if all(row.within() for row in rows) else "MISSED"
        lines.append(f"{name:62} {verdict}")
        for row in rows:
            figures = f"{row.judged:,.4g} of {row.most:,.4g} {row.unit}"
            lines.append(f"    {row.name:58} {figures}{'' if row.within() else ', missed'}")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
