"""``pysmpirun --what-if SWITCH``: run a program unchanged and with changes ("switches"), and compare the runs.

A switch changes the machine or the settings: ``links*2`` doubles all bandwidths.
"""

import copy
import dataclasses
import sys
from typing import Protocol

from pysmpi.cli.arguments import Arguments
from pysmpi.errors import LaunchError, PysmpiError
from pysmpi.platform import Platform
from pysmpi.platform.scaling import scale
from pysmpi.simulation.experiments.variation import Variation, variation_of
from pysmpi.simulation.experiments.what_if_runs import AS_IT_IS, compare
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.launch.instrument_kinds import options_of_copy
from pysmpi.simulation.launch.machine_setup import grow
from pysmpi.simulation.replay import ReplayResult
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.switches import Switch, parse_slow_host, parse_switch
from pysmpi.util.commands.command_name import command_name
from pysmpi.util.traceback_text import summary_of

__all__ = ["Run", "reason_of_failure", "what_if"]

_USAGE_ERROR = 2


class Run(Protocol):
    """Function that runs a program once. It returns the exit status, and the result or None if no run has begun."""

    def __call__(
        self,
        arguments: Arguments,
        platform: Platform,
        configuration: Configuration,
        switch: Switch,
        intervals: str | None = None,
        /,
    ) -> tuple[int, Result | ReplayResult | None]:
        """Run with the changes of a switch.

        `intervals` is the path of a file with measured computation intervals that several runs share, or None.
        """


def what_if(arguments: Arguments, platform: Platform, configuration: Configuration, run: Run) -> int:
    """Run the program unchanged and once for each switch, and print a table that compares the runs.

    Returns:
        Exit status of the unchanged run if that has failed, else 1 if another run has failed, else 0.

    Raises:
        ConfigurationError, PlatformError: a switch is not valid, names a host or link that does not exist, or asks for
            more nodes than the topology can have.
        PlacementError: a switch changes the number of nodes, but a hostfile places the ranks.
        LaunchError: an option was given that applies to a single run only, such as recording or debugging, or a switch
            changes the number of ranks of a trace or of several programs.
    """
    options = arguments.options
    arguments.refuse_with("what-if", "--what-if runs a program several times, and {option} is for one run")
    slow = tuple(map(parse_slow_host, options.slow_host))
    switches = list(map(parse_switch, options.what_if))
    for switch in switches:
        scale(_machine(switch, arguments, platform), [*slow, *switch.scalings])

    def run_under(switch: Switch, intervals: str) -> Variation:
        settings = copy.deepcopy(configuration)
        switch.apply(settings)
        if switch is not AS_IT_IS:
            copied = options_of_copy(options)  # this process was forked for one switch
            options.rank_stdout, options.instruments = copied.rank_stdout, copied.instruments
        try:
            slowed = dataclasses.replace(switch, scalings=(*slow, *switch.scalings))
            status, result = run(arguments, platform, settings, slowed, intervals)
        except PysmpiError as error:
            return Variation(switch.text, failure=str(error), exit_status=_USAGE_ERROR)
        if status != 0 or result is None:
            return Variation(switch.text, failure=reason_of_failure(status, result), exit_status=status)
        return variation_of(switch, result)

    found = compare(run_under, switches, parallel=options.parallel, show_all=options.verbose)
    as_it_is, *others = found.variations
    if as_it_is.failure:
        print(f"{command_name()}: the unchanged run failed: {as_it_is.failure}", file=sys.stderr)
        return as_it_is.exit_status
    print("".join(f"pysmpi: {line}\n" for line in found.lines()), end="", file=sys.stderr)
    return int(any(each.failure for each in others))


def _machine(switch: Switch, arguments: Arguments, platform: Platform) -> Platform:
    """Return the platform, with more or fewer nodes if a switch such as ``nodes*2`` changes their number.

    Raises:
        LaunchError: the switch changes the number of ranks, which is fixed for a trace and for several programs.
        PlatformError: the platform has no form with that number of nodes.
        PlacementError: a hostfile places the ranks.
    """
    if switch.nodes == 1:
        return platform
    if arguments.options.replay is not None:
        raise LaunchError(
            f"--what-if {switch.text!r}: a trace has the actions of a fixed number of ranks, and --replay cannot add "
            "any; run the program with this switch instead"
        )
    if len(arguments.parts) > 1:
        raise LaunchError(
            f"--what-if {switch.text!r} multiplies -np, but there are {len(arguments.parts)} programs, each with its "
            "own -np; valid for one program"
        )
    return grow(platform, switch.nodes, arguments.options.hostfile)


def reason_of_failure(status: int, result: Result | ReplayResult | None) -> str:
    """Return the reason why a run failed: the first exception of a rank, or the exit status."""
    for outcome in result.ranks if isinstance(result, Result) else []:
        if outcome.exception is not None:
            return f"rank {outcome.rank} raised {summary_of(outcome.exception)}"
    return f"the exit status is {status}"
