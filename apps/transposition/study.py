"""Study of collective algorithms on several machines: a sweep of transposition.py over algorithms, machines and ranks.

study.py RESULTS.json [--ranks N] [--plots FOLDER]

Each point is one run of pysmpirun. Its outcome is stored in the file immediately, and stored points are not run again.
docs/exascale.md describes the results.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import machines
import plots
from sweep import PARTS, Point, points


def run(point: Point) -> dict[str, float]:
    """Return the outcome of a point.

    Raises:
        subprocess.CalledProcessError: if the run failed; its errors are on standard error.
    """
    with tempfile.TemporaryDirectory() as folder:
        platform = os.path.join(folder, "machine.xml")
        machines.machine(point.machine, point.ranks).write(platform)
        done = subprocess.run(point.command(platform), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def load(path: pathlib.Path) -> dict[str, dict[str, float]]:
    """Return the outcomes so far, by the keys of the points."""
    return json.loads(path.read_text()) if path.exists() else {}


def store(path: pathlib.Path, outcomes: dict[str, dict[str, float]]) -> None:
    """Write the file completely or not at all."""
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(outcomes, indent=0) + "\n")
    partial.replace(path)


def main() -> int:
    """Run missing points, and draw the plots."""
    parser = argparse.ArgumentParser(description="Sweeps transposition.py over algorithms, machines and ranks.")
    parser.add_argument("results", type=pathlib.Path, help="file of outcomes; created or extended")
    parser.add_argument("--ranks", type=int, default=max(PARTS), help="run points with at most N ranks")
    parser.add_argument("--plots", type=pathlib.Path, help="draw into this folder")
    options = parser.parse_args()
    outcomes = load(options.results)
    missing = [point for point in dict.fromkeys(points()) if point.key() not in outcomes]
    missing = [point for point in missing if point.ranks <= options.ranks]
    for number, point in enumerate(missing, 1):
        print(f"{number} of {len(missing)}: {point.algorithm} on {point.ranks} ranks, {point.machine}", flush=True)
        outcomes[point.key()] = run(point)
        print(outcomes[point.key()], flush=True)
        store(options.results, outcomes)
    if options.plots is not None:
        options.plots.mkdir(parents=True, exist_ok=True)
        plots.draw_all(outcomes, options.plots)
    return 0


if __name__ == "__main__":
    sys.exit(main())
