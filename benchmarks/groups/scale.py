"""Many ranks on a dragonfly and on a torus: what each costs in seconds and bytes, and with `long` a million of them."""

from collections.abc import Iterator

from rows import Context, Row
from sides import ours

__all__ = ["rows"]

FOLDING = "--cfg=smpi/auto-shared-malloc-thresh:4096"
PROGRAMS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("barrier", ("scale/barrier.py",), ()),
    ("halo 64 B", ("scale/halo.py", "64", "3"), ()),
    ("halo 8 KiB, folded", ("scale/halo.py", "8192", "3"), (FOLDING,)),
    ("allreduce 24 B", ("scale/allreduce.py",), ()),
)
MILLION = 1_000_000
DRAGONFLIES = {
    16_384: "dragonfly:16,1/4,1/16,1/16",
    65_536: "dragonfly:32,1/4,1/32,1/16",
    MILLION: "dragonfly:50,1/4,1/50,1/100",
}
TORI = {16_384: "torus:8,8,8,8,4", 65_536: "torus:8,8,8,8,16", MILLION: "torus:10,10,10,10,10,10"}
NETWORKS = {"dragonfly": DRAGONFLIES, "torus": TORI}


def rows(context: Context) -> Iterator[Row]:
    """On 16,384 and 65,536 ranks; with `long` on a million, in 180 s and 12 GB each."""
    for network, machines in NETWORKS.items():
        for name, words, options in PROGRAMS:
            few, many = (context.ranks(count) for count in (16_384, 65_536))
            runs = [ours(machines[n], context.ranks(n), *words, options=options) for n in (16_384, 65_536)]
            what = f"{name}, {network}"
            seconds, peaks = [each.seconds for each in runs], [each.peak for each in runs]
            yield Row(f"{what}, {many:,} ranks", seconds[1], "s", note=f"{few:,} ranks: {seconds[0]:.2f} s")
            each = (peaks[1] - peaks[0]) / max(many - few, 1)
            yield Row(f"{what}, a rank", each, "B", "memory", note=f"between {few:,} and {many:,} ranks")
            if context.long:
                whole = ours(machines[MILLION], MILLION, *words, options=options)
                yield Row(f"{what}, {MILLION:,} ranks", whole.seconds, "s", most=180)
                yield Row(f"{what}, {MILLION:,} ranks, memory", whole.peak / 1e9, "GB", "memory", most=12)
