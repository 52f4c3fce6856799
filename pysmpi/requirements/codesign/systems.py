"""Systems: machines with rates, the least time that a program takes on each, and the resource that limits it."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pysmpi.errors import ModelError, did_you_mean
from pysmpi.requirements.codesign.filling import Point, Requirements, fill
from pysmpi.util.documents import Document
from pysmpi.util.quantities import parse_bytes

__all__ = ["Rate", "System", "benchmark", "on_systems", "read_systems"]


@dataclass(frozen=True)
class Rate:
    """Rate of a resource, such as a process's speed in flop/s.

    Attributes:
        value: units of the requirement per second and process.
        place: file and line where the rate is given.
    """

    value: float
    place: str = ""


@dataclass(frozen=True)
class System:
    """Machine with the rates of its resources.

    Attributes:
        processes: number of processes.
        memory: bytes per process.
        rates: rate of each resource, by the name of the requirement that it serves, such as ``flops``.
    """

    processes: float
    memory: float
    rates: Mapping[str, Rate] = field(default_factory=dict)


def read_systems(path: Path) -> dict[str, System]:
    """Return the systems of a TOML file by name: a table each, with ``processes``, ``memory`` and rates.

    Rates are per process and second and have the names of the formulas that they serve.

    Raises:
        ModelError: the file cannot be read, or is not valid; the message begins with file and line.
    """
    document = Document.read(path, ModelError)
    systems = {}
    for name, table in document.content.items():
        if not isinstance(table, dict):
            raise document.error([name], f"{name!r} is outside a table; write [NAME] above the lines of each system")
        for key in ("processes", "memory"):
            if key not in table:
                raise document.error([name], f"system {name!r} has no {key}{did_you_mean(key, table)}")
        rates = {
            rate: Rate(_positive(document, keys, value), document.place(keys))
            for keys, rate, value in _rates([name], "", table)
        }
        processes = _positive(document, [name, "processes"], table["processes"])
        if not processes.is_integer():
            raise document.error([name, "processes"], f"processes is {table['processes']!r}; write a whole number")
        systems[name] = System(processes, _memory(document, [name, "memory"], table["memory"]), rates)
    if not systems:
        raise ModelError(f"{path}:1: the file has no systems; write [NAME], processes and memory")
    return systems


def _rates(keys: list[str], prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[list[str], str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _rates([*keys, key], f"{prefix}{key}.", value)
        elif prefix or key not in ("processes", "memory"):
            yield [*keys, key], prefix + key, value


def _positive(document: Document, keys: list[str], value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < math.inf:
        raise document.error(keys, f"{'.'.join(keys[1:])} is {value!r}; write a positive number")
    return float(value)


def _memory(document: Document, keys: list[str], value: Any) -> float:
    if isinstance(value, str):
        try:
            value = parse_bytes(value)
        except ValueError as error:
            raise document.error(keys, f"memory: {error}") from None
    return _positive(document, keys, value)


def on_systems(model: Requirements, systems: Mapping[str, System]) -> dict[str, Point]:
    """Return the program on each system whose memory it fills, with the least time of each resource.

    Raises:
        ModelError: memory does not limit n, or a formula has no value there.
    """
    points = {}
    for name, system in systems.items():
        point = fill(model, system.processes, system.memory)
        points[name] = replace(point, seconds=_seconds(point.values, system))
    return points


def benchmark(
    model: Requirements, systems: Mapping[str, System], points: Mapping[str, Point]
) -> tuple[float, dict[str, float]] | None:
    """Return the largest problem that all systems on which the program fits can hold, and the least time on each.

    Systems without rates, and those on which this problem is less than n = 1 per process, have no time.

    Returns:
        None if the program fits on no system.
    """
    problems = {name: point.problem for name, point in points.items() if point.problem is not None}
    if not problems:
        return None
    problem = min(problems.values())
    least = {}
    for name, own in problems.items():
        system = systems[name]
        n = problem / system.processes
        if problem == own:
            n = points[name].n or n  # avoids the rounding errors of a product and a quotient
        if n < 1:
            continue
        at = {"p": system.processes, "n": n}
        seconds = _seconds({each: formula.expression.evaluate(at) for each, formula in model.items()}, system)
        if seconds:
            least[name] = max(seconds.values())
    return problem, least


def _seconds(values: Mapping[str, float], system: System) -> dict[str, float]:
    return {name: value / system.rates[name].value for name, value in values.items() if name in system.rates}
