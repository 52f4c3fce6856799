"""Sensitivity: by how much each parameter of an application and a machine changes the time."""

import math
from typing import Any

from pysmpi.aspen.application import PROCESSORS, Application
from pysmpi.aspen.aspen_dialect import POWERS_OF_TEN
from pysmpi.aspen.cost import cost_of
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.machine_model import Machine
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Name, Param, names_in
from pysmpi.aspen.timing import OVERLAP

__all__ = ["elasticities"]

_STEP = 1e-3  # relative change of a parameter; the error of the derivative is proportional to its fourth power


def elasticities(
    application: Application,
    machine: Machine,
    *,
    socket: str | None = None,
    control: str | None = None,
    kernel: str | None = None,
    rules: str = OVERLAP,
) -> dict[str, float]:
    """Return the elasticity of the time with respect to each parameter, the largest effect first.

    It is the relative change of the time over that of the parameter: with an elasticity of -0.5, 1 % more of the
    parameter takes 0.5 % less time. Parameters are left out if they are defined by others, belong to an enum, are zero,
    or must be whole numbers, such as an index.

    The rounds in which cores execute the elements of a block may be fractions here: 5 elements on 4 cores take 1.25
    rounds. Rounded up to 2, the time would jump where the number of elements or cores changes, and have no derivative.

    Args:
        application: the application.
        machine: the machine.
        socket: name of the sockets that compute; needed if the machine has several kinds.
        control: name of the control flow; by default "main", or the only one.
        kernel: name of the kernel, instead of a control flow.
        rules: "overlap", or "ornl" for the rules of Oak Ridge's (ORNL's) tools, where parallel parts add up.

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
    found: dict[str, float | None] = {}
    for name, value in _values(machine.scope(), machine.parts.params, machine.values).items():
        found[name] = _slope(lambda each, name=name: seconds({}, {name: each}), value)
    own = _values(application.names().scope, application.module.params, application.values)
    for name, value in {**own, **_imported(application)}.items():
        if name in found and name not in application.values and rules == OVERLAP:
            continue  # the application takes the machine's value
        found[name] = _slope(lambda each, name=name: seconds({name: each}, {}), value)
    slopes = {name: slope for name, slope in found.items() if slope is not None}
    return dict(sorted(slopes.items(), key=lambda item: -abs(item[1])))


def _values(scope: Scope, params: dict[str, Param], given: Any) -> dict[str, float]:
    """Return the values, except zero, of parameters that are defined as a number and of those that have been set.

    Args:
        scope: values of all parameters.
        params: parameters of the model by name.
        given: values that have been set, by name.
    """
    independent = [name for name, param in params.items() if _is_number(param)]
    found = {name: scope.value(Name(name)) for name in dict.fromkeys([*independent, *given]) if "." not in name}
    found = {name: value for name, value in found.items() if name not in params or not _is_of_enum(params[name])}
    if PROCESSORS in found and PROCESSORS not in given and PROCESSORS not in params:
        del found[PROCESSORS]
    return {name: float(value) for name, value in found.items() if value != 0}


def _imported(application: Application) -> dict[str, float]:
    """Return the values, except zero, of parameters of imported applications that are defined as a number.

    The keys begin with the import's name and a dot.
    """
    found: dict[str, float] = {}
    _, *imported = application.names().walk()
    for names in imported:
        own = [key for key, param in names.module.params.items() if _is_number(param) and key not in names.replaced]
        values = {f"{names.prefix}{key}": names.scope.value(Name(key)) for key in own}
        found |= {key: float(value) for key, value in values.items() if value}
    return found


def _is_number(param: Param) -> bool:
    return (
        param.dimensions == 0
        and not _is_of_enum(param)
        and all(each in POWERS_OF_TEN for each in names_in(param.value))
    )


def _is_of_enum(param: Param) -> bool:
    return isinstance(param.limits, str)


def _slope(seconds: Any, value: float) -> float | None:
    """Return the derivative of the logarithm of the time by the logarithm of a value, from four points around it.

    Return None if the time cannot be computed at one of these points, for example because a list has no element 1.001.

    Args:
        seconds: function that returns the time for a value.
        value: the value.
    """
    try:
        logs = [math.log(seconds(value * math.exp(step * _STEP))) for step in (-2, -1, 1, 2)]
    except AspenError:
        return None
    slope = (logs[0] - 8 * logs[1] + 8 * logs[2] - logs[3]) / (12 * _STEP)
    return 0.0 if abs(slope) < 1e-11 else slope
