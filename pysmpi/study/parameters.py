"""Parameters that a study can vary or fix, with the values that each accepts.

Their full names are ``ranks``, ``mapping``, ``selector``, ``mpi``, ``fabric``, ``smpi``, ``platform.FIELD``,
``arguments.FIELD``, ``jobs.FIELD``, ``algorithms.OPERATION`` and ``cfg.SETTING``.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pysmpi.errors import ConfigurationError, StudyError, unknown
from pysmpi.simulation.launch.placement import MAPPINGS
from pysmpi.study.factor_levels import Value
from pysmpi.study.template import written

__all__ = ["GROUPS", "PLAIN", "check_name", "check_value", "flat", "settings_of"]

_SETTINGS = {"selector": "smpi/coll-selector", "mpi": "mpi", "fabric": "fabric"}
PLAIN = ("ranks", "mapping", *_SETTINGS, "smpi")
GROUPS = ("platform", "arguments", "jobs", "algorithms", "cfg")
_WHERE = {"platform": "the platform", "arguments": "the arguments", "jobs": "the job file"}
HOSTFILE = "hostfile:"
_MOST_WHOLE = 2**63  # the table can hold integers from -2**63 to 2**63 - 1


def flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a table with nested tables for groups, by their full names.

    Example: ``{"ranks": 4, "cfg": {"plugin": "x"}}`` becomes ``{"ranks": 4, "cfg.plugin": "x"}``.
    """
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key in GROUPS and isinstance(value, Mapping):
            found.update({f"{key}.{name}": inner for name, inner in value.items()})
        else:
            found[key] = value
    return found


def check_name(name: str, fields: Mapping[str, Iterable[str]]) -> None:
    """Check that a parameter exists.

    Args:
        name: full name.
        fields: names of the existing fields, for each of the groups "platform", "arguments" and "jobs".

    Raises:
        StudyError: if the parameter does not exist; the message names the nearest one.
    """
    group, dot, inner = name.partition(".")
    if group in fields and dot:
        names = list(fields[group])
        if inner not in names:
            raise StudyError(
                f"{unknown('field', inner, names)}; to add the field, write {{{{{inner}}}}} in {_WHERE[group]}"
            )
    elif name not in PLAIN and not (group in ("algorithms", "cfg") and inner):
        raise StudyError(unknown("parameter", name, [*PLAIN, *(f"{each}.NAME" for each in GROUPS)]))


def check_value(name: str, value: Value) -> None:
    """Check that a parameter accepts a value.

    Raises:
        StudyError: if the value is not valid; the message lists the valid values.
    """
    if isinstance(value, int) and not -_MOST_WHOLE <= value < _MOST_WHOLE:
        raise StudyError(f"{value!s:.40} is a whole number beyond 64 bits")
    if name == "ranks":
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise StudyError(f"{value!r} is not a valid number of ranks; write a whole number of at least 1")
    elif name == "mapping":
        if value not in MAPPINGS and not (isinstance(value, str) and value.startswith(HOSTFILE)):
            raise StudyError(unknown("mapping", str(value), (*MAPPINGS, f"{HOSTFILE}FILE")))
    elif name == "smpi":
        if not isinstance(value, bool):
            raise StudyError(f"{value!r} is not valid for smpi; write true for the defaults of SMPI, or false")
    else:
        _check_settings(settings_of({name: value}))


def settings_of(values: Mapping[str, Value]) -> list[str]:
    """Return the simulator's settings, as KEY:VALUE, that follow from the values of a study's parameters."""
    from pysmpi.simulation.settings.layers import SMPI_WORDS

    keys: dict[str, Callable[[str], str]] = {"algorithms": lambda name: f"smpi/{name}", "cfg": lambda name: name}
    words = SMPI_WORDS.items() if values.get("smpi") else ()
    found = [f"{word}:{value}" for word, value in words]  # first, because mpi and fabric take precedence
    for name, value in values.items():
        group, _, inner = name.partition(".")
        if name in _SETTINGS:
            found.append(f"{_SETTINGS[name]}:{written(value)}")
        elif group in keys:
            found.append(f"{keys[group](inner)}:{written(value)}")
    return found


def _check_settings(settings: list[str]) -> None:
    from pysmpi.simulation.settings.configuration import Configuration

    try:
        for setting in settings:
            Configuration().set_item(setting, "")
    except ConfigurationError as error:
        raise StudyError(str(error).removeprefix(": ")) from None
