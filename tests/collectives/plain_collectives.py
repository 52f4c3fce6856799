"""Reference implementation of collectives: from the blocks that each rank contributes to those that each receives.

A rank contributes one block, or one per rank. It receives as many, or None if it receives nothing or its result is
undefined.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

Blocks = list[np.ndarray]  # blocks of one rank
Received = list[Blocks | None]  # blocks received by each rank
Combine = Callable[[Any, Any], Any]


def barrier(given: list[Blocks], _root: int, _combine: Combine) -> Received:
    return [None] * len(given)


def bcast(given: list[Blocks], root: int, _combine: Combine) -> Received:
    return [given[root]] * len(given)


def gather(given: list[Blocks], root: int, combine: Combine) -> Received:
    return _only(root, allgather(given, root, combine))


def scatter(given: list[Blocks], root: int, _combine: Combine) -> Received:
    return [[block] for block in given[root]]


def allgather(given: list[Blocks], _root: int, _combine: Combine) -> Received:
    return [[block for (block,) in given]] * len(given)


def alltoall(given: list[Blocks], _root: int, _combine: Combine) -> Received:
    return [[blocks[rank] for blocks in given] for rank in range(len(given))]


def scan(given: list[Blocks], _root: int, combine: Combine) -> Received:
    return [[functools.reduce(combine, [block for (block,) in given[: rank + 1]])] for rank in range(len(given))]


def exscan(given: list[Blocks], root: int, combine: Combine) -> Received:
    return [None, *scan(given, root, combine)[:-1]]


def allreduce(given: list[Blocks], root: int, combine: Combine) -> Received:
    return [[functools.reduce(combine, [block for (block,) in given])]] * len(given)


def reduce(given: list[Blocks], root: int, combine: Combine) -> Received:
    return _only(root, allreduce(given, root, combine))


def reduce_scatter(given: list[Blocks], _root: int, combine: Combine) -> Received:
    return [[functools.reduce(combine, blocks)] for blocks in zip(*given, strict=True)]


def _only(root: int, received: Received) -> Received:
    return [blocks if rank == root else None for rank, blocks in enumerate(received)]
