"""The published model of HPL: its messages one by one, and of its computation dgemm and dtrsm as time that passes.

The modified HPL of T. Cornebize, "Capacity Planning of Supercomputers" (2017, Ezibenroc/hpl at 4177490): dgemm takes
C_GEMM·M·N·K seconds and dtrsm C_TRSM·M·N² (on either side), all other computation is free, and no number is calculated.
Nothing is pivoted for its size then: each process row proposes what lies three rows below the current one, all are
alike, and the lowest process row wins as long as it has rows left. There is no back substitution, for the matrix is
singular.

What a process does is a sequence of schedules, each with the sizes of its panel: `Model.run` collects them, and hands
those of several panels over at once.
"""

from array import array

from distribution import local_count
from grid import Grid
from model_broadcast import PANELS, ModelledBroadcast
from model_factorisation import Calls, Coefficients, calls, computing, pivoting
from model_panel import Panel, Panels
from model_swap import swap
from variant import Variant

import pysmpi

PANELS_AT_ONCE = 8  # as many as fit in memory for thousands of processes


class Model:
    """One process's part in the solution."""

    def __init__(self, grid: Grid, variant: Variant, coefficients: Coefficients, published: bool) -> None:
        """`published`: a process polls for its panel, as HPL does, where it waits for it otherwise.

        The modified HPL also takes dtrsm's N for the order of the triangle where that is M.
        """
        self.grid, self.variant, self.coefficients, self.published = grid, variant, coefficients, published
        self.panels = Panels(grid, variant)
        whole = self.panels[0]
        doubles = max(whole.elements + whole.width * variant.nb, (whole.columns + variant.nb + 1) * (variant.nb + 1))
        self.payload = pysmpi.folded_empty(doubles)
        self.broadcast = ModelledBroadcast(grid.row_comm, variant, self.run, self.payload, published)
        self.looks_ahead = variant.depth > 0 and grid.q > 1
        self.computing = computing().on(grid.column_comm)
        self.factorisations: dict[tuple[int, int], tuple[Calls, list[pysmpi.Schedule]]] = {}
        self.swaps: dict[tuple[int, int, bool, bool], tuple[pysmpi.Schedule, ...]] = {}
        self.schedules: list[pysmpi.Schedule] = []  # what there is to do
        self.sizes = array("d")

    def solve(self) -> None:
        """Factor the matrix."""
        if self.looks_ahead:
            self._with_look_ahead()
        else:
            self._without_look_ahead()
        self.hand_over()

    def run(self, schedule: pysmpi.Schedule, *sizes: float) -> None:
        """What this process does next."""
        self.schedules.append(schedule)
        self.sizes.extend(sizes)

    def hand_over(self) -> None:
        """Do what there is to do by now."""
        pysmpi.Schedule.run_in_turn(self.schedules, self.sizes)
        self.schedules.clear()
        self.sizes = array("d")

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
        """HPL_pdgesvK2: the next panel is factored before the rest is updated, and broadcast meanwhile."""
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
        """The factorisation of a panel, by the process column that holds it."""
        key = panel.current_row, panel.width
        if key not in self.factorisations:
            exchange = pivoting(self.grid.p, self.grid.my_row, *key).on(self.grid.column_comm, self.payload)
            computed = calls(self.variant, self.coefficients, self.published, panel.width, panel.on_current_row)
            in_order = [each for before in computed.before for each in (*[self.computing] * before, exchange)]
            self.factorisations[key] = computed, in_order
        computed, schedules = self.factorisations[key]
        self.schedules += schedules
        self.sizes.frombytes(computed.of_rows(panel.rows))

    def _update(self, panel: Panel, columns: int) -> None:
        """The exchange of rows and the update of the first so many columns that the panel is to be applied to."""
        columns = min(columns, panel.columns)
        panel.columns -= columns
        if columns > 0:
            seconds = self._seconds(panel, columns)
            for stage in self._swap(panel, columns):
                self.run(stage, columns, *seconds)

    def _update_and_look(self, panel: Panel, columns: int) -> None:
        """The same, while another panel is being broadcast: HPL looks for it after each stage and NB columns."""
        columns = min(columns, panel.columns)
        panel.columns -= columns
        if columns <= 0:
            self.broadcast.finish()
            return
        found = self._look()
        for stage in self._swap(panel, columns) if self.grid.p > 1 else ():
            self.run(stage, columns, 0.0, 0.0)
            found = found or self._look()
        while not found and columns:
            part = min(self.variant.nb, columns)
            self._compute(self._seconds(panel, part))
            columns -= part
            found = self._look()
        if not found:
            self.broadcast.finish()
        self._compute(self._seconds(panel, columns))

    def _look(self) -> bool:
        """One call of HPL_bcast: true when this process's part is done."""
        sender = self.broadcast.sender()
        if sender is not None:
            self.hand_over()
            if not self.grid.row_comm.Iprobe(sender, PANELS):
                return False
        self.broadcast.pass_on()
        return True

    def _compute(self, seconds: tuple[float, float]) -> None:
        for each in seconds:
            self.run(self.computing, each)

    def _swap(self, panel: Panel, columns: int) -> tuple[pysmpi.Schedule, ...]:
        """The stages of the exchange; their sizes are the number of columns and the seconds of dtrsm and dgemm."""
        grid, variant = self.grid, self.variant
        key = panel.current_row, panel.width, panel.pivots_afar, variant.spreads(columns)
        stages = self.swaps.get(key)
        if stages is None:
            shared = swap(grid.p, grid.my_row, *key, variant.equilibration, not self.looks_ahead)
            stages = tuple([stage.on(grid.column_comm, self.payload) for stage in shared])
            self.swaps[key] = stages
        return stages

    def _seconds(self, panel: Panel, columns: int) -> tuple[float, float]:
        """dtrsm and dgemm of the update, rounded as HPL's macros do: from the left to the right."""
        gemm, trsm = self.coefficients
        width = panel.width
        if self.published and (self.grid.p == 1 or not self.variant.u_transposed):
            solve = trsm * width * columns * columns
        else:
            solve = trsm * columns * width * width
        return solve, gemm * panel.below * columns * width
