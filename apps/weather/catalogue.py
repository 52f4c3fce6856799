"""Figures of the study: curves, and the points of each curve.

Figures 5a to 10c are those of Zheng and Marguinaud (Geoscientific Model Development 11, 3409-3426, 2018). Figures C3,
C5, C7, C10, C13, C14, C15 and C16 show what a statement of theirs depends on; docs/exascale.md has the statements.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import machines
from points import GRID, Point, split
from thinning import thin_grid

COST = 5e-7
"""Seconds of a rank for each message sent and each one received."""
COSTS = (2e-6, 5e-7, 1e-7, 2e-8)
RADICES = tuple(range(2, 33))
SOME_RADICES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 21, 25, 32)
GROUPS = 40
"""Groups of ranks between which delays are summed."""
TRANSPOSITION = {"pattern": "transposition", "machine": "dragonfly-MM"}
HALO = {"pattern": "halo", "machine": "dragonfly-ML"}
ALLREDUCE = {"pattern": "allreduce", "machine": "dragonfly-ML"}
BUFFER_96, BUFFER_128 = "packets/buffer:98304", "packets/buffer:131072"
ENDLESS, BYPASS = "packets/buffer:inf", "packets/bypass:256"
SST = {"routing": "ugal-sst7"}
"""UGAL as in the simulator of the original."""


@dataclass(frozen=True)
class Curve:
    """Curve of a figure: its label, and the options in which its points differ from others."""

    label: str
    options: dict[str, Any] = field(hash=False)
    radices: tuple[int, ...] = ()
    """Radices of recursive-k; the curve shows the best one at each number of ranks."""

    def points(self, ranks: int, model: str) -> list[Point]:
        """Return the points for a number of ranks: one, or one for each radix; none if the model lacks a setting."""
        first = point(ranks, model, **self.options)
        if first is None or not self.radices:
            return [] if first is None else [first]
        return [replace(first, algorithm=f"recursive-{radix}") for radix in self.radices if radix <= ranks]


@dataclass(frozen=True)
class Figure:
    """Figure: what it shows, how it is drawn, its curves, and the largest number of ranks in the paper's figure."""

    title: str
    kind: str
    """times, delays, pairs, partners or radices."""
    curves: tuple[Curve, ...]
    most: int = 200_000


def point(ranks: int, model: str, **options: Any) -> Point | None:
    """Return a point of the study, or None if it has settings of packets but another model.

    Only packets need a thin grid: other models take no longer if messages are larger.
    """
    pattern = options["pattern"]
    default: dict[str, Any] = {"ranks": ranks, "model": model, "width": 20, "cfg": ""}
    default |= {"bandwidth": machines.BANDWIDTH, "latency": machines.LATENCY, "message_cost": COST, "delays": None}
    default["algorithm"] = "ring-4" if pattern == "transposition" else None
    given = default | options
    if given["cfg"] and model != "packets":
        return None
    given["cx"], given["cy"] = split(pattern, ranks, GRID)
    given["grid"] = GRID
    if model == "packets":
        given["grid"] = thin_grid(pattern, given["cx"], given["cy"], given["width"], given["latency"])
    if model == "floors":  # only other options matter
        given |= {name: default[name] for name in ("algorithm", "latency", "message_cost", "delays")}
    made = Point.of(given)
    return replace(made, message_cost=made.message_cost / made.scale)


def _curves(common: dict[str, Any], *rows: tuple[str, dict[str, Any]]) -> tuple[Curve, ...]:
    return tuple(Curve(label, common | options) for label, options in rows)


def _each(common: dict[str, Any], name: str, values: dict[str, Any]) -> tuple[Curve, ...]:
    return tuple(Curve(label, common | {name: value}) for label, value in values.items())


_ALGORITHMS = {name: name for name in ("burst", "bruck", "ring-1", "ring-4")}
_ROUTINGS = {"minimal": None, "valiant": "valiant", "ugal": "ugal"}
_BANDWIDTHS = {f"{number:,} GB/s": f"{number}GBps" for number in (1, 10, 100, 1000)}
_LATENCIES = {f"{number:,} ns": f"{number}ns" for number in (10, 100, 1000, 10000)}
_LARGE = {name: name for name in ("torus-L", "fattree-L", "dragonfly-ML")}
_DELAYS = TRANSPOSITION | {"delays": GROUPS}
_FOUR: tuple[tuple[str, dict[str, Any]], ...] = (
    ("dragonfly-MM, minimal", {}),
    ("dragonfly-MM, valiant", {"routing": "valiant"}),
    ("dragonfly-MM, ugal", {"routing": "ugal"}),
    ("dragonfly-SL, minimal", {"machine": "dragonfly-SL"}),
)
_BESIDE = (Curve("transposition, dragonfly-MM", TRANSPOSITION),)

