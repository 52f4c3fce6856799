"""Prices of a study's machines, from prices of their parts, which may depend on the study's factors (varied
parameters)."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from pysmpi.errors import ModelError, PlatformError, PysmpiError, StudyError, unknown
from pysmpi.formulas import Expression
from pysmpi.platform.platform_parts import Parts, parts_of
from pysmpi.platform.units import parse_bandwidth, parse_speed, parse_time
from pysmpi.study.derived import derive
from pysmpi.study.factor_levels import Value
from pysmpi.study.points import Point
from pysmpi.study.task import Task
from pysmpi.study.template import filled, written

__all__ = ["PARTS", "PriceList", "Prices", "check_formulas", "parse_price", "prices_of"]

PARTS = ("node", "link", "switch", "machine")
"""Valid keys of the table ``[prices]`` in a study's description; their values are numbers or formulas."""

FREE = "free"
PLATFORM = "platform."
_FABRICS = ("fabric", "cfg.fabric")
_TRIED = 8  # largest numbers of points and of values that `_changes_parts` combines; it reads a platform for each pair
_OF_LINKS, _OF_NODES = (
    ("bw", "bandwidth", "lat", "latency", "loopback"),
    ("speed", "core", "cores", "memory", "wattage"),
)
_parsed = cache(Expression.parse)


@dataclass(frozen=True)
class Prices:
    """Prices of one node, one cable (`link`) and one switch, in any currency."""

    node: float = 0.0
    link: float = 0.0
    switch: float = 0.0

    def of(self, parts: Parts) -> float:
        """Return the price of a machine with the given parts."""
        return self.node * parts.nodes + self.link * parts.links + self.switch * parts.switches


