"""The factorisation of a panel in the published model: computation and an exchange of pivots, column by column."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
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
def pivoting(p: int, my_row: int, current_row: int, width: int) -> pysmpi.Schedule:
    """One column: so many seconds of computation, which is the size, and the exchange of pivots."""
    schedule = pysmpi.Schedule(sizes=1)
    schedule.execute(0.0, per=(1,))
    for step in exchange_steps(p, (my_row - current_row) % p, width):
        partner = (step.partner + current_row) % p
        if step.receive is not None:
            schedule.receive(None, partner, PIVOTS, amount=DOUBLE * length(step.receive))
        if step.send is not None:
            schedule.send(None, partner, PIVOTS, amount=DOUBLE * length(step.send))
        schedule.wait()
    return schedule


def seconds_by_column(
    variant: Variant, coefficients: Coefficients, published: bool, width: int, rows: int, on_current_row: bool
) -> list[float]:
    """What is computed before each column of a panel of so many local rows."""
    fixed, per_row = _computation(variant, coefficients, published, width, on_current_row)
    seconds: list[float] = np.maximum(fixed + rows * per_row, 0.0).tolist()
    return seconds


@pysmpi.shared_cache
def _computation(
    variant: Variant, coefficients: Coefficients, published: bool, width: int, on_current_row: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Before each column: seconds, and seconds per local row."""
    gemm, trsm = coefficients
    fixed, per_row = np.zeros(width), np.zeros(width)
    column = 0
    for kind, columns, left, rows in steps(variant, 0, width):
        wide, deep = length(columns), length(left)
        if kind is Kind.COLUMNS:
            column = columns.stop
        elif kind is Kind.SOLVE:
            order = wide if published and not variant.l1_transposed else deep
            fixed[column] += trsm * wide * deep * order
        elif kind is Kind.UPDATE_TOP:
            fixed[column] += gemm * length(rows) * wide * deep
        else:
            per_row[column] += gemm * wide * deep
            fixed[column] -= gemm * wide * deep * columns.start * on_current_row
    return fixed, per_row
