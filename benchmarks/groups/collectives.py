"""Collectives on one core: the cost of a call of all ranks."""

from collections.abc import Iterator

from rows import BUDGETS, Context, Row
from sides import LARGE_FAT_TREE, ours

from groups.beside import Pattern, row

__all__ = ["rows"]

ALLREDUCE, LARGE_ALLREDUCE = BUDGETS[1], BUDGETS[8]
PATTERNS = (
    Pattern("collective", "allreduce", 8, 1024, 100, 10, most=5, least=20, table=ALLREDUCE),
    Pattern("collective", "allreduce", 8, 4096, 20, 2, most=30, least=20, table=ALLREDUCE),
    Pattern("collective", "bcast", 1 << 20, 1024, 20, 10, least=5),
)
LARGE = 65_536


def rows(context: Context) -> Iterator[Row]:
    """Yield rows that compare patterns with SMPI, then rows for 65,536 ranks without contention, and for an exchange's
    memory."""
    for pattern in PATTERNS:
        yield row(pattern, context)
    ranks = context.ranks(LARGE)
    program, model = "patterns/collective.py", ["--cfg=network/model:LogGPS"]
    reduced = ours(LARGE_FAT_TREE, ranks, program, "allreduce", 8, 2, options=model).told
    yield Row(f"allreduce 8 B, {ranks:,} ranks, LogGPS", reduced["seconds"] / 2, "s", most=2, table=LARGE_ALLREDUCE)
    yield Row(
        f"allreduce 8 B, {ranks:,} ranks, LogGPS, memory",
        reduced["peak"] / 1e9,
        "GB",
        "memory",
        most=1,
        table=LARGE_ALLREDUCE,
    )
    begun = ours(LARGE_FAT_TREE, ranks, program, "alltoall", 8, "start").told
    yield Row(f"alltoall 8 B, {ranks:,} ranks, memory to begin in", begun["peak"] / 1e9, "GB", "memory")
