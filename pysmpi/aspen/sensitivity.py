"""Sensitivity: by how much each parameter of an application and a machine changes the time."""

import math
from typing import Any

from pysmpi.aspen.application import PROCESSORS, Application
from pysmpi.aspen.cost import cost_of
from pysmpi.aspen.functions import POWERS_OF_TEN
from pysmpi.aspen.machine import Machine
from pysmpi.aspen.references import names_in
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.timing import OVERLAP
from pysmpi.aspen.tree import Name, Param
from pysmpi.errors import AspenError

__all__ = ["elasticities"]

_STEP = 1e-3  # relative change of a parameter; the error of the four points grows with its fourth power


def elasticities(
    application: Application,
    machine: Machine,
    *,
    socket: str | None = None,
    control: str | None = None,
    kernel: str | None = None,
    rules: str = OVERLAP,
) -> dict[str, float]:
    """Return the elasticities of the time: its relative change over that of each parameter, largest effect first.

    Parameters that follow from others, and parameters that are zero, are left out. Elements do not take turns in whole
    rounds here, because these make times jump.

    Args:
        application: the application.
        machine: the machine.
        socket: name of the sockets that compute; needed if the machine has several kinds.
        control: name of the control flow; by default "main", or the only one.
        kernel: name of the kernel, instead of a control flow.
        rules: "overlap" or "ornl".

    Raises:
        AspenError: a value that is needed does not exist, or the time is zero.
    """
    question: dict[str, Any] = {"socket": socket, "control": control, "kernel": kernel, "rules": rules}
    question |= {"ceilings": False, "warnings": False}

    def seconds(own: dict[str, float], of_machine: dict[str, float]) -> float:
        chosen = application.with_values(own)
        return float(cost_of(chosen, machine.with_values(of_machine), **question).seconds)

    if seconds({}, {}) <= 0:
        raise AspenError(f"{application.place}: the time is zero, so it has no elasticities")
    found: dict[str, float] = {}
    for name, value in _values(machine.scope(), machine.parts.params, machine.values).items():
        found[name] = _slope(lambda each, name=name: seconds({}, {name: each}), value)
    names = application.names().scope
    for name, value in _values(names, application.module.params, application.values).items():
        found[name] = _slope(lambda each, name=name: seconds({name: each}, {}), value)
    return dict(sorted(found.items(), key=lambda item: -abs(item[1])))


def _values(scope: Scope, params: dict[str, Param], given: Any) -> dict[str, float]:
    """Return the values of parameters that do not follow from others, and of those that have been set."""
    independent = [
        name
        for name, param in params.items()
        if param.dimensions == 0 and all(each in POWERS_OF_TEN for each in names_in(param.value))
    ]
    found = {name: scope.value(Name(name)) for name in dict.fromkeys([*independent, *given]) if "." not in name}
    if PROCESSORS in found and PROCESSORS not in given and PROCESSORS not in params:
        del found[PROCESSORS]
    return {name: float(value) for name, value in found.items() if value != 0}


def _slope(seconds: Any, value: float) -> float:
    """Return the slope of the logarithm of the time over that of a value, from four points around it."""
    logs = [math.log(seconds(value * math.exp(step * _STEP))) for step in (-2, -1, 1, 2)]
    slope = (logs[0] - 8 * logs[1] + 8 * logs[2] - logs[3]) / (12 * _STEP)
    return 0.0 if abs(slope) < 1e-11 else slope
