"""Model of HPL: its messages are simulated one by one; its computation is replaced by simulated time.

No number is calculated, so pivots do not depend on values. They are drawn at random, as those of a random matrix are,
and each process row holds about the same number of a panel's pivots. Back substitution is omitted. The model follows
the modified HPL of T. Cornebize ("High Performance Computing: Towards Better Performance Predictions and Experiments",
2021; Ezibenroc/hpl at 8118545), which injects the time of each routine. Without a model of all routines, dgemm takes
C_GEMM·M·N·K seconds and dtrsm C_TRSM·M·N² (on either side), and all else no time.

The published model is an earlier one ("Capacity Planning of Supercomputers", 2017, Ezibenroc/hpl at 4177490). There,
each process row proposes the row three rows below the current one as pivot. All candidates are equal, so the lowest
process row wins as long as it has rows left.

The actions of a process are a sequence of schedules, each with the sizes of its panel. `Model.run` collects them, and
hands over those of several panels at once.
"""

from array import array
from collections.abc import Container

from distribution import local_count
from grid import Grid
from model_broadcast import ModelledBroadcast, looking
from model_factorisation import Calls, Coefficients, calls, computing, pivoting
from model_panel import Panel, Panels
from model_pivots import published_pivots, random_pivots
from model_routines import ModelledCalls, copies_are_modelled, modelled_calls, seconds, update_seconds
from model_swap import Stage, swap
from mpi4py import MPI
from variant import Variant

import pysmpi

Bound = tuple[pysmpi.Schedule, Stage]  # a stage, and its schedule on this process's column

PANELS_AT_ONCE = 8  # limited by memory for thousands of processes


