"""Capacity: whether an application's data fits into the memory of the sockets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from pysmpi.aspen.application import PROCESSORS, Application
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.machine_model import Level, Machine
from pysmpi.aspen.scope import Scope
from pysmpi.formulas.expressions.evaluation import Value

__all__ = ["Warned", "bytes_of_a_socket", "capacity_warning"]

_MOST_PROCESSORS = 2**60


@dataclass(frozen=True)
class Warned:
    """Warning about the computed time of an application on a machine.

    Attributes:
        about: "capacity" (the data does not fit into memory), "trait" (the machine does not define a trait), "default"
            (a parameter has its default, although the machine has its own number) or "processors" (more processors than
            sockets).
        place: file and line that the warning is about.
        text: the warning in one sentence.
        figures: numbers that belong to the warning, by name, such as the needed bytes; None if it has no numbers.
    """

    about: str
    place: str
    text: str
    figures: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the warning with its numbers as a dict for JSON."""
        return {"about": self.about, "place": self.place, "text": self.text, **(self.figures or {})}


def bytes_of_a_socket(application: Application, processors: float, shared: Mapping[str, Value]) -> Value:
    """Return the bytes of data that each socket holds, if each socket is one processor.

    If the size of data depends on P, the number of processors, it is the size of one processor's data. All other data
    is spread evenly over the processors.

    Args:
        application: the application.
        processors: number of processors.
        shared: values of the machine's parameters, which take precedence over the application's defaults.
    """
    own = application.data(application.with_values({PROCESSORS: processors}).names(None, shared))
    twice = application.data(application.with_values({PROCESSORS: 2 * processors}).names(None, shared))
    total: Value = 0.0
    for name, size in own.items():
        total = total + (size if numpy.any(twice[name] != size) else size / processors)
    return total


def capacity_warning(
    application: Application,
    machine: Machine,
    scope: Scope,
    socket: Level | None,
    processors: Value,
    whole: Value,
    shared: Mapping[str, Value],
) -> Warned | None:
    """Return a warning if the data does not fit into the sockets' memory.

    No warning is given if `processors`, `whole` or the capacity is an array of several values, if the size of data
    cannot be computed, or if the machine's file gives no capacity for the memory.

    Args:
        application: the application.
        machine: the machine.
        scope: values of the machine's parameters.
        socket: sockets that compute, or None if the machine has none.
        processors: number of processors.
        whole: number of sockets in the whole machine.
        shared: values of the machine's parameters, which take precedence over the application's defaults.
    """
    available = machine.capacity(scope, socket)
    if available is None or numpy.ndim(available) or numpy.ndim(processors) or numpy.ndim(whole):
        return None
    try:
        needed = bytes_of_a_socket(application, float(processors), shared)
        if numpy.ndim(needed) or needed <= available:
            return None
        least = _least(application, shared, float(available))
    except AspenError:
        return None
    place = next((each.place for each in application.module.data.values()), application.place)
    fits = f"fits from P = {least:,} on" if least else "fits on no number of processors"
    noun = f"a socket {socket.component.name!r}" if socket else "the machine"
    text = (
        f"the data does not fit: {noun} would need {needed / 1e9:,.4g} GB and has {available / 1e9:,.4g} GB; it {fits}"
    )
    figures = {"needed": needed, "available": available, "least_processes": least}
    return Warned("capacity", str(place), text, figures)


def _least(application: Application, shared: Mapping[str, Value], available: float) -> int | None:
    """Return the least number of processors on which the data fits, or None."""
    high = 1
    while bytes_of_a_socket(application, high, shared) > available:
        high *= 2
        if high > _MOST_PROCESSORS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if bytes_of_a_socket(application, middle, shared) > available:
            low = middle
        else:
            high = middle
    return high
