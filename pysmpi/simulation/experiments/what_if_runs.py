"""Comparison of what-if runs: a program runs unchanged, and once for each switch (a change of machine or settings)."""

import functools
import math
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pysmpi.errors import LaunchError, PysmpiError, SimulationError
from pysmpi.simulation.experiments.simulate import simulate
from pysmpi.simulation.experiments.variation import Variation, variation_of
from pysmpi.simulation.experiments.what_if_remarks import remarks
from pysmpi.simulation.instruments.outcome import IntervalUse
from pysmpi.simulation.settings.switches import Switch, parse_switch
from pysmpi.util.columns import aligned
from pysmpi.util.processes import run_apart
from pysmpi.util.quantities import human_seconds
from pysmpi.util.traceback_text import at_caller

__all__ = ["AS_IT_IS", "WhatIf", "compare", "what_if"]

AS_IT_IS = Switch("as it is")
_UNKNOWN = "unknown"
_UNKNOWN_SPREAD = 0.25  # spread of measured intervals if no two can be compared: the largest error of measured code
_LEAST_MARGIN = 5e-4  # a smaller margin changes no printed digit


@dataclass(frozen=True)
class WhatIf:
    """Comparison of a program's unchanged run with its runs under switches (changes of machine or settings).

    Attributes:
        variations: the unchanged run first, then one run per switch in the given order.
    """

    variations: tuple[Variation, ...]

    def __getitem__(self, switch: str) -> Variation:
        """Return the result of the run with a switch, given the switch's text.

        Raises:
            KeyError: if no run has this switch.
        """
        for each in self.variations:
            if each.switch == switch:
                return each
        raise KeyError(switch)

    def speed_up(self, switch: str) -> float:
        """Return the unchanged run's time divided by the time under a switch, or NaN if one of the two took no time."""
        time = self[switch].simulated_time
        return self.variations[0].simulated_time / time if time > 0 else float("nan")

    def margin(self, switch: str) -> float:
        """Return how much the speed-up of a switch may change if its runs are repeated, or 0.

        The measured computation that a run shares with the unchanged one is the same in both. Other computation is
        taken to be off by its spread (`IntervalUse.spread`), as if all of it were too long, or all of it too short.
        """
        base, other = self.variations[0], self[switch]
        if other is base or other.failure or base.intervals is None or other.intervals is None:
            return 0.0
        is_measured_again = other.intervals.spread is not None or not other.intervals.reused
        share = base.own_share if is_measured_again else other.own_share
        off = math.hypot(share * _spread(base.intervals), other.own_share * _spread(other.intervals, base.intervals))
        return off * self.speed_up(switch) if off >= _LEAST_MARGIN else 0.0

    def is_distinguishable(self, switch: str) -> bool:
        """Return whether the effect of a switch is larger than the noise of measured computation (`margin`)."""
        margin = self.margin(switch)
        return margin == 0 or abs(self.speed_up(switch) - 1) > margin

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return the comparison as lines of a table, followed by a line for each failed run."""
        header = ("what if", "simulated time", "speed-up", "in MPI, a rank", "energy")
        metered = any(each.joules is not None for each in self.variations)
        timed = any(each.in_mpi is not None for each in self.variations)
        columns = [0, 1, 2, *([3] if timed else []), *([4] if metered else [])]
        rows = [header, *map(self._row, self.variations)]
        lines = aligned([[row[column] for column in columns] for row in rows], right=range(1, len(columns)))
        lines += [f"{each.switch}: {each.failure}" for each in self.variations if each.failure]
        margins = {each.switch: self.margin(each.switch) for each in self.variations}
        return lines + remarks(self.variations, margins)

    def _row(self, each: Variation) -> tuple[str, ...]:
        if each.failure:
            return each.switch, "failed", "", "", ""
        base = self.variations[0]
        speed_up = "" if each is base else f"{self.speed_up(each.switch):.3f}×"
        speed_up += f" ± {margin:.3f}" if (margin := self.margin(each.switch)) else ""
        in_mpi = _UNKNOWN if each.in_mpi is None else human_seconds(each.in_mpi)
        joules = _UNKNOWN if each.joules is None else f"{each.joules:,.6g} J"
        return each.switch, human_seconds(each.simulated_time), speed_up, in_mpi, joules


def _spread(*measured: IntervalUse) -> float:
    """Return the first known spread of measured intervals."""
    return next((each.spread for each in measured if each.spread is not None), _UNKNOWN_SPREAD)


def compare(
    run: Callable[[Switch, str], Variation], switches: Sequence[Switch], *, parallel: int = 1, show_all: bool = False
) -> WhatIf:
    """Call `run` without a change and with each switch, each time in a separate process, and compare the results.

    The unchanged run records its measured computation, and the others take it over. If the unchanged run fails, the
    other runs are omitted.

    Args:
        run: function that simulates the program with one switch, and returns the results to compare. Its second
            argument is the path of the file of measured intervals.
        switches: the switches.
        parallel: number of runs in parallel; parallel runs distort computation that is measured again.
        show_all: whether to show the output of all runs, not only of the unchanged one.
    """

    def run_all(those: Sequence[Switch], *, quiet: bool) -> list[Variation]:
        return run_apart(
            [functools.partial(run, switch, intervals) for switch in those],
            lost=lambda place, how: Variation(
                those[place].text, failure=f"the process ended unexpectedly: {how}", exit_status=1
            ),
            parallel=parallel,
            quiet=quiet,
        )

    with tempfile.TemporaryDirectory(prefix="pysmpi-") as folder:
        intervals = os.path.join(folder, "intervals")
        (as_it_is,) = run_all([AS_IT_IS], quiet=False)
        others = [] if as_it_is.failure else run_all(switches, quiet=not show_all)
    return WhatIf((as_it_is, *others))


@at_caller
def what_if(
    program: Any, switches: Sequence[str], *, parallel: int = 1, show_all: bool = False, **settings: Any
) -> WhatIf:
    """Run a program unchanged and once for each switch, and compare the runs.

    Computation that the unchanged run has measured takes the same time in the others, where ranks make the same calls
    (`WhatIf.margin`). Each run uses its own process, a copy of this one, so changes that the program makes in memory
    are lost. Runs under switches have no input, and their output is discarded unless `show_all` is set.

    Args:
        program: program as for `pysmpi.simulate`.
        switches: switches such as ``links*2``, ``latency*0.5``, ``speed*2``, ``host:node-3*0.5``, ``link:backbone*10``,
            ``bcast=scatter_LR_allgather``, ``selector=mpich``, or a setting (``smpi/os:0``). ``nodes*2`` runs twice as
            many ranks on twice as many nodes, if the platform is one cluster whose topology can grow. A switch may
            consist of several changes, separated by spaces.
        parallel: number of runs in parallel; parallel runs distort computation that is measured again.
        show_all: whether to show the output of all runs.
        settings: other arguments of `pysmpi.simulate`.

    Raises:
        ConfigurationError: if a switch is not valid.
        LaunchError: if `settings` contains a switch as well, or `parallel` is below 1.
        SimulationError: if the unchanged run fails.
    """
    if "what_if" in settings:
        raise LaunchError("the argument what_if is not valid here; pass switches instead")
    if "intervals" in settings:
        raise LaunchError("the argument intervals is not valid here; what-if runs share their intervals")
    if parallel < 1:
        raise LaunchError(f"parallel = {parallel} is not valid; it must be at least 1")
    if isinstance(switches, str):
        raise LaunchError(f"switches is the string {switches!r}; pass a list of strings")
    parsed = [parse_switch(text) for text in switches]

    def run(switch: Switch, intervals: str) -> Variation:
        change = None if switch is AS_IT_IS else switch.text
        try:
            result = simulate(program, what_if=change, intervals=intervals, **settings)
        except PysmpiError as error:
            return Variation(switch.text, failure=str(error))
        if result.exit_status != 0:
            status = result.exit_status
            return Variation(switch.text, failure=f"the program ended with exit status {status}", exit_status=status)
        return variation_of(switch, result)

    found = compare(run, parsed, parallel=parallel, show_all=show_all)
    if found.variations[0].failure:
        raise SimulationError(f"the unchanged run failed: {found.variations[0].failure}")
    return found
