"""What collectives do, written for clarity: from the blocks that each rank gives to those that each rank gets.

A rank gives one block, or one for each rank. It gets as many, or None: nothing, or nothing that is defined.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

Blocks = list[np.ndarray]  # of one rank
Received = list[Blocks | None]  # by each rank
Combine = Callable[[Any, Any], Any]


def barrier(given: list[Blocks], _root: int, _combine: Combine) -> Received:
    """Nobody gets anything."""
    return [None] * len(given)


def bcast(given: list[Blocks], root: int, _combine: Combine) -> Received:
    """What the root gives."""
    return [given[root]] * len(given)


def gather(given: list[Blocks], root: int, combine: Combine) -> Received:
    """Everybody's block, at the root."""
    return _only(root, allgather(given, root, combine))


def scatter(given: list[Blocks], root: int, _combine: Combine) -> Received:
    """Each its block of the root's."""
    return [[block] for block in given[root]]


def allgather(given: list[Blocks], _root: int, _combine: Combine) -> Received:
    """Everybody's block."""
    return [[block for (block,) in given]] * len(given)


def alltoall(given: list[Blocks], _root: int, _combine: Combine) -> Received:
    """From each its block for the rank."""
    return [[blocks[rank] for blocks in given] for rank in range(len(given))]


def scan(given: list[Blocks], _root: int, combine: Combine) -> Received:
    """The blocks up to the rank's own, combined."""
    return [[functools.reduce(combine, [block for (block,) in given[: rank + 1]])] for rank in range(len(given))]


def exscan(given: list[Blocks], root: int, combine: Combine) -> Received:
    """The blocks below the rank's own, combined."""
    return [None, *scan(given, root, combine)[:-1]]


def allreduce(given: list[Blocks], root: int, combine: Combine) -> Received:
    """All blocks, combined."""
    return [[functools.reduce(combine, [block for (block,) in given])]] * len(given)


def reduce(given: list[Blocks], root: int, combine: Combine) -> Received:
    """All blocks, combined, at the root."""
    return _only(root, allreduce(given, root, combine))


def reduce_scatter(given: list[Blocks], _root: int, combine: Combine) -> Received:
    """Everybody's block for the rank, combined."""
    return [[functools.reduce(combine, blocks)] for blocks in zip(*given, strict=True)]


def _only(root: int, received: Received) -> Received:
    return [blocks if rank == root else None for rank, blocks in enumerate(received)]
