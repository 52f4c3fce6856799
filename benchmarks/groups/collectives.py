"""Collectives on one core: a call of all ranks."""

from collections.abc import Iterator

from rows import Context, Row
from sides import LARGE_FAT_TREE, ours

from groups.beside import Pattern, row

__all__ = ["rows"]

PATTERNS = (
    Pattern("collective", "allreduce", 8, 1024, (1, 101), (1, 11), most=5, least=20),
    Pattern("collective", "allreduce", 8, 4096, (1, 21), (1, 2), most=40, least=20),
    Pattern("collective", "bcast", 1 << 20, 1024, (1, 21), (1, 11), least=5),
)
LARGE = 65_536


def rows(context: Context) -> Iterator[Row]:
    """Beside SMPI; then 65,536 ranks without contention, and the memory that an exchange among them begins in."""
    for pattern in PATTERNS:
        yield row(pattern, context)
    ranks = context.ranks(LARGE)
    program = "patterns/collective.py"
    runs = [
        ours(LARGE_FAT_TREE, ranks, program, "allreduce", 8, n, options=["--cfg=network/model:LogGPS"]) for n in (1, 3)
    ]
    taken = (runs[1].seconds - runs[0].seconds) / 2
    yield Row(f"allreduce 8 B, {ranks:,} ranks, LogGPS", taken, "s", most=2)
    yield Row(f"allreduce 8 B, {ranks:,} ranks, LogGPS, memory", runs[1].peak / 1e9, "GB", "memory", most=1)
    begun = ours(LARGE_FAT_TREE, ranks, program, "alltoall", 8, "start")
    yield Row(f"alltoall 8 B, {ranks:,} ranks, memory to begin in", begun.peak / 1e9, "GB", "memory")
