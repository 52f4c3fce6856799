"""Calls of MPI_Dims_create whose results are recorded."""

import math
import random
from collections.abc import Iterator

__all__ = ["cases"]


def cases() -> Iterator[tuple[int, list[int]]]:
    """Yield number of nodes and extents of each call; the extents to be chosen are 0."""
    for dimensions, most in ((1, 40), (2, 1300), (3, 1300), (4, 600), (5, 600), (6, 130)):
        for nodes in range(1, most + 1):
            yield nodes, [0] * dimensions
    draw = random.Random(48)
    for _ in range(900):  # numbers with many divisors, and numbers with few
        nodes = math.prod(draw.choices((2, 2, 2, 3, 3, 5, 7, 11, 13), k=draw.randint(2, 11)))
        if nodes < 2**20:
            yield nodes, [0] * draw.randint(2, 5)
        yield draw.randint(1300, 2**20 - 1), [0] * draw.randint(2, 5)
    for _ in range(900):  # some extents are given, and need not divide the number of nodes
        extents = [draw.choice((0, 0, 0, 1, 2, 3, 4, 5, 6, 10)) for _ in range(draw.randint(1, 6))]
        fixed = math.prod(extent for extent in extents if extent > 0)
        yield fixed * draw.randint(1, 300) if draw.random() < 0.85 else draw.randint(1, 3000), extents
    yield from ((-1, [0, 0]), (6, [-1, 0]), (6, [4, 0]), (6, [2, 2]), (8, [2, 2]), (4, [2, 2]))
    yield from ((6, [0, -2, 0]), (6, []), (12, [12]), (12, [6]), (12, [6, 4]), (12, [6, 4, 0]), (2**30, [0, 0, 0]))
