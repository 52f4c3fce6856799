"""What if: a program is run as it is, and once for each switch, and the differences are told."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pysmpi.errors import LaunchError, PysmpiError, SimulationError
from pysmpi.experiments.switches import Switch, parse_switch
from pysmpi.launch.outcome import Result
from pysmpi.launch.simulate import simulate
from pysmpi.replay import SkeletonResult
from pysmpi.util.columns import aligned
from pysmpi.util.processes import run_apart
from pysmpi.util.quantities import human_seconds

__all__ = ["AS_IT_IS", "Variation", "WhatIf", "compare", "variation_of", "what_if"]

AS_IT_IS = Switch("as it is")
_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Variation:
    """A run under a switch.

    Attributes:
        switch: as it was written; "as it is" for the run without any.
        simulated_time: seconds; 0 when it has failed.
        in_mpi: seconds of it that a rank has spent in MPI calls, waiting for others included, the mean of all ranks;
            None where that is not known, as of skeletons.
        joules: of all hosts, and links where these are metered; None without a plugin that does.
        failure: why there is nothing to compare; empty when all went well.
        exit_status: of the program.
    """

    switch: str
    simulated_time: float = 0.0
    in_mpi: float | None = None
    joules: float | None = None
    failure: str = ""
    exit_status: int = 0


@dataclass(frozen=True)
class WhatIf:
    """What the switches change.

    Attributes:
        variations: the run as it is first, then one for each switch, in their order.
    """

    variations: tuple[Variation, ...]

    def __getitem__(self, switch: str) -> Variation:
        """The run under a switch, as it was written.

        Raises:
            KeyError: there is none.
        """
        for each in self.variations:
            if each.switch == switch:
                return each
        raise KeyError(switch)

    def speed_up(self, switch: str) -> float:
        """How many times as fast the run under a switch is as the one as it is; NaN when either took no time."""
        time = self[switch].simulated_time
        return self.variations[0].simulated_time / time if time > 0 else float("nan")

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """A table."""
        header = ("what if", "simulated time", "speed-up", "in MPI, a rank", "energy")
        metered = any(each.joules is not None for each in self.variations)
        timed = any(each.in_mpi is not None for each in self.variations)
        columns = [0, 1, 2, *([3] if timed else []), *([4] if metered else [])]
        rows = [header, *map(self._row, self.variations)]
        lines = aligned([[row[column] for column in columns] for row in rows], right=range(1, len(columns)))
        return lines + [f"{each.switch}: {each.failure}" for each in self.variations if each.failure]

    def _row(self, each: Variation) -> tuple[str, ...]:
        if each.failure:
            return each.switch, "failed", "", "", ""
        base = self.variations[0]
        speed_up = "" if each is base else f"{self.speed_up(each.switch):.3f}×"
        in_mpi = _UNKNOWN if each.in_mpi is None else human_seconds(each.in_mpi)
        joules = _UNKNOWN if each.joules is None else f"{each.joules:,.6g} J"
        return each.switch, human_seconds(each.simulated_time), speed_up, in_mpi, joules


def variation_of(switch: Switch, result: Result | SkeletonResult) -> Variation:
    """What is compared of a run that has come to its end."""
    metered = [each.total for each in (result.energy, result.link_energy) if each is not None]
    return Variation(
        switch.text,
        result.simulated_time,
        result.time_spent.in_mpi / max(len(result.ranks), 1) if isinstance(result, Result) else None,
        sum(metered) if metered else None,
    )


def compare(
    run: Callable[[Switch], Variation], switches: Sequence[Switch], *, at_once: int = 1, show_all: bool = False
) -> WhatIf:
    """Runs as it is and under each switch, each in a process of its own; where the first one fails, it alone.

    Args:
        run: runs under one switch.
        switches: which.
        at_once: how many runs at a time; they take each other's time where computation is measured.
        show_all: what the program prints is shown of all runs, not only of the one as it is.
    """

    def run_all(those: Sequence[Switch], *, quiet: bool) -> list[Variation]:
        return run_apart(
            [functools.partial(run, switch) for switch in those],
            lost=lambda place, how: Variation(
                those[place].text, failure=f"its process has ended: {how}", exit_status=1
            ),
            at_once=at_once,
            quiet=quiet,
        )

    (as_it_is,) = run_all([AS_IT_IS], quiet=False)
    others = [] if as_it_is.failure else run_all(switches, quiet=not show_all)
    return WhatIf((as_it_is, *others))


def what_if(
    program: Any, switches: Sequence[str], *, at_once: int = 1, show_all: bool = False, **settings: Any
) -> WhatIf:
    """What would another machine, or another algorithm, change? Runs a program as it is, and once for each switch.

    Each run is in a process of its own, a copy of this one: what the program leaves behind in memory is gone. Of the
    runs under switches nothing that they print is shown, and they find no input.

    Args:
        program: as `pysmpi.simulate` has it.
        switches: such as ``links*2``, ``latency*0.5``, ``hosts*2``, ``host:node-3*0.5``, ``link:backbone*10``,
            ``bcast=scatter_LR_allgather``, ``selector=mpich``, or a setting (``smpi/os:0``); several with spaces
            between them are one switch.
        at_once: how many runs at a time; they take each other's time where computation is measured.
        show_all: shows what all runs print.
        settings: the other arguments of `pysmpi.simulate`.

    Raises:
        ConfigurationError: a switch is not valid.
        LaunchError: `settings` have a switch too, or there are not runs at a time.
        SimulationError: the run as it is has failed.
    """
    if "what_if" in settings:
        raise LaunchError("what_if() takes switches; the argument what_if is that of simulate()")
    if at_once < 1:
        raise LaunchError(f"at_once is {at_once}; one run at least is under way at a time")
    if isinstance(switches, str):
        raise LaunchError(f"switches is the text {switches!r}; it is a list of such")
    parsed = [parse_switch(text) for text in switches]

    def run(switch: Switch) -> Variation:
        try:
            result = simulate(program, what_if=None if switch is AS_IT_IS else switch.text, **settings)
        except PysmpiError as error:
            return Variation(switch.text, failure=str(error))
        if result.exit_status != 0:
            status = result.exit_status
            return Variation(switch.text, failure=f"the exit status is {status}", exit_status=status)
        return variation_of(switch, result)

    found = compare(run, parsed, at_once=at_once, show_all=show_all)
    if found.variations[0].failure:
        raise SimulationError(f"the run as it is has failed: {found.variations[0].failure}")
    return found
