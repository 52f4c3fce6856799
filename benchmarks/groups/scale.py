"""Many ranks on a dragonfly and on a torus: seconds and bytes per rank, and an estimate for a million ranks."""

import math
from collections.abc import Iterator

from rows import BUDGETS, Context, Row
from sides import EXACT, HERE, Outcome, ours

__all__ = ["rows"]

FOLDING = "--cfg=smpi/auto-shared-malloc-thresh:4096"
PROGRAMS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("barrier", ("scale/barrier.py",), ()),
    ("halo 64 B", ("scale/halo.py", "64", "3"), ()),
    ("halo 8 KiB, folded", ("scale/halo.py", "8192", "3"), (FOLDING,)),
    ("allreduce 24 B", ("scale/allreduce.py",), ()),
)
FEW, MANY, MILLION = 16_384, 65_536, 1_000_000
SECONDS, GIGABYTES = 180, 12  # budget for a million ranks
DRAGONFLIES = {
    FEW: "dragonfly:16,1/4,1/16,1/16",
    MANY: "dragonfly:32,1/4,1/32,1/16",
    MILLION: "dragonfly:50,1/4,1/50,1/100",
}
TORI = {FEW: "torus:8,8,8,8,4", MANY: "torus:8,8,8,8,16", MILLION: "torus:10,10,10,10,10,10"}
LONG_ROUTES = str(HERE / "scale" / "torus.xml")  # SimGrid's TORUS of 100×100×100 hosts, routes of up to 150 links
NETWORKS = {"dragonfly": DRAGONFLIES, "torus": TORI}


def rows(context: Context) -> Iterator[Row]:
    """Yield rows for 16,384 and 65,536 ranks, and the extrapolation to a million; with `long`, a million is run."""
    for network, machines in NETWORKS.items():
        for name, words, options in PROGRAMS:
            few, many = (context.ranks(count) for count in (FEW, MANY))
            runs = [ours(machines[n], context.ranks(n), *words, options=options) for n in (FEW, MANY)]
            what = f"{name}, {network}"
            seconds, peaks = [each.seconds for each in runs], [each.peak for each in runs]
            yield Row(f"{what}, {many:,} ranks", seconds[1], "s", note=f"{few:,} ranks: {seconds[0]:.2f} s")
            each = (peaks[1] - peaks[0]) / max(many - few, 1)
            yield Row(f"{what}, a rank", each, "B", "memory", note=f"between {few:,} and {many:,} ranks")
            if context.long:
                whole = ours(machines[MILLION], MILLION, *words, options=options)
                yield from million(what, whole.seconds, whole.peak, "")
            elif many == MANY:
                yield from million(what, *extrapolated(few, many, runs), ", extrapolated")
    if context.long:
        for selector, options in (("smpi", ()), ("openmpi-5.0", ("--cfg=smpi/coll-selector:openmpi-5.0",))):
            whole = ours(LONG_ROUTES, MILLION, "scale/barrier_allreduce.py", options=(*EXACT, *options))
            yield from million(f"barrier and allreduce 24 B, {selector}, TORUS", whole.seconds, whole.peak, "")


def extrapolated(few: int, many: int, runs: list[Outcome]) -> tuple[float, float]:
    """Return seconds by the power law through both runs (at least proportional), and bytes in proportion."""
    growth = math.log(max(runs[1].seconds / runs[0].seconds, 1.0)) / math.log(many / few) if many > few else 1.0
    each = (runs[1].peak - runs[0].peak) / max(many - few, 1)
    return runs[1].seconds * (MILLION / many) ** max(growth, 1.0), runs[1].peak + (MILLION - many) * each


def million(what: str, seconds: float, peak: float, how: str) -> Iterator[Row]:
    """Yield rows for the time and memory of a million ranks, with their budgets."""
    table = "" if "folded" in what else BUDGETS[9]
    guard = "" if how else "memory"
    yield Row(f"{what}, {MILLION:,} ranks{how}", seconds, "s", "time" if guard else None, most=SECONDS, table=table)
    name = f"{what}, {MILLION:,} ranks{how}, memory"
    yield Row(name, peak / 1e9, "GB", guard or None, most=GIGABYTES, table=table)
