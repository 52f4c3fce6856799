"""Many simultaneous flows that share links: all-to-all exchanges, and random permutations of growing size."""

import math
from collections.abc import Iterator

from rows import BUDGETS, Context, Row
from sides import LARGE_FAT_TREE, ours

from groups.beside import Pattern, row

__all__ = ["rows"]

# Patterns with 256 ranks take SMPI a minute; with 128 ranks, they take seconds and are part of every run.
EXCHANGES = (
    Pattern("messages", "burst", 1024, 256, 1, 1, "s", most=0.3, table=BUDGETS[2], long_there=True),
    Pattern("messages", "burst", 1024, 128, 1, 1, "s", least=20),
    Pattern("collective", "alltoall", 8192, 256, 1, 1, "s", most=0.3, least=20, table=BUDGETS[2], long_there=True),
    Pattern("collective", "alltoall", 8192, 128, 1, 1, "s", least=20),
    Pattern("messages", "permutation", 1_000_000, 512, 8, 2, "s"),
    Pattern("messages", "permutation", 1_000_000, 4096, 4, 1, "s", most=0.1, table=BUDGETS[3], long_there=True),
)
SIZES = (512, 1024, 2048, 4096, 8192)


def rows(context: Context) -> Iterator[Row]:
    """Yield rows that compare patterns with SMPI, then a row for the growth of a permutation's cost."""
    for pattern in EXCHANGES:
        yield row(pattern, context)
    sizes = [size for size in SIZES if size <= context.most_ranks] or [context.most_ranks // 2, context.most_ranks]
    words = ("patterns/messages.py", "permutation", 1_000_000)
    costs = []
    for size in sizes:
        costs.append(ours(LARGE_FAT_TREE, size, *words, 2).told["seconds"] / 2)
    yield Row(
        f"permutation 1 MB, exponent from {sizes[0]:,} to {sizes[-1]:,} ranks",
        slope(sizes, costs),
        "",
        kind=None,
        most=1.3,
        note=", ".join(f"{size:,}: {cost * 1e3:.0f} ms" for size, cost in zip(sizes, costs, strict=True)),
    )


def slope(sizes: list[int], costs: list[float]) -> float:
    """Return the exponent of the best-fitting power law."""
    x, y = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    middle, mean = sum(x) / len(x), sum(y) / len(y)
    return sum((a - middle) * (b - mean) for a, b in zip(x, y, strict=True)) / sum((a - middle) ** 2 for a in x)