@dataclass(frozen=True)
class PriceList:
    """Prices of a study's machines, in any currency.

    Attributes:
        formulas: price of one "node", "link" (cable) or "switch", and of the "machine" as a whole: a number, or a
            formula of the factors, such as ``"2000 + 50 * speed / 1e9"``. In a formula, the factor ``platform.speed``
            is called ``speed``, and values with a unit are converted to flop/s, bytes/s or seconds.
        values: for each factor, an additional price for each of its values. If the factor is a bandwidth or latency,
            the price is added for each cable; if it is a speed or number of cores, for each node; otherwise once for
            the machine.
        free: factors that cost nothing.
    """

    formulas: Mapping[str, float | str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    free: frozenset[str] = frozenset()


def parse_price(text: str) -> tuple[str, str | None, float]:
    """Parse a text such as ``platform.bandwidth=400Gbps:900``, and return its factor, value and price.

    The value is None if the text says that the factor costs nothing.

    Raises:
        StudyError: the text is not valid.
    """
    factor, equals, rest = text.partition("=")
    if equals and rest == FREE:
        return factor, None, 0.0
    value, colon, price = rest.rpartition(":")
    try:
        found = float(price)
    except ValueError:
        found = math.nan
    if not equals or not colon or not value or not 0 <= found < math.inf:
        raise StudyError(f"price {text!r}: write FACTOR=VALUE:PRICE, such as platform.bandwidth=400Gbps:900, or "
                         f"FACTOR={FREE} for a factor that costs nothing")  # fmt: skip
    return factor, value, found


def check_formulas(formulas: Mapping[str, float | str], points: Sequence[Point]) -> None:
    """Check that each formula gives the price of a known part of a machine, and has a value in each point.

    Raises:
        StudyError: a part is unknown, or a formula is not valid.
    """
    for part, formula in formulas.items():
        if part not in PARTS:
            raise StudyError(f"prices: {unknown('part', part, PARTS)}")
        for point in points:
            _formula(part, formula, point.values)


def prices_of(
    points: Sequence[Point],
    platform_text: str,
    varied: Sequence[str],
    prices: PriceList,
    derived: Mapping[str, Expression] = MappingProxyType({}),
) -> list[float]:
    """Return the price of the machine in each point (simulation).

    Args:
        points: points of the study.
        platform_text: text of the platform, with its fields.
        varied: names of the factors.
        prices: prices of parts, and of values of factors or derived parameters.
        derived: formulas of parameters that follow from the factors.

    Raises:
        PlatformError: a platform is malformed, or its parts cannot be counted.
        StudyError: a formula is not valid, or a factor that changes the hardware has no price for one of its values.
    """
    for factor in (*prices.values, *prices.free):
        if factor not in (*varied, *derived):
            raise StudyError(f"price of {factor}: {unknown('factor', factor, [*varied, *derived])}")
    check_formulas(prices.formulas, points)
    machines = _Machines(platform_text, derived)
    counted = [machines.parts(point) for point in points]
    _check_complete(points, counted, varied, prices, machines)
    found = []
    for point, parts in zip(points, counted, strict=True):
        numbers = {"node": parts.nodes, "link": parts.links, "switch": parts.switches, "machine": 1}
        total = sum(numbers[part] * _formula(part, prices.formulas[part], point.values) for part in prices.formulas)
        for factor, by_value in prices.values.items():
            total += numbers[_part_of(factor, platform_text)] * by_value[written(point.values[factor])]
        found.append(total)
    return found


class _Machines:
    """Counter of the nodes, cables and switches of a study's machines; it counts the same machine only once.

    Args:
        platform_text: text of the platform, with its fields.
        derived: formulas of parameters that follow from the factors.
    """

    def __init__(self, platform_text: str, derived: Mapping[str, Expression]) -> None:
        self._text = platform_text
        self._derived = derived
        self._known: dict[str, Parts] = {}

    def parts(self, point: Point) -> Parts:
        """Return the numbers of parts of a point's machine.

        Raises:
            PlatformError: the platform is malformed, or its parts cannot be counted.
        """
        return self._count(point.task)

    def parts_with(self, point: Point, factor: str, value: Value) -> Parts | None:
        """Return the numbers of parts of the machine that a point would have with another value of a factor.

        Return None if there is no valid machine with this value.
        """
        given = {name: each for name, each in point.values.items() if name not in self._derived}
        try:
            values = derive({**given, factor: value}, self._derived)
            fields = {name.partition(".")[2]: each for name, each in values.items() if name.startswith(PLATFORM)}
            return self._count(replace(point.task, platform=filled(self._text, fields)))
        except PysmpiError:
            return None

    def _count(self, task: Task) -> Parts:
        from pysmpi.study.point_platform import machine_of

        if task.platform not in self._known:
            with machine_of(task) as machine:
                self._known[task.platform] = parts_of(machine)
        return self._known[task.platform]


def _check_complete(
    points: Sequence[Point], parts: Sequence[Parts], varied: Sequence[str], prices: PriceList, machines: _Machines
) -> None:
    """Check that each factor that changes the machine also changes the price, or is declared free."""
    texts = [str(formula) for formula in prices.formulas.values()]
    for factor in (name for name in varied if name.startswith(PLATFORM) or name in _FABRICS):
        if factor in prices.free or any(re.search(rf"\b{re.escape(_field(factor))}\b", text) for text in texts):
            continue
        values = dict.fromkeys(written(point.values[factor]) for point in points if factor in point.values)
        priced = prices.values.get(factor)
        if priced is None and len(values) > 1 and not _changes_parts(factor, points, parts, varied, machines):
            raise StudyError(
                f"{factor} changes the machine but has no price; give one for each value, such as "
                f"--price {factor}={next(iter(values))}:PRICE, a formula in [prices], or --price {factor}={FREE}"
            )
        if priced is not None and (missing := [value for value in values if value not in priced]):
            raise StudyError(f"{factor} = {missing[0]} has no price (known: {', '.join(priced)})")


def _changes_parts(
    factor: str, points: Sequence[Point], parts: Sequence[Parts], varied: Sequence[str], machines: _Machines
) -> bool:
    """Return whether the machines of points that differ only in this factor have different numbers of parts.

    Derived parameters follow from the factors and may differ, too. In listed and sampled designs perhaps no two points
    differ in one factor only; then the machines that points would have with other values of the factor are counted.
    """
    groups: dict[str, list[tuple[Value, Parts]]] = {}
    for point, found in zip(points, parts, strict=True):
        others = repr([point.values.get(name) for name in varied if name != factor])
        groups.setdefault(others, []).append((point.values[factor], found))
    compared = [group for group in groups.values() if len({value for value, _ in group}) > 1]
    if compared:
        return any(len({found for _, found in group}) > 1 for group in compared)
    values = list(dict.fromkeys(point.values[factor] for point in points))
    for point, found in zip(points[:_TRIED], parts, strict=False):
        others_of_it = (machines.parts_with(point, factor, value) for value in values[:_TRIED])
        if any(other is not None and other != found for other in others_of_it):
            return True
    return False


def _part_of(factor: str, platform_text: str) -> str:
    """Return "link", "node" or "machine": the part whose price a factor changes.

    It follows from the attribute in which the platform uses the factor, such as ``bw`` or ``speed``. A fabric changes
    the cables.
    """
    if factor in _FABRICS:
        return "link"
    found = re.search(rf"([\w-]+)\s*=\s*[\"']?\{{\{{\s*{re.escape(_field(factor))}\s*\}}\}}", platform_text)
    name = found[1].lower() if found else ""
    if name.startswith(_OF_LINKS):
        return "link"
    return "node" if name.startswith(_OF_NODES) else "machine"


def _field(factor: str) -> str:
    return factor.partition(".")[2] or factor


def _formula(part: str, formula: float | str, values: Mapping[str, Value]) -> float:
    """Return the value of a formula for the price of a part; names in it stand for the factors' values in a point."""
    names = {_field(name): value for name, value in values.items()}
    try:
        expression = _parsed(str(formula))
        for name in expression.parameters:
            if name not in names:
                raise ValueError(unknown("factor", name, names))
        price = expression.evaluate({name: _number(names[name]) for name in expression.parameters})
    except (ModelError, ValueError) as error:
        raise StudyError(f"price of a {part}: {str(formula)!r}: {error}") from None
    if price < 0:
        raise StudyError(f"price of a {part}: {str(formula)!r} is {price:g}, not a price; a price must be 0 or more")
    return price


def _number(value: Any) -> float:
    """Return a factor's value as a number: flop/s, bytes/s or seconds for texts with such a unit."""
    if isinstance(value, int | float):
        return float(value)
    for parse in (parse_speed, parse_bandwidth, parse_time):
        try:
            return float(parse(str(value), "the value"))
        except PlatformError:
            continue
    raise ValueError(f"{value!r} is not a number")
