"""The published model of HPL: its messages one by one, and of its computation dgemm and dtrsm as time that passes.

The modified HPL of T. Cornebize, "Capacity Planning of Supercomputers" (2017, Ezibenroc/hpl at 4177490): dgemm takes
C_GEMM·M·N·K seconds and dtrsm C_TRSM·M·N² (on either side), all other computation is free, and no number is calculated.
Nothing is pivoted for its size then: each process row proposes what lies three rows below the current one, all are
alike, and the lowest process row wins as long as it has rows left. There is no back substitution, for the matrix is
singular.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from distribution import local_count
from exchange import exchange
from grid import Grid
from model_broadcast import ModelledBroadcast
from pivot import exchange_steps
from recursion import Kind, steps
from rounds import length, roll
from spread import equilibrate, sort_by_rows, spread_right
from variant import Variant

import pysmpi

DOUBLE = 8  # bytes
PIVOTS, SWAPS = 1, 2  # tags

Amounts = npt.NDArray[np.float64]


class Coefficients(NamedTuple):
    """Simulated seconds per M·N·K of dgemm and per M·N² of dtrsm."""

    gemm: float
    trsm: float


class Panel:
    """A panel, and what it has still to be applied to on this process."""

    def __init__(self, grid: Grid, variant: Variant, index: int) -> None:
        n, nb = variant.n, variant.nb
        first = index * nb
        self.index = index
        self.width = min(nb, n - first)
        self.current_row, self.root = index % grid.p, index % grid.q
        self.on_current_row, self.on_root = self.current_row == grid.my_row, self.root == grid.my_column
        self.rows = local_count(n, nb, grid.my_row, grid.p) - local_count(first, nb, grid.my_row, grid.p)
        self.below = self.rows - self.width if self.on_current_row else self.rows  # local rows of L2
        columns = local_count(n + 1, nb, grid.my_column, grid.q) - local_count(first, nb, grid.my_column, grid.q)
        self.columns = columns - self.width if self.on_root else columns  # local trailing columns not yet updated
        # Process row 0 has all the pivots, which is one row of its own, unless it has no rows left.
        self.pivots_afar = self.current_row != 0 and -(-n // nb) > index + grid.p - self.current_row
        self.elements = self.below * self.width + self.width**2 + self.width + 1  # of L2, L1, pivots and info


class Swap:
    """The exchange of rows for panels of one kind: schedules, and how many bytes each step moves.

    `stages` are those between which HPL looks for another panel: all in one, with the update, when it does not.
    """

    def __init__(self, grid: Grid, variant: Variant, panel: Panel, spreads: bool, payload: Amounts) -> None:
        rounds = _spread(grid, variant, panel) if spreads else _exchange(grid, panel)
        if variant.depth == 0 or grid.q == 1:
            rounds = [[each for stage in rounds for each in stage]]
        self.stages = []
        for number, stage in enumerate(rounds):
            schedule = pysmpi.Schedule(grid.column_comm)
            rows: list[tuple[float, float, float]] = []  # rows of U, packed rows (one number longer), update's seconds
            for partner, sent, received in stage:
                if received != (0, 0):
                    schedule.receive(payload, partner, SWAPS)
                    rows.append((*received, 0.0))
                if sent != (0, 0):
                    schedule.send(payload, partner, SWAPS)
                    rows.append((*sent, 0.0))
                schedule.wait()
                rows.append((0.0, 0.0, 0.0))
            if number == len(rounds) - 1:  # the update
                schedule.execute(0.0)
                rows.append((0.0, 0.0, 1.0))
            of_columns = [(DOUBLE * (u + packed), DOUBLE * packed, update) for u, packed, update in rows]
            self.stages.append((schedule, np.array(of_columns).reshape(-1, 3)))
        self.sizes = np.ones(3)

    def run(self, columns: int, seconds: float, look: Callable[[], bool] | None = None) -> bool:
        """All of it, with so many columns, and then the update. Whether `look`, after each stage, has found a panel."""
        self.sizes[0], self.sizes[2] = columns, seconds
        found = look is None
        for schedule, bytes_of in self.stages:
            schedule.run(bytes_of.dot(self.sizes))
            found = found or (look is not None and look())
        return found


Traffic = tuple[int, tuple[int, int], tuple[int, int]]  # partner; rows of U and packed rows sent; the same received


def _spread(grid: Grid, variant: Variant, panel: Panel) -> list[list[Traffic]]:
    """The stages of spread, equilibrate and roll."""
    rows_from = [0] * grid.p
    rows_from[panel.current_row] = panel.width - panel.pivots_afar
    rows_from[0] += panel.pivots_afar
    bounds, process = sort_by_rows(rows_from, panel.current_row)
    me = process.index(grid.my_row)
    rounds = spread_right(bounds, me)
    if variant.equilibration:
        evening, bounds = equilibrate(bounds, me)
        rounds += evening
    return [
        []
        if each is None or not length(each.send) + length(each.receive)
        else [(process[each.partner], (length(each.send), 0), (length(each.receive), 0))]
        for each in [*rounds, *roll(bounds, me)]
    ]


def _exchange(grid: Grid, panel: Panel) -> list[list[Traffic]]:
    """The stages of the binary exchange."""
    packed = [0] * grid.p
    packed[-panel.current_row % grid.p] += panel.pivots_afar
    packed[0] = 0
    stages = exchange(grid.p, (grid.my_row - panel.current_row) % grid.p, packed)
    traffic = [
        [
            (
                (each.partner + panel.current_row) % grid.p,
                (panel.width * each.sends_u, length(each.send)),
                (panel.width * each.receives_u, length(each.receive)),
            )
            for each in stage
        ]
        for stage in stages
    ]
    return [[each for each in stage if each[1:] != ((0, 0), (0, 0))] for stage in traffic]


class Model:
    """One process's part in the solution."""

    def __init__(self, grid: Grid, variant: Variant, coefficients: Coefficients, published: bool) -> None:
        """`published`: a process polls for its panel, as HPL does, where it waits for it otherwise.

        The modified HPL also takes dtrsm's N for the order of the triangle where that is M.
        """
        self.grid, self.variant, self.coefficients, self.published = grid, variant, coefficients, published
        whole = Panel(grid, variant, 0)
        doubles = max(whole.elements + whole.width * variant.nb, (whole.columns + variant.nb + 1) * (variant.nb + 1))
        self.payload: Amounts = pysmpi.folded_empty(doubles)
        self.broadcast = ModelledBroadcast(grid.row_comm, variant, self.payload, published)
        self.swaps: dict[tuple[int, int, bool, bool], Swap] = {}
        self.factorisations: dict[tuple[int, int], Factorisation] = {}

    def solve(self) -> None:
        """Factor the matrix."""
        if self.variant.depth == 0 or self.grid.q == 1:
            self._without_look_ahead()
        else:
            self._with_look_ahead()

    def _without_look_ahead(self) -> None:
        """HPL_pdgesv0."""
        for index in range(-(-self.variant.n // self.variant.nb)):
            panel = Panel(self.grid, self.variant, index)
            self._factor(panel)
            self.broadcast.start(panel.root, panel.elements)
            self.broadcast.finish()
            if panel.columns:
                self._update(panel, panel.columns)

    def _with_look_ahead(self) -> None:
        """HPL_pdgesvK2: the next panel is factored before the rest is updated, and broadcast meanwhile."""
        grid, variant = self.grid, self.variant
        panels = -(-variant.n // variant.nb)
        ahead = [Panel(grid, variant, index) for index in range(min(variant.depth, panels))]
        for number, panel in enumerate(ahead):
            self._factor(panel)
            self.broadcast.start(panel.root, panel.elements)
            self.broadcast.finish()
            if number < len(ahead) - 1:
                stop = min(len(ahead) * variant.nb, variant.n)
                first = min((number + 1) * variant.nb, variant.n)
                here = local_count(stop, variant.nb, grid.my_column, grid.q)
                self._update(panel, here - local_count(first, variant.nb, grid.my_column, grid.q))
        for index in range(len(ahead), panels):
            panel = Panel(grid, variant, index)
            if panel.on_root:
                for earlier in ahead:
                    self._update(earlier, panel.width)
                self._factor(panel)
            self.broadcast.start(panel.root, panel.elements)
            self._update_and_look(ahead[0], panel.columns)
            ahead = [*ahead[1:], panel]
        for panel in ahead:
            self._update(panel, panel.columns)

    def _factor(self, panel: Panel) -> None:
        """The factorisation of a panel, by the process column that holds it."""
        if not panel.on_root:
            return
        distance = (self.grid.my_row - panel.current_row) % self.grid.p
        key = distance, panel.width
        if key not in self.factorisations:
            self.factorisations[key] = Factorisation(self, panel, distance)
        self.factorisations[key].run(panel.rows)

    def _update(self, panel: Panel, columns: int) -> None:
        """The exchange of rows and the update of the first so many columns that the panel is to be applied to."""
        columns = min(columns, panel.columns)
        panel.columns -= columns
        if columns <= 0:
            return
        seconds = self._seconds(panel, columns)
        if self.grid.p == 1:
            pysmpi.execute(seconds)
        else:
            self._swap(panel, columns).run(columns, seconds)

    def _update_and_look(self, panel: Panel, columns: int) -> None:
        """The same, while another panel is being broadcast: HPL looks for it after each stage and NB columns."""
        columns = min(columns, panel.columns)
        panel.columns -= columns
        if columns <= 0:
            self.broadcast.finish()
            return
        found = self.broadcast.look()
        if self.grid.p > 1:
            swap = self._swap(panel, columns)
            found = swap.run(columns, 0.0, None if found else self.broadcast.look)
        while not found and columns:
            part = min(self.variant.nb, columns)
            pysmpi.execute(self._seconds(panel, part))
            columns -= part
            found = self.broadcast.look()
        if not found:
            self.broadcast.finish()
        pysmpi.execute(self._seconds(panel, columns))

    def _swap(self, panel: Panel, columns: int) -> Swap:
        key = panel.current_row, panel.width, panel.pivots_afar, self.variant.spreads(columns)
        if key not in self.swaps:
            self.swaps[key] = Swap(self.grid, self.variant, panel, key[-1], self.payload)
        return self.swaps[key]

    def _seconds(self, panel: Panel, columns: int) -> float:
        """dtrsm and dgemm of the update."""
        width = panel.width
        triangle_is_m = self.grid.p == 1 or not self.variant.u_transposed
        order = columns if triangle_is_m and self.published else width
        solving = columns * width * order
        return self.coefficients.trsm * solving + self.coefficients.gemm * panel.below * columns * width


class Factorisation:
    """The factorisation of panels of one width by a process at one distance from the current row.

    Column by column the computation that comes before it, and the exchange of pivots.
    """

    def __init__(self, model: Model, panel: Panel, distance: int) -> None:
        grid = model.grid
        self.schedule = pysmpi.Schedule(grid.column_comm)
        self.schedule.execute(0.0)
        amounts = [0.0]
        for step in exchange_steps(grid.p, distance, panel.width):
            partner = (step.partner + panel.current_row) % grid.p
            if step.receive is not None:
                self.schedule.receive(model.payload, partner, PIVOTS)
                amounts.append(DOUBLE * length(step.receive))
            if step.send is not None:
                self.schedule.send(model.payload, partner, PIVOTS)
                amounts.append(DOUBLE * length(step.send))
            self.schedule.wait()
            amounts.append(0.0)
        self.amounts = np.tile(np.array(amounts), (panel.width, 1))
        self.fixed, self.per_row = self._seconds(model, panel)

    def _seconds(self, model: Model, panel: Panel) -> tuple[Amounts, Amounts]:
        """Before each column: seconds, and seconds per local row."""
        gemm, trsm = model.coefficients
        fixed, per_row = np.zeros(panel.width), np.zeros(panel.width)
        column = 0
        for kind, columns, left, rows in steps(model.variant, 0, panel.width):
            wide, deep = length(columns), length(left)
            if kind is Kind.COLUMNS:
                column = columns.stop
            elif kind is Kind.SOLVE:
                order = wide if model.published and not model.variant.l1_transposed else deep
                fixed[column] += trsm * wide * deep * order
            elif kind is Kind.UPDATE_TOP:
                fixed[column] += gemm * length(rows) * wide * deep
            else:
                per_row[column] += gemm * wide * deep
                fixed[column] -= gemm * wide * deep * columns.start * panel.on_current_row
        return fixed, per_row

    def run(self, rows: int) -> None:
        """Factor a panel of so many local rows."""
        self.amounts[:, 0] = np.maximum(self.fixed + rows * self.per_row, 0.0)
        self.schedule.run(self.amounts)
