"""Costs: how long an application takes on a machine, by kernel, block and resource."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from pysmpi.aspen.amounts import plain_json
from pysmpi.aspen.application import PROCESSORS, Application
from pysmpi.aspen.capacity import Warned, capacity_warning
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.flow import Flow
from pysmpi.aspen.machine_model import Level, Machine
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Name
from pysmpi.aspen.timing import ORNL, OVERLAP, RULES, Clock, Timing, timing_of, weight_of
from pysmpi.errors import did_you_mean, unknown
from pysmpi.formulas.expressions.evaluation import Value, plain

__all__ = ["MEMORY", "Cost", "Row", "cost_of", "shared_values"]

MEMORY = ("loads", "stores", "bytes")
"""Resources whose seconds count as time of the memory."""

_MESSAGES = ("messages", "comm", "intracomm")
_INLINE = ("seq", "choice", "case")  # kinds of steps without a row of their own


@dataclass(frozen=True)
class Row:
    """Time of one kernel, block, loop or group of steps, as a row of a table.

    A block consists of equal, parallel elements, each of which needs the same amounts of resources.

    Attributes:
        name: name of the kernel, label of the block or loop, or empty.
        kind: "kernel", "control", "block", "iterate", "par" or "map".
        place: file and line of the statement.
        depth: number of rows that contain this one: 2 for a kernel in a loop of a control flow.
        count: number of its executions.
        seconds: time of one execution.
        by_resource: seconds of one execution by resource, whether they overlap or not.
        bound: resource that determines most of the time.
        share: share of all executions together in the total time (0 to 1).
        elements: number of elements of a block, or None.
        needs: amounts that one element needs, by resource; empty if the row is not a block.
    """

    name: str
    kind: str
    place: str
    depth: int
    count: Value
    seconds: Value
    by_resource: dict[str, Value]
    bound: Any
    share: Value
    elements: Value
    needs: dict[str, Value]

    def to_json(self) -> dict[str, Any]:
        """Return the row as a dict for JSON, with numbers that are not rounded."""
        found: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "place": self.place,
            "depth": self.depth,
            "count": self.count,
            "seconds": self.seconds,
            "resources": self.by_resource,
            "bound": self.bound,
            "share": self.share,
        }
        if self.needs:
            found |= {"elements": self.elements, "needs": self.needs}
        answer: dict[str, Any] = plain_json(found)
        return answer


@dataclass(frozen=True)
class Cost:
    """Time of an application on a machine.

    Attributes:
        seconds: time of the whole control flow.
        rules: rules by which the time is computed, "overlap" or "ornl"; see `cost_of`.
        bound: resource that determines most of the time.
        rows: kernels, blocks, loops and groups in the order of the control flow.
        totals: the total time divided into "computation", "memory" and "messages", by what bounds each part of it.
        warnings: facts that may make the result meaningless, such as data that does not fit.
        socket: name of the sockets that compute, or None.
        processors: number of sockets that are used.
    """

    seconds: Value
    rules: str
    bound: Any
    rows: list[Row]
    totals: dict[str, Value]
    warnings: list[Warned]
    socket: str | None
    processors: Value

    def __getitem__(self, name: str) -> Row:
        """Return the first row that has a name.

        Raises:
            AspenError: no row has this name.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise AspenError(unknown("row", name, dict.fromkeys(row.name for row in self.rows if row.name)))

    def to_json(self) -> dict[str, Any]:
        """Return the result as a dict for JSON, with numbers that are not rounded."""
        found: dict[str, Any] = plain_json(
            {
                "seconds": self.seconds,
                "rules": self.rules,
                "bound": self.bound,
                "rows": [row.to_json() for row in self.rows],
                "totals": self.totals,
                "warnings": [each.to_json() for each in self.warnings],
            }
        )
        return found


def cost_of(
    application: Application,
    machine: Machine,
    *,
    socket: str | None = None,
    control: str | None = None,
    kernel: str | None = None,
    rules: str = OVERLAP,
    values: Mapping[str, Any] | None = None,
    ceilings: bool = True,
    warnings: bool = True,
) -> Cost:
    """Return the time of an application on a machine.

    Args:
        application: the application.
        machine: the machine.
        socket: name of the sockets that compute; needed if the machine has several kinds.
        control: name of the control flow; by default "main", or the only one.
        kernel: name of the kernel, instead of a control flow.
        rules: "overlap", or "ornl" for the rules of Oak Ridge's (ORNL's) tools, where parallel parts add up.
        values: values of parameters, in addition to those that the application has.
        ceilings: whether the rounds in which cores execute parallel elements are rounded up: 5 elements on 4 cores take
            2 rounds, not 1.25.
        warnings: whether to compute `Cost.warnings`.

    Raises:
        AspenError: a value that is needed does not exist, or the machine lacks a resource.
    """
    if rules not in RULES:
        raise AspenError(unknown("rules", rules, RULES))
    application = application.with_values(values or {})
    entry = application.entry(control, kernel)
    scope = machine.scope(application.processors)
    chosen = machine.choose_socket(scope, socket)
    whole = chosen.total() if chosen else 1.0
    shared = shared_values(application, machine, scope) if rules == OVERLAP else {}
    names = application.names(whole, shared)
    processors = names.scope.value(Name(PROCESSORS))
    clock = Clock(machine, scope, chosen, processors, rules, ceilings=ceilings)
    flow = application.flow(entry, names)
    total, rows = _Costing(clock).all(flow)
    warned = []
    if warnings:
        capacity = capacity_warning(application, machine, scope, chosen, processors, whole, shared)
        warned = [
            *([capacity] if capacity else []),
            *_default_warnings(application, machine, scope, rules, whole, chosen),
        ]
        warned += [*_trait_warnings(clock), *_processor_warnings(clock, processors)]
    return Cost(
        total.seconds,
        rules,
        _bound(total.binding),
        [_row(row, total.seconds) for row in rows],
        _totals(total.binding),
        warned,
        chosen.component.name if chosen else None,
        clock.used,
    )


