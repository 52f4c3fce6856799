"""Published model of HPL: its messages are simulated one by one; dgemm and dtrsm are replaced by simulated time.

This is the modified HPL of T. Cornebize, "Capacity Planning of Supercomputers" (2017, Ezibenroc/hpl at 4177490). dgemm
takes C_GEMM·M·N·K seconds and dtrsm C_TRSM·M·N² (on either side). All other computation takes no time, and no number is
calculated. Pivots therefore do not depend on values: each process row proposes the row three rows below the current
one, all candidates are equal, and the lowest process row wins as long as it has rows left. Back substitution is
omitted, since the matrix is singular.

The actions of a process are a sequence of schedules, each with the sizes of its panel. `Model.run` collects them, and
hands over those of several panels at once.
"""

from array import array

from distribution import local_count
from grid import Grid
from model_broadcast import ModelledBroadcast, looking
from model_factorisation import Calls, Coefficients, calls, computing, pivoting
from model_panel import Panel, Panels
from model_routines import ModelledCalls, modelled_calls, update_seconds
from model_swap import swap
from variant import Variant

import pysmpi

PANELS_AT_ONCE = 8  # limited by memory for thousands of processes


class Model:
    """One process's part in the solution."""

    def __init__(
        self, grid: Grid, variant: Variant, coefficients: Coefficients, published: bool, blas: bool = False
    ) -> None:
        """Create the model.

        With `published`, a process polls for its panel as HPL does; otherwise the process waits for the panel. The
        modified HPL also uses dtrsm's N as the order of the triangle where the order is M. With `blas`, the run's BLAS
        model gives the time of each routine, and `coefficients` only that of dtrsm if the model lacks it.
        """
        self.blas = blas
        self.grid, self.variant, self.coefficients, self.published = grid, variant, coefficients, published
        self.panels = Panels(grid, variant)
        whole = self.panels[0]
        doubles = max(whole.elements + whole.width * variant.nb, (whole.columns + variant.nb + 1) * (variant.nb + 1))
        self.payload = pysmpi.folded_empty(doubles)
        self.broadcast = ModelledBroadcast(grid.row_comm, variant, self.run, self.payload, published)
        self.looks_ahead = variant.depth > 0 and grid.q > 1
        self.computing = computing().on(grid.column_comm)
        self.factorisations: dict[tuple[int, int], tuple[Calls | ModelledCalls, list[pysmpi.Schedule]]] = {}
        self.looks: dict[int, pysmpi.Schedule] = {}  # by process column
        self.swaps: dict[tuple[int, int, bool, bool], tuple[pysmpi.Schedule, ...]] = {}
        self.schedules: list[pysmpi.Schedule] = []  # pending schedules
        self.sizes = array("d")

    def solve(self) -> None:
        """Factor the matrix."""
        if self.looks_ahead:
            self._with_look_ahead()
        else:
            self._without_look_ahead()
        self.hand_over()

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

    def _update(self, panel: Panel, columns: int) -> None:
        """Exchange rows and update the first `columns` columns that the panel has to be applied to."""
        columns = min(columns, panel.columns)
        panel.columns -= columns
        if columns > 0:
            seconds = self._seconds(panel, columns)
            for stage in self._swap(panel, columns):
                self.run(stage, columns, *seconds)

    def _update_and_look(self, panel: Panel, columns: int) -> None:
        """Update while another panel is being broadcast: HPL looks for it after each stage and each NB columns."""
        columns = min(columns, panel.columns)
        panel.columns -= columns
        if columns <= 0:
            self.broadcast.finish()
            return
        stages = self._swap(panel, columns) if self.grid.p > 1 else ()
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
            self.run(stage, columns, 0.0, 0.0)
        self._compute(self._seconds(panel, columns))

    def _update_until_found(
        self, sender: int, panel: Panel, columns: int, stages: tuple[pysmpi.Schedule, ...]
    ) -> int | None:
        """Update until the panel of a process column has been found. Return the number of stages and pieces of NB
        columns before it was; None if it was not, and all is updated."""
        look = self.looks.get(sender)
        if look is None:
            self.looks[sender] = look = looking(sender).on(self.grid.row_comm)
        before = [len(self.schedules)]  # number of pending schedules before each look
        self.run(look)
        for stage in stages:
            self.run(stage, columns, 0.0, 0.0)
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

    def _swap(self, panel: Panel, columns: int) -> tuple[pysmpi.Schedule, ...]:
        """Return the stages of the exchange, as schedules with three sizes: number of columns, seconds of dtrsm,
        seconds of dgemm."""
        grid, variant = self.grid, self.variant
        key = panel.current_row, panel.width, panel.pivots_afar, variant.spreads(columns)
        stages = self.swaps.get(key)
        if stages is None:
            shared = swap(grid.p, grid.my_row, *key, variant.equilibration, not self.looks_ahead)
            stages = tuple([stage.on(grid.column_comm, self.payload) for stage in shared])
            self.swaps[key] = stages
        return stages

    def _seconds(self, panel: Panel, columns: int) -> tuple[float, float]:
        """Return the seconds of dtrsm and dgemm in the update, rounded as in HPL's macros: from left to right."""
        gemm, trsm = self.coefficients
        width = panel.width
        if self.blas:
            return update_seconds(self.coefficients, panel.below, columns, width)
        if self.published and (self.grid.p == 1 or not self.variant.u_transposed):
            solve = trsm * width * columns * columns
        else:
            solve = trsm * columns * width * width
        return solve, gemm * panel.below * columns * width
