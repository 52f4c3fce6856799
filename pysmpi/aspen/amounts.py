"""Total amounts of resources, such as operations and bytes, that kernels and control flows need."""

from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy

from pysmpi.aspen.flow import Demand, Flow
from pysmpi.formulas.expressions.evaluation import Value
from pysmpi.formulas.expressions.symbolic import Symbolic

__all__ = ["Amounts", "amounts_of", "intensity_of", "plain_json"]


@dataclass
class Amounts:
    """Total amounts that a kernel or control flow needs, with all repetitions of loops.

    Attributes:
        widths: number of parallel elements of each block; a block is a step that needs resources.
        resources: units of each resource, by its name.
        traits: for each resource, units by traits, such as "dp, simd"; amounts without traits are left out.
        arrays: for each array or other data, units of the resources that name it, such as bytes of "loads".
    """

    widths: list[Value] = field(default_factory=list)
    resources: dict[str, Value] = field(default_factory=dict)
    traits: dict[str, dict[str, Value]] = field(default_factory=dict)
    arrays: dict[str, dict[str, Value]] = field(default_factory=dict)

    @property
    def parallelism(self) -> Value:
        """Largest number of parallel elements that a step has."""
        return _largest(self.widths)

    @property
    def bytes(self) -> Value:
        """Bytes loaded and stored."""
        return sum((self.resources.get(name, 0.0) for name in ("loads", "stores", "bytes")), 0.0)

    @property
    def intensity(self) -> Value:
        """Operations for each byte of memory, or None if there are no bytes."""
        return intensity_of(self.resources.get("flops", 0.0), self.bytes)

    def to_json(self) -> dict[str, Any]:
        """Return all amounts as a dict for JSON: numbers, or texts of formulas."""
        named = {name: self.resources.get(name, 0.0) for name in ("flops", "loads", "stores")}
        others = {name: value for name, value in self.resources.items() if name not in {*named, "messages", "bytes"}}
        found: dict[str, Any] = plain_json(
            {
                "parallelism": self.parallelism,
                **named,
                "bytes": self.bytes,
                "messages": self.resources.get("messages", 0.0),
                **others,
                "intensity": self.intensity,
                "traits": self.traits,
                "arrays": self.arrays,
            }
        )
        return found


def amounts_of(flow: Flow) -> Amounts:
    """Return the sums of all amounts that the steps of a kernel or control flow need. Parallel steps add up, too."""
    found = Amounts()
    _collect(flow, flow.count, found)
    return found


def intensity_of(flops: Value, moved: Value) -> Value:
    """Return operations for each byte, or None if no bytes are moved.

    Args:
        flops: number of operations.
        moved: number of bytes. If it is an array, the result is an array, with NaN where no bytes are moved.
    """
    if isinstance(moved, Symbolic):
        return Symbolic.of(flops) / moved if moved.terms else None
    if isinstance(moved, numpy.ndarray):
        with numpy.errstate(all="ignore"):
            return numpy.where(moved > 0, flops / moved, numpy.nan)
    return flops / moved if moved else None


def plain_json(value: Any) -> Any:
    """Convert a value for JSON: whole floats to integers, arrays to lists, formulas to texts, infinity to None."""
    if isinstance(value, dict):
        return {name: plain_json(each) for name, each in value.items()}
    if isinstance(value, numpy.ndarray):
        return [plain_json(each) for each in value.tolist()]
    if isinstance(value, Symbolic):
        return str(value)
    if isinstance(value, list | tuple):
        return [plain_json(each) for each in value]
    if isinstance(value, float) and not numpy.isfinite(value):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value


def _collect(flow: Flow, factor: Value, found: Amounts) -> None:
    if flow.demands:
        found.widths.append(flow.parallelism)
        for demand in flow.demands:
            _add(demand, demand.amount * flow.parallelism * factor, found)
    for step in flow.steps:
        _collect(step, factor * step.count, found)


def _largest(values: list[Value]) -> Value:
    if any(isinstance(each, Symbolic) for each in values):
        distinct = list(dict.fromkeys(map(Symbolic.of, values)))
        return distinct[0] if len(distinct) == 1 else Symbolic.call("max", distinct)
    found = reduce(numpy.maximum, values, 0.0)
    return found if numpy.ndim(found) else float(found)


def _add(demand: Demand, amount: Value, found: Amounts) -> None:
    name = demand.resource
    found.resources[name] = found.resources.get(name, 0.0) + amount
    if demand.traits:
        by_traits = found.traits.setdefault(name, {})
        by_traits[demand.label] = by_traits.get(demand.label, 0.0) + amount
    if demand.array:
        by_array = found.arrays.setdefault(demand.array, {})
        by_array[name] = by_array.get(name, 0.0) + amount
