"""Recursion of the panel factorisation: the order in which the parts of a panel are factored and updated.

A panel is divided into NDIV parts, and these again, until they have at most NBMIN columns (RFACT: HPL_pdrpanll,
HPL_pdrpancr and HPL_pdrpanrl). *Left-looking*: a part is updated with all columns to its left just before it is
factored. *Right-looking*: all columns to the right are updated once a part is factored. *Crout*: left-looking for the
rows below the diagonal block L1, right-looking within L1.
"""

from collections.abc import Iterator
from enum import Enum
from math import ceil
from typing import NamedTuple

from variant import CROUT, LEFT, RIGHT, Variant


class Kind(Enum):
    """Kind of a step of the factorisation."""

    COLUMNS = "factor these columns, of which there are at most NBMIN"
    SOLVE = "L1[left, columns] ← L1[left, left]⁻¹ · L1[left, columns] (dtrsm)"
    UPDATE = "A[rows left, columns] ← A[rows left, columns] - A[rows left, left] · L1[left, columns] (dgemm)"
    UPDATE_TOP = "L1[rows, columns] ← L1[rows, columns] - L1[rows, left] · L1[left, columns] (dgemm)"


class Step(NamedTuple):
    """Step on some columns of the panel. The step leaves out rows that are already pivots when its first column is
    reached."""

    kind: Kind
    columns: slice
    left: slice = slice(0, 0)
    rows: slice = slice(0, 0)


def steps(variant: Variant, start: int, stop: int) -> Iterator[Step]:
    """Yield the steps for the columns from `start` to `stop`, which are up to date with all columns to their left."""
    if stop - start <= variant.nbmin:
        yield Step(Kind.COLUMNS, slice(start, stop))
        return
    part = ceil(ceil((stop - start) / variant.nbmin) / variant.ndiv) * variant.nbmin
    for first in range(start, stop, part):
        own = slice(first, min(first + part, stop))
        before, after = slice(start, first), slice(own.stop, stop)
        if variant.rfact == LEFT and first > start:
            yield Step(Kind.SOLVE, own, before)
        if variant.rfact != RIGHT and first > start:
            yield Step(Kind.UPDATE, own, before)
        yield from steps(variant, own.start, own.stop)
        if own.stop == stop or variant.rfact == LEFT:
            continue
        if variant.rfact == CROUT and first > start:
            yield Step(Kind.UPDATE_TOP, after, before, own)
        yield Step(Kind.SOLVE, after, own)
        if variant.rfact == RIGHT:
            yield Step(Kind.UPDATE, after, own)
