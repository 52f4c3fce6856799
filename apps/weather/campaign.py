"""Simulation of the missing points of figures, each in a process of its own."""

import json
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed

from catalogue import points, with_delays
from points import Point
from results import Outcome, Results

STUDY = pathlib.Path(__file__).with_name("study.py")


def missing(results: Results, figures: Iterable[str], ranks: Iterable[int], model: str) -> list[Point]:
    """Return the points of figures that are not stored, those with few ranks first."""
    wanted: dict[str, Point] = {}
    for count in sorted(ranks):
        for name in figures:
            for point in points(name, count, model):
                if results.get(point) is None:
                    wanted.setdefault(point.key, point)
    return [point for point in wanted.values() if point.delays or with_delays(point).key not in wanted]


def command(point: Point) -> list[str]:
    """Return the command that prints the outcome of a point."""
    words = [sys.executable, str(STUDY), "--json", "--point", point.pattern, "--machine", point.machine]
    words += ["--ranks", str(point.ranks), "--cx", str(point.cx), "--cy", str(point.cy), "--model", point.model]
    for name, value in point.settings().items():
        for one in value if name == "cfg" else [value]:
            words += [f"--{name}", *map(str, one if isinstance(one, list) else [one])]
    return words


def simulate(results: Results, wanted: list[Point], jobs: int) -> int:
    """Simulate points, `jobs` at a time, and store each when it is complete; return the number of failures."""
    failures = 0
    with ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(_outcome, point): point for point in wanted}
        for number, run in enumerate(as_completed(runs), 1):
            point, (outcome, seconds) = runs[run], run.result()
            if outcome is None:
                failures += 1
            else:
                results.add(outcome)
            ending = "failed" if outcome is None else f"stored after {seconds:.1f} s"
            print(f"{number} of {len(wanted)}: {point.text}: {ending}", file=sys.stderr, flush=True)
    return failures


def _outcome(point: Point) -> tuple[Outcome | None, float]:
    begin = time.monotonic()
    done = subprocess.run(command(point), stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.monotonic() - begin
    return (json.loads(done.stdout) if done.returncode == 0 else None), seconds