class Model:
    """One process's part in the solution."""

    def __init__(
        self,
        grid: Grid,
        variant: Variant,
        coefficients: Coefficients,
        pivots: int | None = 0,
        blas: bool = False,
        panels: Panels | None = None,
    ) -> None:
        """Create the model.

        Args:
            grid: grid of processes.
            variant: what HPL.dat chooses.
            coefficients: coefficients of dgemm and dtrsm.
            pivots: seed of the random pivots, or None for the published model. In that model a process polls for its
                panel as HPL does, whereas otherwise it waits, and dtrsm's N is used as the order of the triangle where
                the order is M.
            blas: whether the run's BLAS model gives the time of each routine, and `coefficients` only that of dtrsm if
                the model lacks it.
            panels: panels to factor (default: all).
        """
        self.pivots, self.blas = pivots, blas
        self.published = published = pivots is None
        self.grid, self.variant, self.coefficients = grid, variant, coefficients
        self.panels = panels or Panels(grid, variant)
        whole = self.panels[0]
        doubles = max(whole.elements + whole.width * variant.nb, (whole.columns + variant.nb + 1) * (variant.nb + 1))
        self.payload = pysmpi.folded_empty(doubles)
        self.broadcast = ModelledBroadcast(grid.row_comm, variant, self.run, self.payload, published)
        self.looks_ahead = variant.depth > 0 and grid.q > 1
        self.computing = computing().on(grid.column_comm)
        self.factorisations: dict[tuple[int, int], tuple[Calls | ModelledCalls, list[pysmpi.Schedule]]] = {}
        self.looks: dict[int, pysmpi.Schedule] = {}  # by process column
        self.swaps: dict[tuple[int, int, int, bool, bool], list[Bound]] = {}
        self.schedules: list[pysmpi.Schedule] = []  # pending schedules
        self.sizes = array("d")
        self.stamped: Container[int] = ()
        self.stamps: list[float] = []

    def solve(self, stamped: Container[int] = ()) -> list[float]:
        """Factor the panels. Return the simulated time (s) after each turn whose index is in `stamped`: it factors the
        panel of this index, if this process column holds it, and applies the panel that is due then."""
        self.stamped, self.stamps = stamped, []
        if self.looks_ahead:
            self._with_look_ahead()
        else:
            self._without_look_ahead()
        self.hand_over()
        return self.stamps

    def _stamp(self) -> None:
        self.hand_over()
        self.stamps.append(MPI.Wtime())

    def run(self, schedule: pysmpi.Schedule, *sizes: float) -> None:
        """Append a schedule to this process's actions."""
        self.schedules.append(schedule)
        self.sizes.extend(sizes)

    def hand_over(self) -> int | None:
        """Execute the pending schedules. Return the number of those before a look that has found its message, or
        None."""
        found = pysmpi.Schedule.run_in_turn(self.schedules, self.sizes)
        self.schedules.clear()
        self.sizes = array("d")
        return found

    def _without_look_ahead(self) -> None:
        """HPL_pdgesv0."""
        for index in range(len(self.panels)):
            panel = self.panels[index]
            if panel.on_root:
                self._factor(panel)
            self.broadcast.start(panel.root, panel.elements)
            self.broadcast.finish()
            self._update(panel, panel.columns)
            if index % PANELS_AT_ONCE == 0:
                self.hand_over()
            if index in self.stamped:
                self._stamp()

    def _with_look_ahead(self) -> None:
        """Factor the next panel before the rest is updated, and broadcast it meanwhile (HPL_pdgesvK2)."""
        grid, variant = self.grid, self.variant
        ahead = [self.panels[index] for index in range(min(variant.depth, len(self.panels)))]
        for number, panel in enumerate(ahead):
            if panel.on_root:
                self._factor(panel)
            self.broadcast.start(panel.root, panel.elements)
            self.broadcast.finish()
            if number < len(ahead) - 1:
                stop = min(len(ahead) * variant.nb, variant.n)
                first = min((number + 1) * variant.nb, variant.n)
                here = local_count(stop, variant.nb, grid.my_column, grid.q)
                self._update(panel, here - local_count(first, variant.nb, grid.my_column, grid.q))
        for index in range(len(ahead), len(self.panels)):
            panel = self.panels[index]
            if panel.on_root:
                for earlier in ahead:
                    self._update(earlier, panel.width)
                self._factor(panel)
            self.broadcast.start(panel.root, panel.elements)
            self._update_and_look(ahead[0], panel.columns)
            ahead = [*ahead[1:], panel]
            if index in self.stamped:
                self._stamp()
        for panel in ahead:
            self._update(panel, panel.columns)

    def _factor(self, panel: Panel) -> None:
        """Factor a panel, on the process column that holds it."""
        key = panel.current_row, panel.width
        if key not in self.factorisations:
            exchange = pivoting(self.grid.p, self.grid.my_row, *key).on(self.grid.column_comm, self.payload)
            computed: Calls | ModelledCalls
            if self.blas:
                computed = modelled_calls(self.variant, self.coefficients, panel.width, panel.on_current_row)
            else:
                computed = calls(self.variant, self.coefficients, self.published, panel.width, panel.on_current_row)
            before_each, after_all = computed.before[: panel.width], sum(computed.before[panel.width :])
            in_order = [each for before in before_each for each in (*[self.computing] * before, exchange)]
            in_order += [self.computing] * after_all
            self.factorisations[key] = computed, in_order
        computed, schedules = self.factorisations[key]
        self.schedules += schedules
        self.sizes.frombytes(computed.of_rows(panel.rows))
        if self.blas and self.grid.q > 1:  # HPL_copyL
            self.run(self.computing, seconds("dlacpy", self.coefficients, m=panel.below, n=panel.width))

    def _update(self, panel: Panel, columns: int) -> None:
        """Exchange rows and update the first `columns` columns that the panel has to be applied to."""
        columns = min(columns, panel.columns)
        panel.columns -= columns
        if columns > 0:
            for stage in self._swap(panel, columns):
                self._run_stage(stage, columns, *self._seconds(panel, columns))

    def _update_and_look(self, panel: Panel, columns: int) -> None:
        """Update while another panel is being broadcast: HPL looks for it after each stage and each NB columns."""
        columns = min(columns, panel.columns)
        panel.columns -= columns
        if columns <= 0:
            self.broadcast.finish()
            return
        stages = self._swap(panel, columns) if self.grid.p > 1 else []
        sender = self.broadcast.sender()
        if sender is not None:
            looks = self._update_until_found(sender, panel, columns, stages)
            if looks is None:
                self.broadcast.finish()
                return
            columns -= min(max(looks - len(stages), 0) * self.variant.nb, columns)
            stages = stages[looks:]
        self.broadcast.pass_on()
        for stage in stages:
            self._run_stage(stage, columns)
        self._compute(self._seconds(panel, columns))

    def _update_until_found(self, sender: int, panel: Panel, columns: int, stages: list[Bound]) -> int | None:
        """Update until the panel of a process column has been found. Return the number of stages and pieces of NB
        columns before it was; None if it was not, and all is updated."""
        look = self.looks.get(sender)
        if look is None:
            self.looks[sender] = look = looking(sender).on(self.grid.row_comm)
        before = [len(self.schedules)]  # number of pending schedules before each look
        self.run(look)
        for stage in stages:
            self._run_stage(stage, columns)
            before.append(len(self.schedules))
            self.run(look)
        for done in range(0, columns, self.variant.nb):
            self._compute(self._seconds(panel, min(self.variant.nb, columns - done)))
            before.append(len(self.schedules))
            self.run(look)
        found = self.hand_over()
        return None if found is None else before.index(found)

    def _compute(self, seconds: tuple[float, float]) -> None:
        for each in seconds:
            self.run(self.computing, each)

    def _swap(self, panel: Panel, columns: int) -> list[Bound]:
        """Return the stages of the exchange of rows in some columns."""
        grid, variant, row = self.grid, self.variant, panel.current_row
        spreads = variant.spreads(columns)
        key = row, panel.width, panel.holders, panel.pivots_afar, spreads
        found = self.swaps.get(key)
        if found is None:
            if self.pivots is None:
                rows_from = published_pivots(grid.p, row, panel.pivots_afar, panel.width)
            else:
                rows_from = random_pivots(self.pivots, grid.p, row, panel.holders, panel.width)
            copies = self.blas and grid.p > 1 and copies_are_modelled()
            evens, at_once = variant.equilibration, not self.looks_ahead
            stages = swap(grid.my_row, row, rows_from, spreads, evens, at_once, copies)
            self.swaps[key] = found = [(stage.schedule.on(grid.column_comm, self.payload), stage) for stage in stages]
        return found

    def _run_stage(self, stage: Bound, columns: int, solve: float = 0.0, product: float = 0.0) -> None:
        """Append a stage to this process's actions; the last stage takes the durations of dtrsm and dgemm (s)."""
        schedule, (_, calls, updates) = stage
        sizes = self.sizes
        self.schedules.append(schedule)
        sizes.append(columns)
        for each in calls:
            sizes.append(seconds(each.routine, self.coefficients, m=each.rows, n=columns))
        if updates:
            sizes.append(solve)
            sizes.append(product)

    def _seconds(self, panel: Panel, columns: int) -> tuple[float, float]:
        """Return the seconds of dtrsm and dgemm in the update, rounded as in HPL's macros: from left to right."""
        gemm, trsm = self.coefficients
        width = panel.width
        if self.blas:
            return update_seconds(self.coefficients, panel.below, columns, width, panel.on_current_row)
        if self.published and (self.grid.p == 1 or not self.variant.u_transposed):
            solve = trsm * width * columns * columns
        else:
            solve = trsm * columns * width * width
        return solve, gemm * panel.below * columns * width
