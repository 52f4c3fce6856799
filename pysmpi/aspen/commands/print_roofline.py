"""Output of ``pysmpi aspen roofline``: rooflines of sockets, with the kernels of an application."""

import argparse
import json
from typing import TYPE_CHECKING

from pysmpi.aspen.commands.words import application_of
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import scaled

if TYPE_CHECKING:
    from pysmpi.aspen.roofline import Roofline

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Print or draw the rooflines, and return the exit status."""
    if arguments.output is not None:
        from pysmpi.util.pictures import check_format

        check_format(arguments.output)
    from pysmpi.aspen.machine_model import Machine
    from pysmpi.aspen.roofline import roofline

    application, machine = application_of(arguments), Machine.read(arguments.machine)
    found = roofline(application, machine, arguments.socket or (), arguments.kernel or ())
    if arguments.output is not None:
        from pysmpi.aspen.roofline_plot import plot_roofline

        plot_roofline(found, arguments.output)
    if arguments.json:
        print(json.dumps(found.to_json()))
    elif arguments.output is None:
        _print(found)
    return 0


def _print(found: "Roofline") -> None:
    for name, roof in found.roofs.items():
        print(f"socket {name}: {scaled(roof.bandwidth)}B/s")
        rows = [["ceiling", "flop/s", "from flop/byte"]]
        rows += [
            [traits or "without traits", f"{peak:.6g}", f"{peak / roof.bandwidth:.6g}"]
            for traits, peak in roof.ceilings.items()
        ]
        print("\n".join(aligned(rows, (1, 2), "  ")))
    if found.points:
        rows = [["kernel", "socket", "flop/byte", "flop/s", "bound"]]
        rows += [
            [each.kernel, each.socket, f"{each.intensity:.6g}", f"{each.attained:.6g}", each.bound]
            for each in found.points
        ]
        print("\n".join(aligned(rows, (2, 3))))
    for name in found.left_out:
        print(f"left out: kernel {name}, which has no operations or no bytes of memory")
