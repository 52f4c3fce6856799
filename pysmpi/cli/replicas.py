"""``pysmpirun --replicas N``: run a program several times with other random draws, and print the spread."""

import sys
from dataclasses import replace

from pysmpi.cli.arguments import Arguments
from pysmpi.cli.what_if import Run, reason_of_failure
from pysmpi.errors import PysmpiError
from pysmpi.platform import Platform
from pysmpi.simulation.experiments.replicas import Replica, Replicas, replica_of, run_replicas
from pysmpi.simulation.launch.instrument_kinds import options_of_copy
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.switches import Switch
from pysmpi.util.commands.command_name import command_name
from pysmpi.util.quantities import human_seconds

__all__ = ["replicas"]

_FAILED, _USAGE_ERROR = 1, 2


def replicas(arguments: Arguments, platform: Platform, configuration: Configuration, as_it_is: Switch, run: Run) -> int:
    """Run the program once for each replica, with another seed, and print the median and an interval of each result.

    Returns:
        Exit status of the first replica if that has failed, else 1 if another one has failed, else 0.

    Raises:
        LaunchError: an option was given that applies to a single run only, such as debugging.
    """
    options = arguments.options
    arguments.refuse_with("replicas", "--replicas runs a program several times, and {option} is for one run")
    first = options.seed

    def run_with(seed: int) -> Replica:
        if seed != first:
            arguments.options = replace(options_of_copy(options), seed=seed)
        try:
            status, result = run(arguments, platform, configuration, as_it_is)
        except PysmpiError as error:
            return Replica(seed, failure=str(error), exit_status=_USAGE_ERROR)
        if status != 0 or result is None:
            return Replica(seed, failure=reason_of_failure(status, result), exit_status=status)
        return replica_of(seed, result)

    def print_end(replica: Replica) -> None:
        how = (
            f"failed: {replica.failure}"
            if replica.failure
            else f"simulated time {human_seconds(replica.simulated_time)}"
        )
        if replica.failure or not options.quiet:
            number = replica.seed - first + 1
            print(f"pysmpi: replica {number} of {options.replicas} (seed {replica.seed}): {how}", file=sys.stderr)

    (itself,) = run_replicas(run_with, [first], quiet=False)
    if itself.failure:
        print(f"{command_name()}: the first replica failed: {itself.failure}", file=sys.stderr)
        return itself.exit_status
    seeds = range(first + 1, first + options.replicas)
    others = run_replicas(run_with, seeds, parallel=options.parallel, ended=print_end)
    lines = Replicas((itself, *others)).lines()
    print("".join(f"pysmpi: {line}\n" for line in lines), end="", file=sys.stderr)
    return _FAILED if any(each.failure for each in others) else 0
