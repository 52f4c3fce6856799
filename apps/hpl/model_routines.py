"""Time of HPL's calls of BLAS routines by the model of ``pysmpirun --blas``, in place of the two coefficients."""

from collections import defaultdict

import numpy as np
from model_factorisation import Coefficients
from recursion import Kind, steps
from rounds import length
from variant import CROUT, LEFT, RIGHT, Variant

import pysmpi
from pysmpi import modelled_routines, routine_seconds


def seconds(routine: str, coefficients: Coefficients, **sizes: int) -> float:
    """Return the duration of one call. If the model lacks the routine, dtrsm takes the time given by `coefficients`,
    and any other routine takes no time."""
    if routine in modelled_routines():
        found: float = routine_seconds(routine, **sizes)
        return found
    return coefficients.trsm * sizes["n"] * sizes["m"] * sizes["m"] if routine == "dtrsm" else 0.0


def update_seconds(
    coefficients: Coefficients, below: int, columns: int, width: int, on_current_row: bool
) -> tuple[float, float]:
    """Return the durations in seconds of the update of some columns by a panel: dtrsm with its copies, and dgemm.

    The copies are those that `Model` does not time one by one: dlaswp, and HPL_dlatcpy on the current process row.
    """
    solve = seconds("dtrsm", coefficients, m=width, n=columns, k=width)
    if "dlaswp" in modelled_routines() and not copies_are_modelled():
        solve += seconds("dlaswp", coefficients, n=columns, k=width)
    if on_current_row:
        solve += seconds("dlatcpy", coefficients, m=width, n=columns)
    return solve, seconds("dgemm", coefficients, m=below, n=columns, k=width)


def copies_are_modelled() -> bool:
    """Return whether the model describes the copies of HPL's row exchange one by one (HPL_dlaswp01T …)."""
    return "dlaswp01t" in modelled_routines()


class ModelledCalls:
    """Calls of routines in the factorisation of a panel, and the number of computations before each column.

    A computation is one call in the recursion, or all calls of the innermost loops between two exchanges of pivots.
    """

    def __init__(self, variant: Variant, coefficients: Coefficients, width: int, on_current_row: bool) -> None:
        """Collect the calls for panels with `width` columns."""
        self._coefficients, self._on_current_row = coefficients, on_current_row
        self.before = [0] * (width + 1)  # the last number is that of computations after the last column
        self._count = 0
        # For each routine its calls: number of the computation, three sizes, and the column from which on local rows
        # replace the size m (or n), or -1.
        self._calls: dict[str, list[tuple[int, int, int, int, int]]] = defaultdict(list)
        self._column = 0
        for kind, columns, left, rows in steps(variant, 0, width):
            wide, deep = length(columns), length(left)
            if kind is Kind.COLUMNS:
                self._innermost(variant, columns.start, columns.stop, width)
                continue
            self._begin()
            if kind is Kind.SOLVE:
                self._add("dtrsm", deep, wide, deep)
            elif kind is Kind.UPDATE_TOP:
                self._add("dgemm", *((wide, length(rows)) if variant.l1_transposed else (length(rows), wide)), deep)
            else:
                self._add("dgemm", 0, wide, deep, rows_from=columns.start)

    def of_rows(self, rows: int) -> bytes:
        """Return the seconds of each computation for a panel with `rows` local rows, as the bytes of doubles."""
        found = np.zeros(self._count)
        known = modelled_routines()
        for routine, calls in self._calls.items():
            place, m, n, k, rows_from = np.array(calls, dtype=int).T
            used = np.where(self._on_current_row, rows_from, 0)
            m = np.where(rows_from >= 0, np.maximum(rows - used, 0), m)
            if routine not in known:
                if routine == "dtrsm":
                    np.add.at(found, place, self._coefficients.trsm * n * m * m)
                continue
            sizes = {"m": m, "n": n, "k": k}
            if routine in {"idamax", "dscal", "dcopy", "dtrsv"}:
                sizes = {"n": m}
            elif routine in {"dgemv", "dger"}:
                sizes = {"m": m, "n": n}
            np.add.at(found, place, routine_seconds(routine, **sizes))
        return found.tobytes()

    def _innermost(self, variant: Variant, start: int, stop: int, width: int) -> None:
        """Add the calls of the loop over the columns from `start` to `stop`, which are factored one by one."""
        for column in range(start, stop):
            self._column = column
            self._begin()
            done, right = column - start, stop - column - 1
            if variant.pfact == LEFT:
                self._add("dtrsv", done)
            if variant.pfact != RIGHT:
                self._add("dgemv", 0, done, rows_from=column)
            self._add("idamax", rows_from=column)
            self._add("dcopy", width)
            self._column = column + 1
            self._begin()
            self._add("dscal", rows_from=column + 1)
            if variant.pfact == CROUT:
                self._add("dgemv", done, right)
            elif variant.pfact == RIGHT:
                self._add("dger", 0, right, rows_from=column + 1)

    def _begin(self) -> None:
        self.before[self._column] += 1
        self._count += 1

    def _add(self, routine: str, m: int = 0, n: int = 0, k: int = 0, *, rows_from: int = -1) -> None:
        self._calls[routine].append((self._count - 1, m, n, k, rows_from))


@pysmpi.shared_cache
def modelled_calls(variant: Variant, coefficients: Coefficients, width: int, on_current_row: bool) -> ModelledCalls:
    """Return the calls. Ranks with equal arguments share one object."""
    return ModelledCalls(variant, coefficients, width, on_current_row)
