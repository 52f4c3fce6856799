"""Output of ``pysmpi aspen info``: resources that an application needs, or parts of a machine with their speeds."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from pysmpi.aspen.commands.words import application_of, is_machine_file, values_of
from pysmpi.aspen.errors import AspenError
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import counted, scaled

if TYPE_CHECKING:
    from pysmpi.aspen.amounts import Amounts
    from pysmpi.aspen.application import Application
    from pysmpi.aspen.machine_info import SocketInfo

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Print the resources that an application needs, or the parts of a machine with their speeds.

    Return the exit status.
    """
    if is_machine_file(arguments.model):
        if arguments.formulas:
            path = arguments.model.partition(":")[0]
            raise AspenError(f"{path}:1: option --formulas needs an application, but this file is a machine")
        return _machine(arguments)
    return _application(arguments)


def _machine(arguments: argparse.Namespace) -> int:
    from pysmpi.aspen.machine_info import machine_json, networks_of, parts_of, sockets_of
    from pysmpi.aspen.machine_model import Machine

    machine = Machine.read(arguments.model).with_values(values_of(arguments.values))
    if arguments.json:
        print(json.dumps(machine_json(machine)))
        return 0
    scope = machine.scope()
    parts, networks, sockets = parts_of(machine, scope), networks_of(machine, scope), sockets_of(machine, scope)
    print(f"{machine.path}: parts")
    print("\n".join(aligned([(name, _number(count)) for name, count in parts.items()], [1], "  ")))
    for name, network in networks.items():
        print(
            f"network {name}: {scaled(network.bandwidth)}B/s, latency {_number(network.latency)} s, "
            f"{counted(int(network.connections), 'connection')}"
        )
    for name, socket in sockets.items():
        print(f"{counted(int(socket.count), 'socket')} {name}; figures of one socket:")
        print("\n".join(aligned(_socket_rows(socket), [1], "  ")))
    return 0


def _socket_rows(socket: "SocketInfo") -> list[tuple[str, str]]:
    from pysmpi.aspen.machine_info import ceilings_of

    rows = [(f"peak {name or 'without traits'}", f"{scaled(peak)}flop/s") for name, peak in ceilings_of(socket).items()]
    rows += [(name, f"{scaled(each)}B/s") for name, each in socket.bandwidths.items()]
    if socket.capacity is not None:
        rows.append(("capacity", f"{scaled(socket.capacity)}B"))
    for name, watts in (("static power", socket.static_power), ("dynamic power", socket.dynamic_power)):
        if watts:
            rows.append((name, f"{_number(watts)} W"))
    return rows


def _application(arguments: argparse.Namespace) -> int:
    application = application_of(arguments)
    kernels, controls = _entries(application, arguments.formulas)
    data = _data(application, arguments.formulas)
    if arguments.json:
        from pysmpi.aspen.amounts import plain_json

        answer: dict[str, Any] = {
            "kernels": {name: each.to_json() for name, each in kernels.items()},
            "controls": {name: each.to_json() for name, each in controls.items()},
            "data": plain_json(data),
            "data_bytes": plain_json(sum(data.values(), 0.0)),
        }
        print(json.dumps(answer))
        return 0
    for kind, table in (("kernel", kernels), ("control flow", controls)):
        for name, amounts in table.items():
            print(f"{kind} {name}")
            rows = _amount_rows(amounts)
            print("\n".join(aligned(rows, [] if arguments.formulas else [1], "  ")) if rows else "  nothing")
    if data:
        print("data, in bytes")
        rows = [(name, _number(size)) for name, size in data.items()]
        print("\n".join(aligned(rows, [] if arguments.formulas else [1], "  ")))
    return 0


def _entries(application: "Application", formulas: bool) -> "tuple[dict[str, Amounts], dict[str, Amounts]]":
    from pysmpi.aspen.amounts import amounts_of
    from pysmpi.aspen.references import find_flow
    from pysmpi.aspen.syntax_tree import Kernel

    kernels: dict[str, Amounts] = {}
    controls: dict[str, Amounts] = {}
    names = application.names(formulas=formulas)
    for name in application.module.all_names():
        flow = find_flow(application.module, name)
        arguments = [each.name for each in flow.arguments] if isinstance(flow, Kernel) else []
        missing = [each for each in arguments if each not in application.values and not formulas]
        if missing:
            print(f"note: kernel {name} is left out; its argument {missing[0]!r} has no value", file=sys.stderr)
            continue
        table = kernels if isinstance(flow, Kernel) else controls
        table[name] = amounts_of(application.flow(name, names))
    return kernels, controls


def _data(application: "Application", formulas: bool) -> dict[str, Any]:
    return application.data(application.names(formulas=formulas))


def _amount_rows(amounts: "Amounts") -> list[tuple[str, str]]:
    rows = [("parallelism", _number(amounts.parallelism))]
    for name, value in amounts.resources.items():
        rows.append((name, _number(value)))
        rows += [(f"  {name} as {label}", _number(each)) for label, each in amounts.traits.get(name, {}).items()]
    if amounts.intensity is not None:
        rows += [("bytes", _number(amounts.bytes)), ("flops for each byte", _number(amounts.intensity))]
    for array, found in amounts.arrays.items():
        rows += [(f"  {name} of {array}", _number(each)) for name, each in found.items()]
    return rows


def _number(value: Any) -> str:
    """Return a number with up to seven digits, whole numbers with thousands' separators, and a formula as it is."""
    if not isinstance(value, float | int):
        return str(value)
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.7g}"
