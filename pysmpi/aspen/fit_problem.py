"""Least-squares problem of a fit: relative errors of an application's predictions as a function of its parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy

from pysmpi.aspen.amounts import amounts_of
from pysmpi.aspen.application import Application
from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.aspen.cost import cost_of
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.machine_model import Machine
from pysmpi.aspen.measurements import Measurement
from pysmpi.aspen.model_files import find_file
from pysmpi.aspen.syntax_tree import Name, Range
from pysmpi.formulas.expressions.evaluation import evaluate

__all__ = ["Array", "Group", "Problem", "Scale", "groups_of", "scales_of"]

Array: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.floating[Any]]]"

_STARTS = 64  # number of random points at which the error is computed to choose starts of the search
_BEST = 3  # number of these points, those with the least errors, from which the search starts
_TOLERANCE = 1e-13
_STEP = 1e-4  # step of numerical derivatives; the range of each parameter is mapped to 0 … 1


@dataclass(frozen=True)
class Scale:
    """Range of a parameter, mapped to 0 … 1: on a logarithmic scale if all of it is above 0, otherwise linearly.

    Attributes:
        low: smallest value.
        high: largest value.
        default: default in the model; if it is outside of the range, the nearest end of the range.
    """

    low: float
    high: float
    default: float

    def value(self, part: Any) -> Any:
        """Return the value at a position in the range (0: smallest, 1: largest)."""
        if self.low > 0:
            return numpy.clip(self.low * (self.high / self.low) ** part, self.low, self.high)
        return self.low + (self.high - self.low) * part

    def part(self, value: float) -> float:
        """Return the position of a value in the range (0: smallest, 1: largest)."""
        if self.low > 0:
            return float(numpy.log(value / self.low) / numpy.log(self.high / self.low))
        return (value - self.low) / (self.high - self.low)

    @property
    def width(self) -> float:
        """Length of the range on its scale: log(high / low) if the scale is logarithmic, else 1.

        On a logarithmic scale, a derivative by the position in the range, divided by this length, is the derivative by
        the logarithm of the parameter.
        """
        return float(numpy.log(self.high / self.low)) if self.low > 0 else 1.0


def scales_of(application: Application, given: set[str]) -> dict[str, Scale]:
    """Return the ranges of the parameters to fit.

    Args:
        application: the application.
        given: names of parameters whose values are in the measurements.

    Raises:
        AspenError: no parameter has a range and can be fitted, or a range is empty.
    """
    scope = application.names(processors=1.0).scope
    found = {}
    for name, param in application.module.params.items():
        if not isinstance(param.limits, Range) or name in given or name in application.values:
            continue
        low, high = evaluate(param.limits.low, scope), evaluate(param.limits.high, scope)
        default = scope.value(Name(name))
        if not low < high:
            raise error_at(param.place, f"the range {low:.6g} .. {high:.6g} of {name!r} is empty")
        found[name] = Scale(low, high, float(numpy.clip(default, low, high)))
    if not found:
        raise error_at(
            application.place,
            "no parameter to fit: each one lacks a range, such as param a = 6.3 in 1 .. 20, is set, or is a column",
        )
    return found


@dataclass(frozen=True)
class Group:
    """Measurements of one quantity, such as the seconds, of one kernel or control flow on one machine.

    Attributes:
        figure: name of the quantity; see `TARGETS` of `measurements`.
        machine: machine with the values of its parameters.
        question: arguments of `cost_of` that choose the sockets and the kernel or control flow.
        values: for each parameter in the table's columns, an array with its value in each measurement.
        measured: measured values of the quantity.
        numbers: number of each measurement in the table, from 0.
        places: file and line of each measurement.
    """

    figure: str
    machine: Machine
    question: dict[str, Any]
    values: dict[str, Array]
    measured: Array
    numbers: list[int]
    places: list[Place]


def groups_of(measurements: Sequence[Measurement], machine: Machine, question: dict[str, Any]) -> list[Group]:
    """Divide measurements into groups for which predictions can be computed together, with arrays of values.

    The measurements of a group have the same quantity, parameters, machine, sockets, and kernel or control flow.

    Args:
        measurements: the measurements.
        machine: machine for the measurements that name no machine.
        question: socket, kernel and control flow for the measurements that name none.
    """
    keyed: dict[tuple[Any, ...], list[tuple[int, Measurement]]] = {}
    for number, each in enumerate(measurements):
        for figure in each.figures:
            key = figure, tuple(each.values), tuple(sorted(each.choices.items()))
            keyed.setdefault(key, []).append((number, each))
    machines: dict[str, Machine] = {}
    found = []
    for (figure, names, chosen), members in keyed.items():
        choices = dict(chosen)
        asked = question | {name: choices[name] for name in ("socket", "control", "kernel") if name in choices}
        if "kernel" in choices:
            asked["control"] = None
        elif "control" in choices:
            asked["kernel"] = None
        used = machine
        if "machine" in choices:
            word = choices["machine"]
            if word not in machines:
                file, colon, settings = word.partition(":")
                machines[word] = Machine.read(f"{find_file(file, members[0][1].place)}{colon}{settings}")
            used = machines[word]
        values = {name: numpy.array([each.values[name] for _, each in members]) for name in names}
        measured = numpy.array([each.figures[figure] for _, each in members])
        numbers, places = [number for number, _ in members], [each.place for _, each in members]
        found.append(Group(figure, used, asked, values, measured, numbers, places))
    return found


@dataclass
class Problem:
    """Relative errors of an application's predictions, as a function of each parameter's position in its range (0 … 1).

    Attributes:
        application: the application.
        groups: the measurements.
        names: names of the parameters to fit.
        scales: ranges of these parameters, in the same order.
        rules: "overlap" or "ornl"; see `fit`.
    """

    application: Application
    groups: Sequence[Group]
    names: list[str]
    scales: list[Scale]
    rules: str

    def residuals(self, parts: Array, *, ceilings: bool = True) -> Array:
        """Return predicted / measured - 1 for all measurements.

        Args:
            parts: position of each parameter in its range, or a row of such positions for each of several points.
            ceilings: whether the rounds in which cores execute parallel elements are rounded up: 5 elements on 4 cores
                take 2 rounds, not 1.25. Then times jump where parameters change; otherwise they are smooth.

        Returns:
            The errors, or a row of errors for each point.
        """
        points = numpy.atleast_2d(parts)
        values = {
            name: scale.value(points[:, [number]])
            for number, (name, scale) in enumerate(zip(self.names, self.scales, strict=True))
        }
        errors = [self._figures(each, values, len(points), ceilings) / each.measured - 1 for each in self.groups]
        found = numpy.concatenate(errors, axis=1)
        return found if numpy.ndim(parts) > 1 else found[0]

    def slopes(self, parts: Array, *, ceilings: bool = False) -> Array:
        """Return the derivatives of the relative errors by the position of each parameter in its range.

        They are computed from the errors at four points around each position.

        Args:
            parts: position of each parameter.
            ceilings: as for `residuals`.

        Returns:
            A row for each measurement and a column for each parameter.
        """
        count = len(parts)
        middle = numpy.clip(parts, 2 * _STEP, 1 - 2 * _STEP)
        around = numpy.array([middle + factor * step for factor in (-2, -1, 1, 2) for step in _STEP * numpy.eye(count)])
        first, second, third, fourth = self.residuals(around, ceilings=ceilings).reshape(4, count, -1)
        found: Array = ((first - 8 * second + 8 * third - fourth) / (12 * _STEP)).T
        return found

    def solve(self) -> Array:
        """Return each parameter's position in its range (0 to 1) with the least sum of squared relative errors.

        The search starts from the defaults and from several random points.
        """
        from scipy.optimize import least_squares

        first = numpy.array([scale.part(scale.default) for scale in self.scales])
        drawn = numpy.random.default_rng(1).random((_STARTS, len(self.names)))
        errors = [(self._error(each), number) for number, each in enumerate(drawn)]
        starts = [first, *(drawn[number] for _, number in sorted(errors)[:_BEST])]
        best, least = first, self._error(first)
        for chosen in starts:
            start = chosen
            for ceilings in (False, True):  # smooth times lead to the neighbourhood of the best point
                given = {"ceilings": ceilings}
                try:
                    found = least_squares(
                        self.residuals, start, self.slopes, bounds=(0.0, 1.0), kwargs=given,
                        ftol=_TOLERANCE, xtol=_TOLERANCE, gtol=_TOLERANCE,
                    )  # fmt: skip
                except AspenError:
                    break  # the model has no value near this start
                start = found.x
                if (error := self._error(start)) < least:
                    best, least = start, error
        if not numpy.isfinite(least):
            self.residuals(first)  # raises the error of the default values
        return best

    def _error(self, parts: Array) -> float:
        try:
            return float(numpy.sum(self.residuals(parts) ** 2))
        except AspenError:
            return float("inf")

    def _figures(self, group: Group, values: Mapping[str, Array], count: int, ceilings: bool) -> Array:
        """Return predictions for the measurements of a group, a row for each of several points.

        Args:
            group: the measurements.
            values: values of the fitted parameters by name, each with shape (count, 1).
            count: number of points.
            ceilings: as for `residuals`.
        """
        shape = count, len(group.measured)
        given = {**values, **group.values}
        try:
            return numpy.broadcast_to(self._figure(group, given, ceilings), shape)
        except AspenError:
            # Some models, such as loops whose body uses the counter, cannot be evaluated for arrays of values.
            found = numpy.empty(shape)
            for at in numpy.ndindex(shape):
                one = {name: float(numpy.broadcast_to(each, shape)[at]) for name, each in given.items()}
                found[at] = self._figure(group, one, ceilings)
            return found

    def _figure(self, group: Group, values: Mapping[str, Any], ceilings: bool) -> Any:
        own = set(self.application.parameters())
        application = self.application.with_values({name: each for name, each in values.items() if name in own})
        machine = group.machine.with_values({name: each for name, each in values.items() if name not in own})
        if group.figure == "seconds":
            question = group.question | {"rules": self.rules, "ceilings": ceilings, "warnings": False}
            return cost_of(application, machine, **question).seconds
        entry = application.entry(group.question["control"], group.question["kernel"])
        amounts = amounts_of(application.flow(entry, application.names(_sockets(machine, application, group))))
        return amounts.bytes if group.figure == "bytes" else amounts.resources.get(group.figure, 0.0)


def _sockets(machine: Machine, application: Application, group: Group) -> Any:
    """Return the number of sockets of the whole machine, or None if it has several kinds and none is chosen."""
    scope, socket = machine.scope(application.processors), group.question["socket"]
    if socket is None and len({each.component.name for each in machine.sockets(scope)}) > 1:
        return None
    chosen = machine.choose_socket(scope, socket)
    return chosen.total() if chosen else 1.0
