"""Check that calibrations are plausible: values must be possible for a machine, and fits close to the measurements.

Each kind of measurement states its limits (`Kind.problems`). A calibration that violates one is refused when it is
written and when it is used, unless ``--force`` is given. Its file then lists the violations under ``forced``.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pysmpi.calibrate.kinds import KINDS, kind_named
from pysmpi.calibrate.limits import FORCED, MOST_LOAD
from pysmpi.calibrate.provenance import LOAD
from pysmpi.errors import CalibrationError

__all__ = ["accepted", "check_used", "forced_of", "problems"]

MEDIAN_ERROR = 0.5
"""Largest plausible median of a fit's relative errors."""


def problems(document: Mapping[str, Any]) -> list[str]:
    """Return the reasons why the content of a model file is not plausible, each with the limit that it violates.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: a value is missing or malformed.
    """
    name = str(document["format"]).removeprefix("pysmpi-").partition("-")[0]
    kind = kind_named(name) if name in KINDS else None
    found = [f"{place} is {value!r}, not a finite number" for place, value in _not_finite("", document)]
    if found:
        return found
    found = list(_load({"machine": document.get("machine", ""), **document.get("provenance", {})}))
    if kind is None:
        return found
    found += kind.problems(document)
    for place, error, median in kind.errors(document):
        if error > kind.largest_error:
            found.append(f"{place}: the largest error is {100 * error:.4g} % (at most {100 * kind.largest_error:g} %)")
        elif median > MEDIAN_ERROR:
            found.append(f"{place}: the median error is {median:.0%} (at most {MEDIAN_ERROR:.0%})")
    return found


def accepted(document: dict[str, Any], force: bool) -> dict[str, Any]:
    """Return the content of a model file. If it is not plausible and `force` is set, add the reasons against it.

    Args:
        document: content of the file.
        force: whether to accept it in any case.

    Raises:
        CalibrationError: the calibration is not plausible, and `force` is not set.
    """
    found = problems(document)
    if not found:
        return document
    if not force:
        raise CalibrationError(
            f"the calibration is refused: {'; '.join(found)}. Measure again on an idle machine; --force writes it in "
            "any case, and every run with it says so"
        )
    return {**document, FORCED: found}


def check_used(source: str, document: Mapping[str, Any], force: bool) -> list[str]:
    """Return the reasons why a calibration that a run uses is not plausible; none for a plausible one.

    Args:
        source: path of the file.
        document: its content.
        force: whether to accept it in any case.

    Raises:
        CalibrationError: the content is malformed; or it is not plausible, `force` is not set, and the file was not
            written because of ``--force``.
    """
    given = forced_of(document)
    try:
        found = problems(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CalibrationError(f"{source}: a value is missing or malformed ({error!r})") from None
    if found and not given and not force:
        raise CalibrationError(
            f"{source}: {'; '.join(found)}. Measure again on an idle machine; --force uses it in any case, and every "
            "run with it says so"
        )
    return list(dict.fromkeys([*given, *found]))


def forced_of(document: Mapping[str, Any]) -> list[str]:
    """Return the reasons why a model file written because of ``--force`` is not plausible; none for other files."""
    given = document.get(FORCED, [])
    return [str(each) for each in given] if isinstance(given, list) else [str(given)]


def _not_finite(place: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, float) and not math.isfinite(value):
        yield place, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _not_finite(f"{place}.{key}" if place else str(key), inner)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _not_finite(f"{place}[{number}]", inner)


def _load(provenance: Mapping[str, str]) -> Iterator[str]:
    """Yield a text if the machine was busy when the measurements began."""
    load = re.match(r"[\d.]+", provenance.get(LOAD, ""))
    cores = re.search(r"(\d+) cores", provenance.get("machine", ""))
    if load and cores and float(load[0]) > MOST_LOAD * int(cores[1]):
        yield (
            f"measured on a busy machine: load average {load[0]} on {cores[1]} cores (at most {MOST_LOAD:g} a core): "
            "other programs are part of the times"
        )
