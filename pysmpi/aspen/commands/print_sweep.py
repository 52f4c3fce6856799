"""Output of ``pysmpi aspen sweep``: runtime and other quantities for many parameter values, as CSV, JSON or picture."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from pysmpi.aspen.commands.words import single_flow
from pysmpi.aspen.errors import AspenError
from pysmpi.errors import LaunchError, unknown

if TYPE_CHECKING:
    from pysmpi.aspen.application import Application
    from pysmpi.aspen.sweep import Array, Sweep

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Compute quantities for all combinations of parameter values, and print, write or draw them.

    Return the exit status.
    """
    single_flow(arguments)
    if arguments.plot is not None:
        from pysmpi.util.pictures import check_format

        check_format(arguments.plot)
    from pysmpi.aspen.application import Application
    from pysmpi.aspen.machine_model import Machine
    from pysmpi.aspen.sweep import sweep

    application = Application.read(arguments.model)
    values = _values_to_sweep(arguments, application)
    found = sweep(
        application,
        Machine.read(arguments.machine),
        values,
        of=arguments.of.split(","),
        socket=arguments.socket,
        control=arguments.control,
        kernel=arguments.kernel,
        rules=arguments.rules,
    )
    if arguments.plot is not None:
        _plot(arguments, values, found)
    if arguments.output is not None:
        _write(Path(arguments.output), found)
    if arguments.json:
        points = [dict(zip(found.names, row, strict=True)) for row in found.rows()]
        print(json.dumps({"points": points}))
    elif arguments.output is None and arguments.plot is None:
        print(_csv(found), end="")
    return 0


def _values_to_sweep(arguments: argparse.Namespace, application: "Application") -> "dict[str, Array]":
    from pysmpi.aspen.sweep import range_of, values_of_range

    values = {}
    for word in arguments.values:
        name, equals, text = word.partition("=")
        values[name] = values_of_range(text, name) if equals else range_of(application, name)
    if not values:
        raise LaunchError("a parameter to sweep is required, such as n=2^10..2^20:*2")
    for option, name in (("--along", arguments.along), ("--by", arguments.by)):
        if name is not None and name not in values:
            raise LaunchError(f"option {option}: {unknown('parameter', name, values)}")
    return values


def _plot(arguments: argparse.Namespace, values: "dict[str, Array]", found: "Sweep") -> None:
    from pysmpi.aspen.sweep_plots import plot_sweep

    swept = [name for name, each in values.items() if len(each) > 1] or list(values)
    along = arguments.along or swept[0]
    others = [name for name in swept if name != along]
    plot_sweep(found, along, arguments.by or (others[0] if others else None), arguments.plot)


def _csv(found: "Sweep") -> str:
    lines = [",".join(found.names), *(",".join(map(_text, row)) for row in found.rows())]
    return "".join(f"{line}\n" for line in lines)


def _text(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def _write(path: Path, found: "Sweep") -> None:
    from pysmpi.util.whole_file import write_whole

    try:
        write_whole(path, _csv(found).encode())
    except OSError as error:
        raise AspenError(f"cannot write {str(path)!r}: {error.strerror}") from None
