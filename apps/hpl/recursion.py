"""The recursion of the panel factorisation: in which order the parts of a panel are factored and updated.

A panel is cut into NDIV parts, these again, until they have at most NBMIN columns (RFACT: HPL_pdrpanll, HPL_pdrpancr
and HPL_pdrpanrl). *Left-looking*, a part is brought up to date with all to its left just before it is factored;
*right-looking*, all to the right is brought up to date once a part is factored; *Crout* does the former with the rows
below the diagonal block L1 and the latter within it.
"""

from collections.abc import Iterator
from enum import Enum
from math import ceil
from typing import NamedTuple

from variant import CROUT, LEFT, RIGHT, Variant


class Kind(Enum):
    """What a step of the factorisation does."""

    COLUMNS = "factor these columns, of which there are at most NBMIN"
    SOLVE = "L1[left, columns] ← L1[left, left]⁻¹ · L1[left, columns] (dtrsm)"
    UPDATE = "A[rows left, columns] ← A[rows left, columns] - A[rows left, left] · L1[left, columns] (dgemm)"
    UPDATE_TOP = "L1[rows, columns] ← L1[rows, columns] - L1[rows, left] · L1[left, columns] (dgemm)"


class Step(NamedTuple):
    """A step on some columns of the panel. The rows left are those that are no pivots at the first of the columns."""

    kind: Kind
    columns: slice
    left: slice = slice(0, 0)
    rows: slice = slice(0, 0)


def steps(variant: Variant, start: int, stop: int) -> Iterator[Step]:
    """The factorisation of the columns from `start` to `stop`, which are up to date with all to their left."""
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
