"""Panel factorisation of the published model: computation and an exchange of pivots, column by column."""

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
    """Return the schedule of one call of dgemm or dtrsm; its size is the duration in seconds.

    Calls are not merged, because the time is rounded after each call as in HPL, and HPL's polls make the difference
    visible.
    """
    schedule = pysmpi.Schedule(sizes=1)
    schedule.execute(0.0, per=(1,))
    return schedule


@pysmpi.shared_cache
def pivoting(p: int, my_row: int, current_row: int, width: int) -> pysmpi.Schedule:
    """Return the schedule of the exchange of pivots for one column."""
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
    """Calls of dgemm and dtrsm in the factorisation of a panel, and their number before each column.

    Products are rounded as in HPL's macros, from left to right.
    """

    def __init__(
        self, variant: Variant, coefficients: Coefficients, published: bool, width: int, on_current_row: bool
    ) -> None:
        """Create the calls. With `published`, dtrsm's N is used as the order of the triangle."""
        self.gemm, trsm = coefficients
        self.before = [0] * width
        seconds: list[float] = []
        updates: list[tuple[int, ...]] = []  # indices of dgemms with L2, rows already used, and their N and K
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
        """Return the seconds of each call for a panel with `rows` local rows, as the bytes of doubles."""
        self.seconds[self.places] = self.gemm * np.maximum(rows - self.used, 0) * self.wide * self.deep
        return self.seconds.tobytes()


@pysmpi.shared_cache
def calls(variant: Variant, coefficients: Coefficients, published: bool, width: int, on_current_row: bool) -> Calls:
    """Return the calls. Ranks with equal arguments share one object."""
    return Calls(variant, coefficients, published, width, on_current_row)
