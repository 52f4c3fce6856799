"""Sweeps: an application's time, or amounts such as bytes, for all combinations of values of several parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy

from pysmpi.aspen.amounts import amounts_of
from pysmpi.aspen.application import Application
from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.aspen.cost import Cost, cost_of
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.file_grammar import parse_expression
from pysmpi.aspen.machine_model import Machine
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Range
from pysmpi.aspen.timing import OVERLAP
from pysmpi.errors import unknown
from pysmpi.formulas.expressions.evaluation import evaluate

Array: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.floating[Any]]]"

__all__ = ["FIGURES", "Sweep", "number_of", "range_of", "sweep", "values_of_range"]

FIGURES = ("runtime", "intensity", "flops", "bytes", "messages")
"""Quantities that a sweep can compute."""

_STEPS = 10  # number of values that `range_of` returns
_MOST_VALUES = 10_000_000
_ROUNDING = 1e-9  # part of a step by which the last value may lie beyond the end


@dataclass(frozen=True)
class Sweep:
    """Result of a sweep. Each combination of parameters' values is one point.

    Attributes:
        values: for each parameter, an array with its value at each point.
        figures: for each computed quantity, such as "runtime" in seconds, an array with its value at each point.
    """

    values: dict[str, Array]
    figures: dict[str, Array]

    def rows(self) -> list[list[float]]:
        """Return a row for each point: the values of the parameters, then the computed quantities."""
        columns = [each.tolist() for each in (*self.values.values(), *self.figures.values())]
        return [list(row) for row in zip(*columns, strict=True)]

    @property
    def names(self) -> list[str]:
        """Names of the columns of `rows`."""
        return [*self.values, *self.figures]


def values_of_range(text: str, name: str) -> Array:
    """Return the numbers that a text lists: ``1,2,4``, ``1..10:+1`` (step 1) or ``2^10..2^20:*2`` (factor 2).

    Args:
        text: the text.
        name: name of the parameter, for errors.

    Raises:
        AspenError: the text has another form, or the range is empty or has too many values.
    """
    place = Place(f"{name}={text}", 1)
    first, dots, rest = text.partition("..")
    if not dots:
        return numpy.array([number_of(each, name) for each in _split(text)])
    last, colon, step = rest.rpartition(":")
    if not colon or step[:1] not in ("+", "*"):
        raise error_at(place, "a range needs a step or a factor, such as 1..10:+1 or 1..1024:*2")
    low, high, change = number_of(first, name), number_of(last, name), number_of(step[1:], name)
    if high < low:
        raise error_at(place, f"the range ends at {high:.6g}, before it begins at {low:.6g}")
    if step[0] == "+":
        if change <= 0:
            raise error_at(place, f"a step of {change:.6g} is not above 0")
        count = int(min((high - low) / change + _ROUNDING, _MOST_VALUES)) + 1
        found = low + change * numpy.arange(count)
    else:
        if change <= 1 or low <= 0:
            raise error_at(place, "a factor needs to be above 1, and the first value above 0")
        count = int(min(numpy.log(high / low) / numpy.log(change) + _ROUNDING, _MOST_VALUES)) + 1
        found = low * change ** numpy.arange(count)
    if count >= _MOST_VALUES:
        raise error_at(place, f"the range has more than {_MOST_VALUES:,} values")
    return found


def range_of(application: Application, name: str) -> Array:
    """Return ten values, each the same multiple of the previous one, over the range that a parameter has in the model.

    Raises:
        AspenError: the model has no such parameter, or the parameter has no range of positive numbers.
    """
    param = application.module.params.get(name)
    if param is None:
        raise error_at(application.place, unknown("parameter", name, application.module.params))
    if not isinstance(param.limits, Range):
        raise error_at(param.place, f"parameter {name!r} has no range; write {name}=FIRST..LAST:*FACTOR")
    scope = application.names().scope
    low, high = evaluate(param.limits.low, scope), evaluate(param.limits.high, scope)
    if not 0 < low <= high:
        raise error_at(
            param.place, f"the range {low:.6g} .. {high:.6g} has no geometric steps; both ends must be above 0"
        )
    return numpy.geomspace(low, high, _STEPS)


def sweep(
    application: Application,
    machine: Machine,
    values: Mapping[str, Any],
    *,
    of: Sequence[str] = ("runtime",),
    socket: str | None = None,
    control: str | None = None,
    kernel: str | None = None,
    rules: str = OVERLAP,
) -> Sweep:
    """Compute quantities, such as the runtime, for all combinations of parameters' values.

    Args:
        application: the application.
        machine: the machine.
        values: array of values for each parameter of the application, or else of the machine.
        of: names of the quantities; see `FIGURES`.
        socket: name of the sockets that compute; needed if the machine has several kinds.
        control: name of the control flow; by default "main", or the only one.
        kernel: name of the kernel, instead of a control flow.
        rules: "overlap", or "ornl" for the rules of Oak Ridge's (ORNL's) tools, where parallel parts add up.

    Raises:
        AspenError: a name is unknown, or a value that is needed does not exist.
    """
    for each in of:
        if each not in FIGURES:
            raise AspenError(unknown("figure", each, FIGURES))
    axes = {name: _axis(each, number, len(values)) for number, (name, each) in enumerate(values.items())}
    own = set(application.parameters())
    of_machine = {name for name in axes if name not in own and name in machine.parts.params}

    def figures_at(given: Mapping[str, Any]) -> dict[str, Any]:
        chosen = application.with_values({name: each for name, each in given.items() if name not in of_machine})
        used = machine.with_values({name: each for name, each in given.items() if name in of_machine})
        cost = cost_of(chosen, used, socket=socket, control=control, kernel=kernel, rules=rules)
        return _figures(chosen, chosen.entry(control, kernel), cost)

    shape = tuple(len(numpy.atleast_1d(each)) for each in values.values())
    points = {name: numpy.broadcast_to(each, shape).ravel() for name, each in axes.items()}
    try:
        found = figures_at(axes)
    except AspenError as error:
        if not error.needs_one_number:
            raise
        each_point = [figures_at(dict(zip(points, each, strict=True))) for each in zip(*points.values(), strict=True)]
        found = {name: numpy.reshape([each[name] for each in each_point], shape) for name in FIGURES}
    return Sweep(points, {name: numpy.broadcast_to(found[name], shape).ravel() for name in of})


def _figures(application: Application, entry: str, cost: Cost) -> dict[str, Any]:
    """Return all quantities in `FIGURES` for a kernel or control flow, by name.

    Args:
        application: the application with the values of its parameters.
        entry: name of the kernel or control flow.
        cost: its time on the machine.
    """
    amounts = amounts_of(application.flow(entry, application.names(cost.processors)))
    return {
        "runtime": cost.seconds,
        "intensity": numpy.nan if amounts.intensity is None else amounts.intensity,
        "flops": amounts.resources.get("flops", 0.0),
        "bytes": amounts.bytes,
        "messages": amounts.resources.get("messages", 0.0),
    }


def _axis(values: Any, number: int, count: int) -> Array:
    """Return an array that can be broadcast with those of other parameters, so that all combinations are computed.

    Args:
        values: values of the parameter.
        number: dimension of the array along which the values lie; all other dimensions have length 1.
        count: number of dimensions, one for each parameter.
    """
    found = numpy.atleast_1d(numpy.asarray(values, dtype=float))
    return found.reshape([-1 if axis == number else 1 for axis in range(count)])


def number_of(text: str, name: str) -> float:
    """Return the value of a text such as "2^16".

    Args:
        text: an expression of numbers, without parameters.
        name: name of the parameter that has this value, for errors.

    Raises:
        AspenError: the text is not such an expression.
    """
    return float(evaluate(parse_expression(text, f"{name}={text}"), Scope()))


def _split(text: str) -> list[str]:
    """Split a text at the commas that are not in parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