@dataclass(frozen=True)
class _Measured:
    """Time of a step, from which its `Row` is made when the total time is known.

    Attributes:
        flow: the step.
        depth: number of rows that contain this one.
        count: number of the step's executions.
        timing: time of one execution.
    """

    flow: Flow
    depth: int
    count: Value
    timing: Timing


class _Costing:
    """Computation of the times of a control flow and of all steps in it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rows: list[_Measured] = []

    def all(self, flow: Flow) -> tuple[Timing, list[_Measured]]:
        """Return the time of a control flow, and the times of its steps in the order of the rows."""
        return self._one(flow, 0, 1.0), self._rows

    def _one(self, flow: Flow, depth: int, count: Value) -> Timing:
        """Return the time of one execution of a step, all rounds of a loop included; add rows for it and its steps.

        Args:
            flow: the step.
            depth: number of rows that contain the step.
            count: number of the step's executions.
        """
        has_row = flow.kind not in _INLINE
        place = len(self._rows)
        inner = count * flow.count if flow.kind in ("iterate", "map") else count
        parts = [self._one(step, depth + has_row, inner * weight_of(step)) for step in flow.steps]
        found = timing_of(self._clock, flow, parts)
        if has_row:
            self._rows.insert(place, _Measured(flow, depth, count, found))
        return found


def _row(measured: _Measured, total: Value) -> Row:
    flow, timing = measured.flow, measured.timing
    with numpy.errstate(all="ignore"):
        share = numpy.nan_to_num(numpy.divide(measured.count * timing.seconds, total))
    needs: dict[str, Value] = {}
    for demand in flow.demands:
        needs[demand.resource] = needs.get(demand.resource, 0.0) + demand.amount
    return Row(
        flow.name,
        flow.kind,
        str(flow.place),
        measured.depth,
        measured.count,
        timing.seconds,
        timing.resources,
        _bound(timing.binding),
        plain(share),
        flow.parallelism if flow.demands else None,
        needs,
    )


def _bound(binding: dict[str, Value]) -> Any:
    """Return the resource with the largest share of a time, or None if there is no resource.

    Args:
        binding: seconds that each resource contributes to the time. If they are arrays, the result is one, too.
    """
    if not binding:
        return None
    names = numpy.array(list(binding))
    found = names[numpy.argmax(numpy.stack(numpy.broadcast_arrays(*binding.values())), axis=0)]
    return str(found) if numpy.ndim(found) == 0 else found


def _totals(binding: dict[str, Value]) -> dict[str, Value]:
    found: dict[str, Value] = {"computation": 0.0, "memory": 0.0, "messages": 0.0}
    for name, value in binding.items():
        kind = "memory" if name in MEMORY else "messages" if name in _MESSAGES else "computation"
        found[kind] = found[kind] + value
    return found


def shared_values(application: Application, machine: Machine, scope: Scope) -> dict[str, Value]:
    """Return the values of the machine's parameters that take the place of the application's defaults, by name.

    These are the parameters that the application has, too, and whose values have not been set there.

    Args:
        application: the application.
        machine: the machine.
        scope: values of the machine's parameters.
    """
    valid = set(application.parameters())
    names = {each.rpartition(".")[2] for each in valid} & set(machine.parts.params)
    return {
        each: scope.value(Name(each))
        for each in names
        if each not in application.values and machine.parts.params[each].dimensions == 0
    }


def _default_warnings(
    application: Application, machine: Machine, scope: Scope, rules: str, whole: Value, socket: Level | None
) -> list[Warned]:
    found = []
    for name, param in application.module.params.items():
        if name in application.values:
            continue
        if name == PROCESSORS:
            noun = f"sockets {socket.component.name!r}" if socket else "sockets"
            text = f"{name} is at its default, although {machine.path} has {_shown(whole)} {noun}"
            found.append(Warned("default", str(param.place), text))
        elif rules == ORNL and name in machine.parts.params:
            text = f"{name} is at its default, although {machine.path} has {_shown(scope.value(Name(name)))}"
            found.append(Warned("default", str(param.place), text))
    return found


def _trait_warnings(clock: Clock) -> list[Warned]:
    found = []
    for (resource, trait), place in clock.unknown_traits.items():
        server = clock.resources.server(resource)
        valid = [each.trait for each in server.traits] if server else []
        hint = did_you_mean(trait, valid)
        text = f"{clock.machine.path} does not know the trait {trait!r} of {resource}, so it has no effect{hint}"
        found.append(Warned("trait", str(place), text))
    return found


def _processor_warnings(clock: Clock, processors: Value) -> list[Warned]:
    if not numpy.any(numpy.greater(processors, clock.available)):
        return []
    text = f"P = {_shown(processors)}, but {clock.machine.path} has {_shown(clock.available)} sockets"
    return [Warned("processors", str(clock.machine.place), f"{text}, which execute the elements in several rounds")]


def _shown(value: Value) -> str:
    return f"{float(numpy.max(value)):,.10g}"
