"""Upgrades of a machine: how requirements change when a program fills the larger machine."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pysmpi.errors import ModelError, unknown
from pysmpi.requirements.codesign.filling import MEMORY, Point, Requirements, fill
from pysmpi.requirements.codesign.leading_powers import leading_powers

__all__ = ["UPGRADES", "Upgrade", "leading_ratios", "linear_ratios", "parse_upgrade", "ratios", "upgraded"]

_PART = re.compile(r"([A-Za-z]+)\s*([*/])\s*(\S+)")


@dataclass(frozen=True)
class Upgrade:
    """Change of a machine.

    Attributes:
        name: name in tables.
        processes: factor of the number of processes.
        memory: factor of the memory of each process.
        meaning: description of the change, such as "double the racks", or "".
    """

    name: str
    processes: float = 1
    memory: float = 1
    meaning: str = ""


UPGRADES = (
    Upgrade("A", 2, 1, "double the racks"),
    Upgrade("B", 2, 0.5, "double the sockets"),
    Upgrade("C", 1, 2, "double the memory"),
)
"""Upgrades that the literature compares (Calotoiu et al. 2018, table III)."""


def parse_upgrade(text: str) -> Upgrade:
    """Return the upgrade described by a text such as "fat nodes: processes*2 memory*0.5".

    Raises:
        ModelError: the text has no name, or a part is not a factor of processes or memory.
    """
    name, colon, rest = text.partition(":")
    name = name.strip()
    if not colon or not name or not rest.strip():
        raise ModelError(f'upgrade {text!r} is not valid; write "NAME: processes*2 memory*0.5"')
    factors: dict[str, float] = {}
    for part in re.sub(r"\s*([*/])\s*", r"\1", rest).split():
        match = _PART.fullmatch(part)
        factor = _factor(match[3]) if match else None
        if match is None or factor is None:
            raise ModelError(f"upgrade {name!r}: {part!r} is not valid; write processes*2 or memory/2")
        if match[1] not in ("processes", "memory"):
            raise ModelError(f"upgrade {name!r}: {unknown('part of a machine', match[1], ('processes', 'memory'))}")
        if match[1] in factors:
            raise ModelError(f"upgrade {name!r}: {match[1]} is given twice")
        factors[match[1]] = factor if match[2] == "*" else 1 / factor
    return Upgrade(name, factors.get("processes", 1), factors.get("memory", 1))


def _factor(text: str) -> float | None:
    try:
        factor = float(text)
    except ValueError:
        return None
    return factor if 0 < factor < math.inf else None


def upgraded(model: Requirements, base: Point, upgrade: Upgrade) -> Point:
    """Return the program on the upgraded machine, with the ratios to the base if it fits on both.

    Raises:
        ModelError: less than one process is left, memory does not limit n, or a formula has no value there.
    """
    processes = base.processes * upgrade.processes
    if processes < 1:
        raise ModelError(f"upgrade {upgrade.name!r} leaves {processes:g} processes; at least 1 is needed")
    point = fill(model, processes, base.memory * upgrade.memory)
    return replace(point, ratios=ratios(point, base))


def ratios(point: Point, base: Point) -> dict[str, float | None]:
    """Return n, the overall problem and all requirements as multiples of those at the base point; empty if the program
    does not fit on one of the machines."""
    if point.n is None or base.n is None or point.problem is None or base.problem is None:
        return {}
    found: dict[str, float | None] = {"n": point.n / base.n, "problem": point.problem / base.problem}
    return found | {name: _ratio(value, base.values[name]) for name, value in point.values.items()}


def _ratio(value: float, base: float) -> float | None:
    if base == 0:
        return 1.0 if value == 0 else None
    ratio = value / base
    return ratio if math.isfinite(ratio) else None


def leading_ratios(model: Requirements, upgrade: Upgrade) -> dict[str, float | None]:
    """Return the ratios that follow from the leading powers alone, which hold at every base point.

    Raises:
        ModelError: memory does not grow as a power of n.
    """
    needed = model[MEMORY].expression
    powers = leading_powers(needed)
    if not powers.get("n", 0) > 0:
        raise ModelError(f"{needed.place}: memory {needed.text!r} does not grow as a power of n, which --leading needs")
    n = (upgrade.memory / upgrade.processes ** powers.get("p", 0)) ** (1 / powers["n"])
    found: dict[str, float | None] = {"n": n, "problem": n * upgrade.processes}
    for name, formula in model.items():
        of = leading_powers(formula.expression)
        found[name] = n ** of.get("n", 0) * upgrade.processes ** of.get("p", 0)
    return found


def linear_ratios(names: Mapping[str, object], upgrade: Upgrade) -> dict[str, float | None]:
    """Return, for comparison, the ratios of a program whose requirements are all proportional to n."""
    found: dict[str, float | None] = {"n": upgrade.memory, "problem": upgrade.processes * upgrade.memory}
    return found | dict.fromkeys(names, upgrade.memory)
