"""What a study may vary or hold fixed, by name, and which values each takes.

``ranks``, ``mapping``, ``selector``, ``platform.FIELD``, ``arguments.FIELD``, ``jobs.FIELD``, ``algorithms.OPERATION``,
``cfg.SETTING``.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pysmpi.errors import ConfigurationError, StudyError, unknown
from pysmpi.launch.placement import MAPPINGS
from pysmpi.study.factor_levels import Value
from pysmpi.study.template import written

__all__ = ["GROUPS", "PLAIN", "check_name", "check_value", "flat", "settings_of"]

PLAIN = ("ranks", "mapping", "selector")
GROUPS = ("platform", "arguments", "jobs", "algorithms", "cfg")
_WHERE = {"platform": "the platform", "arguments": "the arguments", "jobs": "the file of jobs"}
HOSTFILE = "hostfile:"
_MOST_WHOLE = 2**63  # what the table can hold


def flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a table with tables of groups in it, by their full names."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key in GROUPS and isinstance(value, Mapping):
            found.update({f"{key}.{name}": inner for name, inner in value.items()})
        else:
            found[key] = value
    return found


def check_name(name: str, fields: Mapping[str, Iterable[str]]) -> None:
    """Whether there is such a parameter.

    Args:
        name: the full name.
        fields: of the groups "platform", "arguments" and "jobs", the fields that there are.

    Raises:
        StudyError: there is none; the message tells the nearest one.
    """
    group, dot, inner = name.partition(".")
    if group in fields and dot:
        names = list(fields[group])
        if inner not in names:
            raise StudyError(f"{unknown('field', inner, names)}: {_WHERE[group]} would have it as {{{{{inner}}}}}")
    elif name not in PLAIN and not (group in ("algorithms", "cfg") and inner):
        raise StudyError(unknown("parameter", name, [*PLAIN, *(f"{each}.NAME" for each in GROUPS)]))


def check_value(name: str, value: Value) -> None:
    """Whether a parameter may have a value.

    Raises:
        StudyError: it may not; the message tells what is valid.
    """
    if isinstance(value, int) and not -_MOST_WHOLE <= value < _MOST_WHOLE:
        raise StudyError(f"{value!s:.40} is a whole number that does not fit into 64 bits")
    if name == "ranks":
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise StudyError(f"{value!r} ranks: valid are whole numbers from 1 on")
    elif name == "mapping":
        if value not in MAPPINGS and not (isinstance(value, str) and value.startswith(HOSTFILE)):
            raise StudyError(unknown("mapping", str(value), (*MAPPINGS, f"{HOSTFILE}FILE")))
    else:
        _check_settings(settings_of({name: value}))


def settings_of(values: Mapping[str, Value]) -> list[str]:
    """The settings, as KEY:VALUE, that parameters stand for."""
    keys: dict[str, Callable[[str], str]] = {"algorithms": lambda name: f"smpi/{name}", "cfg": lambda name: name}
    found = []
    for name, value in values.items():
        group, _, inner = name.partition(".")
        if name == "selector":
            found.append(f"smpi/coll-selector:{written(value)}")
        elif group in keys:
            found.append(f"{keys[group](inner)}:{written(value)}")
    return found


def _check_settings(settings: list[str]) -> None:
    from pysmpi.settings.configuration import Configuration

    try:
        for setting in settings:
            Configuration().set_item(setting, "")
    except ConfigurationError as error:
        raise StudyError(str(error).removeprefix(": ")) from None