FIGURES = {
    "5a": Figure("transpositions by algorithm, dragonfly-MM", "times",
                 _each(TRANSPOSITION, "algorithm", _ALGORITHMS)),
    "5b": Figure("transpositions by topology", "times",
                 _each(TRANSPOSITION, "machine", {name: name for name in ("torus-M", "fattree-M", "dragonfly-MM")})),
    "5c": Figure("transpositions by shape of the dragonfly", "times",
                 _each(TRANSPOSITION, "machine", {f"dragonfly-{name}": f"dragonfly-{name}"
                                                  for name in ("MM", "SL", "LS")})),
    "5d": Figure("transpositions by routing, dragonfly-MM", "times", _each(TRANSPOSITION, "routing", _ROUTINGS)),
    "5e": Figure("transpositions by bandwidth, dragonfly-MM", "times",
                 _each(TRANSPOSITION, "bandwidth", _BANDWIDTHS)),
    "5f": Figure("transpositions by latency, dragonfly-MM", "times", _each(TRANSPOSITION, "latency", _LATENCIES)),
    "7": Figure("delays of packets by sender and receiver", "pairs", _curves(_DELAYS, *_FOUR), 10_000),
    "8a": Figure("delays of packets by routing and shape", "delays", _curves(_DELAYS, *_FOUR), 10_000),
    "8b": Figure("delays of packets by bandwidth", "delays", _each(_DELAYS, "bandwidth", _BANDWIDTHS), 10_000),
    "8c": Figure("delays of packets by latency", "delays", _each(_DELAYS, "latency", _LATENCIES), 10_000),
    "9a": Figure("halo by width, dragonfly-ML", "times",
                 (*_each(HALO, "width", {f"halo, w = {w}": w for w in (3, 10, 20, 30)}), *_BESIDE), 1_000_000),
    "9b": Figure("halo (w = 20) by topology", "times", _each(HALO, "machine", _LARGE), 1_000_000),
    "9c": Figure("halo (w = 20) by routing, dragonfly-ML", "times", _each(HALO, "routing", _ROUTINGS), 1_000_000),
    "9d": Figure("partners of a rank in a wide halo", "partners", (), 1_000_000),
    "10a": Figure("50 allreduces by algorithm, dragonfly-ML", "times",
                  (Curve("MPI_Allreduce", ALLREDUCE), Curve("recursive-2", ALLREDUCE | {"algorithm": "recursive-2"}),
                   Curve("recursive-k, best k", ALLREDUCE, RADICES), *_BESIDE), 1_000_000),
    "10b": Figure("50 allreduces (recursive-4) by topology", "times",
                  _each(ALLREDUCE | {"algorithm": "recursive-4"}, "machine", _LARGE), 1_000_000),
    "10c": Figure("best radices of recursive-k, dragonfly-ML", "radices",
                  tuple(Curve(f"{cost * 1e6:g} us a message", ALLREDUCE | {"message_cost": cost}, RADICES)
                        for cost in COSTS), 1_000_000),
    "C3": Figure("transpositions by algorithm and buffer, dragonfly-MM, valiant", "times",
                 _curves(TRANSPOSITION | {"routing": "valiant"},
                         *((f"{name}, {size}", {"algorithm": name, "cfg": cfg})
                           for name in ("burst", "ring-1", "ring-4")
                           for size, cfg in (("32 KiB", ""), ("128 KiB", BUFFER_128), ("endless", ENDLESS))))),
    "C5": Figure("transpositions by number of cables of a router to other groups", "times",
                 _curves(TRANSPOSITION, *((f"{machine}, {cables}", {"machine": machine, "global_cables": cables})
                                          for machine in ("dragonfly-MM", "dragonfly-SL") for cables in (1, 5, 25)))),
    "C7": Figure("transpositions on dragonfly-MM with endless buffers, and by UGAL as in SST/macro", "times",
                 (*_each(TRANSPOSITION | {"cfg": ENDLESS}, "routing", _ROUTINGS),
                  *_curves(TRANSPOSITION, ("ugal-sst7, endless buffers", SST | {"cfg": ENDLESS}),
                           ("ugal-sst7, 96 KiB", SST | {"cfg": BUFFER_96}), ("ugal-sst7", SST),
                           *((f"{name}, 100 GB/s", {"routing": name, "bandwidth": "100GBps"})
                             for name in ("valiant", "ugal", "ugal-sst7")),
                           ("ugal-sst7, 1,000 GB/s", SST | {"bandwidth": "1000GBps"})))),
    "C10": Figure("transpositions by bandwidth, dragonfly-MM: what flattens", "times",
                  (*_each(TRANSPOSITION | {"cfg": ENDLESS}, "bandwidth",
                          {f"{name}, endless buffers": value for name, value in _BANDWIDTHS.items()}),
                   *_each(TRANSPOSITION | {"latency": "1us"}, "bandwidth",
                          {f"{name}, 1 us": value for name, value in _BANDWIDTHS.items()}))),
    "C13": Figure("transposition, halo (w = 20) and 50 allreduces (recursive-4) on dragonfly-ML", "times",
                  (Curve("transposition", TRANSPOSITION | {"machine": "dragonfly-ML"}), Curve("halo", HALO),
                   Curve("50 allreduces", ALLREDUCE | {"algorithm": "recursive-4"})), 1_000_000),
    "C14": Figure("halo (w = 20) on dragonfly-ML by routing without limits of buffers", "times",
                  _each(HALO | {"cfg": ENDLESS}, "routing", _ROUTINGS), 1_000_000),
    "C15": Figure("best radices where short messages meet nobody, dragonfly-ML", "radices",
                  tuple(Curve(f"{cost * 1e6:g} us a message", ALLREDUCE | {"message_cost": cost, "cfg": BYPASS},
                              SOME_RADICES) for cost in COSTS), 1_000_000),
    "C16": Figure("50 allreduces (recursive-4) where short messages meet nobody, and by routing", "times",
                  (*(Curve(f"{name}, bypass", ALLREDUCE | {"algorithm": "recursive-4", "machine": name,
                                                           "cfg": BYPASS}) for name in _LARGE),
                   *(Curve(f"dragonfly-ML, {name}", ALLREDUCE | {"algorithm": "recursive-4", "routing": value})
                     for name, value in _ROUTINGS.items())), 1_000_000),
}  # fmt: skip


def with_delays(point: Point) -> Point:
    """Return the point that also reports packets' delays. Its outcome stands for that of the point without them."""
    return replace(point, delays=GROUPS)


def points(figure: str, ranks: int, model: str) -> Iterator[Point]:
    """Yield the points of a figure for a number of ranks."""
    for curve in FIGURES[figure].curves:
        yield from curve.points(ranks, model)
