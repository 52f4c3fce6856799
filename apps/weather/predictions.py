"""Predictions of what the paper leaves open, and other figures of many points, computed from stored points."""

import math
import statistics
from typing import Any

from catalogue import FIGURES, Curve, points
from drawing import floor_points, radix, timed_points
from results import Results
from scipy.stats import spearmanr

from pysmpi.platform.units import parse_bandwidth

MODEL = "packets"
RISE = 1.1
"""Ratio of times above which a curve rises; thin grids make less than this uncertain."""
AHEAD = 3
"""Times that must all be longer where a curve stops to fall."""


def bruck_from(results: Results) -> dict[str, int | None]:
    """Return for each ring the least number of ranks from which Bruck's algorithm is faster, or None."""
    curves = {curve.label: dict(timed_points(curve, results, MODEL)) for curve in FIGURES["5a"].curves}
    found: dict[str, int | None] = {}
    for rival in ("ring-1", "ring-4"):
        faster: int | None = None
        for ranks in sorted(curves["bruck"].keys() & curves[rival].keys(), reverse=True):
            if curves["bruck"][ranks] >= curves[rival][ranks]:
                break
            faster = ranks
        found[rival] = faster
    return found


def estimated(curve: Curve, results: Results) -> list[tuple[int, float]]:
    """Return ranks and seconds of a curve, by ranks.

    Where it is not simulated, seconds are estimated: the floor, multiplied by the ratio of time and floor at the next
    smaller number of ranks that is. Under UGAL the floor leaves out most links, so nothing is estimated.
    """
    seconds, floors = dict(timed_points(curve, results, MODEL)), dict(floor_points(curve, results))
    rows, ratio = dict(seconds), None
    for ranks, floor in sorted(floors.items()):
        if ranks in seconds:
            ratio = seconds[ranks] / floor
        elif ratio is not None and curve.options.get("routing") != "ugal":
            rows[ranks] = floor * ratio
    return sorted(rows.items())


def simulated(curve: Curve, results: Results) -> list[int]:
    """Return the numbers of ranks at which a curve is simulated; elsewhere `estimated` estimates it."""
    return [ranks for ranks, _ in timed_points(curve, results, MODEL)]


def stops(rows: list[tuple[int, float]]) -> int | None:
    """Return the number of ranks at which a curve stops to fall, or None; rows are ranks and seconds, by ranks.

    It is the first one after which the next `AHEAD` times, or as many as there are, are all more than `RISE` times as
    long. So a single estimate that is too long is no end.
    """
    for place, (ranks, now) in enumerate(rows[:-1]):
        if all(later > RISE * now for _, later in rows[place + 1 : place + 1 + AHEAD]):
            return ranks
    return None


def minima(results: Results) -> list[dict[str, Any]]:
    """Return for each curve of figures 5b to 5d the number of ranks at which the time stops to fall, or None."""
    return [row | {"ranks": stops([(ranks, seconds) for ranks, seconds in estimated(curve, results) if ranks <= most])}
            for row, curve, most in _transpositions()]  # fmt: skip


def simulated_transpositions(results: Results) -> list[dict[str, Any]]:
    """Return for each curve of `minima` the numbers of ranks at which it is simulated."""
    return [row | {"ranks": simulated(curve, results)} for row, curve, _ in _transpositions()]


def _transpositions() -> list[tuple[dict[str, str], Curve, int]]:
    """Return machine and routing, the last of the curves with these, and its largest number of ranks."""
    found = {}
    for name in ("5b", "5c", "5d"):
        for curve in FIGURES[name].curves:
            row = {"machine": curve.options["machine"], "routing": curve.options.get("routing") or "minimal"}
            found[tuple(row.values())] = row, curve, FIGURES[name].most
    return list(found.values())


def torus_halo(results: Results) -> list[list[float]]:
    """Return ranks and seconds of the halo of width 20 on torus-L."""
    return [[ranks, seconds] for ranks, seconds in estimated(FIGURES["9b"].curves[0], results)]


def radices(results: Results, figure: str = "10c") -> list[dict[str, Any]]:
    """Return for each cost of a message the least, the median and the greatest of the best radices."""
    found = []
    for curve in FIGURES[figure].curves:
        best = (results.best(curve, ranks, MODEL) for ranks in results.ranks)
        all_of_them = [radix(outcome) for outcome in best if outcome is not None]
        if all_of_them:
            found.append({"message_cost": curve.options["message_cost"], "least": min(all_of_them),
                          "median": statistics.median(all_of_them), "greatest": max(all_of_them)})  # fmt: skip
    return found


def order(results: Results) -> tuple[dict[str, list[str] | None], list[str]]:
    """Return the machines by the time of allreduces, the best first, and the numbers of ranks that are simulated.

    Where a machine is not simulated, its time follows the power law of the two largest numbers of ranks that are; with
    fewer than two, the order is None.
    """
    found: dict[str, list[str] | None] = {}
    known = []
    for ranks in (100_000, 1_000_000):
        rows = {curve.label: timed_points(curve, results, MODEL) for curve in FIGURES["10b"].curves}
        if all(ranks in dict(points) for points in rows.values()):
            known.append(str(ranks))
        seconds = {name: _continued([row for row in points if row[0] <= ranks], ranks) for name, points in rows.items()}
        named = {name: value for name, value in seconds.items() if value is not None}
        found[str(ranks)] = sorted(named, key=lambda name: named[name]) if len(named) == len(rows) else None
    return found, known


def _continued(rows: list[tuple[int, float]], ranks: int) -> float | None:
    """Return the seconds at a number of ranks by the power law of the last two rows, or None if there are none."""
    if rows and rows[-1][0] == ranks:
        return rows[-1][1]
    if len(rows) < 2:
        return None
    (before, first), (last, second) = rows[-2:]
    exponent = math.log(second / first) / math.log(last / before)
    return second * math.exp(exponent * math.log(ranks / last))


def evenness(results: Results) -> tuple[float, int]:
    """Return the rank correlation of load and time over the points of figures 5b to 5d, and the number of points.

    Load is the floor, which is that of the busiest cable. Load and time are relative to the seconds that a rank's own
    bytes take over its cable, so that the number of ranks does not matter.
    """
    pairs = {}
    for point in (
        point for name in ("5b", "5c", "5d") for ranks in results.ranks for point in points(name, ranks, MODEL)
    ):
        outcome = results.get(point)
        if outcome is not None:
            own = 3 * 8 * math.prod(point.sizes) / point.ranks / parse_bandwidth(point.bandwidth, "bandwidth")
            pairs[point] = (outcome["floor"] / own, outcome["seconds"] / own)
    return float(spearmanr(*zip(*pairs.values(), strict=True)).statistic), len(pairs)
