"""The factorisation of a panel in the published model: computation and an exchange of pivots, column by column."""

from typing import NamedTuple

import numpy as np
from pivot import exchange_steps
from recursion import Kind, steps
from rounds import length
from variant import Variant

import pysmpi

DOUBLE = 8  # bytes
PIVOTS = 1  # tag


class Coefficients(NamedTuple):
    """Simulated seconds per M·N·K of dgemm and per M·N² of dtrsm."""

    gemm: float
    trsm: float


@pysmpi.shared_cache
def computing() -> pysmpi.Schedule:
    """Return a call of dgemm or dtrsm: so many seconds, which is the size.

    Each stands alone, for HPL's times are rounded at the end of each; its polls make that tell.
    """
    schedule = pysmpi.Schedule(sizes=1)
    schedule.execute(0.0, per=(1,))
    return schedule


@pysmpi.shared_cache
def pivoting(p: int, my_row: int, current_row: int, width: int) -> pysmpi.Schedule:
    """Return the exchange of pivots for one column."""
    schedule = pysmpi.Schedule()
    for step in exchange_steps(p, (my_row - current_row) % p, width):
        partner = (step.partner + current_row) % p
        if step.receive is not None:
            schedule.receive(None, partner, PIVOTS, amount=DOUBLE * length(step.receive))
        if step.send is not None:
            schedule.send(None, partner, PIVOTS, blocking=True, amount=DOUBLE * length(step.send))
        schedule.wait()
    return schedule


class Calls:
    """The calls of dgemm and dtrsm in the factorisation of a panel, and how many there are before each column.

    Products are rounded as by HPL's macros, from the left to the right.
    """

    def __init__(
        self, variant: Variant, coefficients: Coefficients, published: bool, width: int, on_current_row: bool
    ) -> None:
        """`published`: dtrsm takes its N for the order of the triangle."""
        self.gemm, trsm = coefficients
        self.before = [0] * width
        seconds: list[float] = []
        updates: list[tuple[int, ...]] = []  # the places of dgemms with L2, rows no longer left, and their N and K
        column = 0
        for kind, columns, left, rows in steps(variant, 0, width):
            wide, deep = length(columns), length(left)
            if kind is Kind.COLUMNS:
                column = columns.stop
                continue
            self.before[column] += 1
            if kind is Kind.SOLVE:
                by_columns = published and not variant.l1_transposed
                seconds.append(trsm * deep * wide * wide if by_columns else trsm * wide * deep * deep)
            elif kind is Kind.UPDATE_TOP:
                m, n = (wide, length(rows)) if variant.l1_transposed else (length(rows), wide)
                seconds.append(self.gemm * m * n * deep)
            else:
                updates.append((len(seconds), columns.start if on_current_row else 0, wide, deep))
                seconds.append(0.0)
        self.seconds = np.array(seconds)
        self.places, self.used, self.wide, self.deep = np.array(updates, dtype=int).reshape(-1, 4).T

    def of_rows(self, rows: int) -> bytes:
        """Return the seconds of each for a panel of so many local rows, as double numbers."""
        self.seconds[self.places] = self.gemm * np.maximum(rows - self.used, 0) * self.wide * self.deep
        return self.seconds.tobytes()


@pysmpi.shared_cache
def calls(variant: Variant, coefficients: Coefficients, published: bool, width: int, on_current_row: bool) -> Calls:
    """Return the same for all ranks in the same place."""
    return Calls(variant, coefficients, published, width, on_current_row)
