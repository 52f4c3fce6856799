"""Output of ``pysmpi aspen cost``: the time of an application on a machine."""

import argparse
import json
from typing import TYPE_CHECKING

from pysmpi.aspen.commands.words import application_of, single_flow
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import counted

if TYPE_CHECKING:
    from pysmpi.aspen.cost import Cost, Row

__all__ = ["run"]

_RULES = {
    "overlap": "parallel parts overlap, a network connection for each rail of a node",
    "ornl": "as in ORNL's tools: parallel parts add up, one network for all",
}


def run(arguments: argparse.Namespace) -> int:
    """Print the time of an application with a row for each kernel, block and loop, and return the exit status."""
    single_flow(arguments)
    from pysmpi.aspen.cost import cost_of
    from pysmpi.aspen.machine_model import Machine

    application = application_of(arguments)
    machine = Machine.read(arguments.machine)
    cost = cost_of(
        application,
        machine,
        socket=arguments.socket,
        control=arguments.control,
        kernel=arguments.kernel,
        rules=arguments.rules,
    )
    if arguments.json:
        print(json.dumps(cost.to_json()))
        return 0
    _print(cost, application.path, machine.path)
    return 0


def _print(cost: "Cost", application: str, machine: str) -> None:
    where = f"{counted(int(cost.processors), 'socket')} {cost.socket!r} of {machine}" if cost.socket else machine
    print(f"{application} on {where}")
    print(f"rules: {cost.rules} ({_RULES[cost.rules]})")
    resources = list(dict.fromkeys(name for row in cost.rows for name in row.by_resource))
    head = ["", "count", *(f"{name}, s" for name in resources), "seconds", "bound", "share"]
    rows = [head, *(_cells(row, resources) for row in cost.rows)]
    print("\n".join(aligned(rows, [*range(1, 3 + len(resources)), len(head) - 1], "  ")))
    parts = ", ".join(f"{name} {seconds:.6g} s" for name, seconds in cost.totals.items())
    print(f"total: {cost.seconds:.9g} s, bound by {cost.bound or 'nothing'} ({parts})")
    if len(cost.rows) == 1 and cost.rows[0].needs:
        print(f"an element: {_needs(cost.rows[0])}")
    for warning in cost.warnings:
        print(f"{warning.place}: warning: {warning.text}")


def _cells(row: "Row", resources: list[str]) -> list[str]:
    name = f"{'  ' * row.depth}{row.kind}{f' {row.name}' if row.name else ''}"
    times = [f"{row.by_resource[each]:.6g}" if each in row.by_resource else "" for each in resources]
    return [name, f"{row.count:,.6g}", *times, f"{row.seconds:.6g}", row.bound or "", f"{100 * row.share:.4g} %"]


def _needs(row: "Row") -> str:
    from pysmpi.aspen.amounts import intensity_of

    texts = [f"{value:,.10g} {name}" for name, value in row.needs.items()]
    moved = sum(row.needs.get(name, 0.0) for name in ("loads", "stores", "bytes"))
    intensity = intensity_of(row.needs.get("flops", 0.0), moved)
    return ", ".join([*texts, *([f"{intensity:.6g} flops for each byte"] if intensity is not None else [])])
