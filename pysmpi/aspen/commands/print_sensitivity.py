"""Output of ``pysmpi aspen sensitivity``: which parameters change the time, and by how much."""

import argparse
import json

from pysmpi.aspen.commands.words import application_of, single_flow
from pysmpi.util.columns import aligned

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Print or draw by how many percent the time changes with 1 % of each parameter, and return the exit status."""
    single_flow(arguments)
    if arguments.plot is not None:
        from pysmpi.util.pictures import check_format

        check_format(arguments.plot)
    from pysmpi.aspen.machine_model import Machine
    from pysmpi.aspen.sensitivity import elasticities

    found = elasticities(
        application_of(arguments),
        Machine.read(arguments.machine),
        socket=arguments.socket,
        control=arguments.control,
        kernel=arguments.kernel,
        rules=arguments.rules,
    )
    if arguments.plot is not None:
        from pysmpi.aspen.sweep_plots import plot_elasticities

        plot_elasticities(found, arguments.plot)
    if arguments.json:
        print(json.dumps({"elasticities": found}))
    elif arguments.plot is None:
        print("% of the time for 1 % of each parameter")
        print("\n".join(aligned([(name, f"{value:+.4f}") for name, value in found.items()], [1], "  ")))
    return 0
