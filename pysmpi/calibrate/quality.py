"""Judgement of calibrations: values that no machine has, and fits that do not describe their measurements.

Each limit is stated with its reason. A calibration that violates one is refused when it is written and when it is
used, unless ``--force`` is given. Its file then lists the violations under ``forced``.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from pysmpi.calibrate.provenance import LOAD
from pysmpi.errors import CalibrationError

__all__ = ["FORCED", "LARGEST_ERROR", "MOST_LOAD", "accepted", "check_used", "forced_of", "problems"]

FORCED = "forced"
"""Key of a model file for the reasons why it was refused before ``--force``."""


MOST_LOAD = 1.0
"""Load average for each core above which nothing is measured: all cores were busy without us."""


class Limit(NamedTuple):
    """Range of plausible values.

    Attributes:
        least: least value.
        most: greatest value.
        unit: unit of both.
        reason: why no other value is plausible.
    """

    least: float
    most: float
    unit: str
    reason: str


LATENCY = Limit(1e-10, 10.0, "s", "light takes 0.1 ns for 3 cm, and 0.3 s to a satellite and back")
BANDWIDTH = Limit(1e3, 1e13, "bytes/s", "no link or memory of a host moves 10 TB/s for one pair of ranks")
CALL = Limit(0.0, 1.0, "s", "a call that moves no data does not take a second")
FACTOR = Limit(1e-6, 1e6, "", "messages of all sizes cross the same link")
LATENCY_FACTOR = FACTOR._replace(least=0.0)
SPEED = Limit(1e6, 1e14, "flop/s", "a core has done more than a Mflop/s since 1985, and does less than 100 Tflop/s")
MEMORY = Limit(1.0, 1e14, "bytes/s", "memory moves more than a byte, and no cache gives a core 100 TB/s")
WATTS = Limit(0.0, 1e6, "W", "no host draws a megawatt")
RATE = Limit(0.0, 1e6, "detours/s", "a detour takes a microsecond or more")
LENGTH = Limit(0.0, 60.0, "s", "the operating system does not take a core for a minute")
GAP = Limit(1.0, 1e10, "messages/s", "no network card passes 10 billion messages a second")

LARGEST_ERROR = {
    "pysmpi-network-1": 1.0,
    "pysmpi-power-1": 0.5,
    "pysmpi-blas-model-1": 2.0,
    "pysmpi-host-1": 3.0,
}
"""Largest relative error of a fit by format of the file; for hosts, the largest spread of one quantity."""

MEDIAN_ERROR = 0.5
"""Largest median error of a fit: half of the measurements are farther from it."""


def problems(document: Mapping[str, Any]) -> list[str]:
    """Return the mistakes in the content of a model file, each with the limit and its reason.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: something is missing or malformed.
    """
    form = str(document["format"])
    found = [f"{place} is {value!r}, not a finite number" for place, value in _not_finite("", document)]
    if found:
        return found
    found = list(_load({"machine": document.get("machine", ""), **document.get("provenance", {})}))
    found += _JUDGES[form](document) if form in _JUDGES else ()
    largest = LARGEST_ERROR.get(form, math.inf)
    for place, error, median in _errors(form, document):
        if error > largest:
            found.append(f"{place}: the largest error is {100 * error:.4g} % (at most {100 * largest:g} %)")
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
    """Return the reasons against a calibration that is used in spite of them; none for a sound one.

    Args:
        source: path of the file.
        document: its content.
        force: whether to accept it in any case.

    Raises:
        CalibrationError: a value is not plausible, and neither `force` is set nor was the file written by force.
    """
    given = forced_of(document)
    try:
        found = problems(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CalibrationError(f"{source}: something is missing or malformed ({error!r})") from None
    if found and not given and not force:
        raise CalibrationError(
            f"{source}: {'; '.join(found)}. Measure again on an idle machine; --force uses it in any case, and every "
            "run with it says so"
        )
    return list(dict.fromkeys([*given, *found]))


def forced_of(document: Mapping[str, Any]) -> list[str]:
    """Return the reasons against a model file that was written by force; none for others."""
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


def _outside(place: str, value: Any, limit: Limit) -> Iterator[str]:
    number = float(value)
    if not limit.least <= number <= limit.most:
        unit = f" {limit.unit}" if limit.unit else ""
        yield (
            f"{place} is {number:.4g}{unit} (plausible: {limit.least:g} to {limit.most:g}{unit}, because "
            f"{limit.reason})"
        )


def _errors(form: str, document: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Yield place, largest and median error of each fit in a file."""
    if form == "pysmpi-network-1":
        for place, fit in document.get("fit", {}).items():
            yield place, float(fit.get("largest_relative_error", 0)), float(fit.get("median_relative_error", 0))
    elif form == "pysmpi-power-1":
        yield "wattage_per_state", float(document.get("fit", {}).get("largest_relative_error", 0)), 0.0
    elif form == "pysmpi-blas-model-1":
        for name, routine in document["routines"].items():
            fit = routine["fit"]
            yield name, float(fit["largest_relative_error"]), float(fit.get("median_relative_error", 0))
    elif form == "pysmpi-host-1":
        for figure, spread in document.get("spread", {}).items():
            yield f"spread of {figure}", float(spread), 0.0


_LIMITS = {
    "smpi/bw-factor": FACTOR,
    "smpi/lat-factor": LATENCY_FACTOR,
    **dict.fromkeys(("smpi/os", "smpi/ois", "smpi/or", "smpi/wtime", "smpi/iprobe", "smpi/test"), CALL),
}


def _network(document: Mapping[str, Any]) -> Iterator[str]:
    for place, link in document["links"].items():
        yield from _outside(f"latency of the link {place!r}", link["latency"], LATENCY)
        yield from _outside(f"bandwidth of the link {place!r}", link["bandwidth"], BANDWIDTH)
    for name, text in document["settings"].items():
        steps = [[float(number) for number in step.split(":")] for step in str(text).split(";")]
        if not all(math.isfinite(number) and number >= 0 for step in steps for number in step):
            yield f"setting {name} is {text!r}: numbers must be finite and not negative"
        elif name in _LIMITS:
            limit = _LIMITS[name]
            values = [step[1] if len(step) > 1 else step[0] for step in steps]
            wrong = [value for value in values if value and not limit.least <= value <= limit.most]
            yield from _outside(f"setting {name}", wrong[0] if wrong else limit.most, limit)


def _node(document: Mapping[str, Any]) -> Iterator[str]:
    for level, curve in document["one_way"].items():
        for size, seconds in curve:
            yield from _outside(f"time of {size} bytes at level {level!r}", seconds, LATENCY)
            if size >= 65536:
                yield from _outside(f"bandwidth of {size} bytes at level {level!r}", size / seconds, BANDWIDTH)
    for name in ("memory", "card"):
        for count, rate in document[name]:
            yield from _outside(f"{name} with {count} messages", rate, MEMORY)
    for count, rate in document["rate"]:
        yield from _outside(f"rate of {count} ranks", rate, GAP)


def _host(document: Mapping[str, Any]) -> Iterator[str]:
    yield from _outside("speed", document["speed"], SPEED)
    for name, text in document["settings"].items():
        for number in re.findall(r"(?:^|:)([^:;]+)(?:;|$)", str(text)):
            yield from _outside(f"setting {name}", number, MEMORY)


def _power(document: Mapping[str, Any]) -> Iterator[str]:
    watts = [float(each) for each in str(document["wattage_per_state"]).split(":")]
    for number in watts:
        yield from _outside("wattage_per_state", number, WATTS)
    if watts[-1] < watts[0]:
        yield f"wattage_per_state: {watts[0]:g} W idle, but {watts[-1]:g} W with all cores busy, which is less"


def _noise(document: Mapping[str, Any]) -> Iterator[str]:
    rate, lengths = float(document["rate"]), [float(each) for each in document["lengths"]]
    yield from _outside("rate", rate, RATE)
    for length in (min(lengths), max(lengths)):
        yield from _outside("length of a detour", length, LENGTH)
    lost = rate * sum(lengths) / len(lengths)
    if lost > 1:
        yield f"detours take {lost:.3g} s for each second of computation (at most 1: other programs were running)"


def _blas(document: Mapping[str, Any]) -> Iterator[str]:
    yield from _outside("speed", document["speed"], SPEED)


_JUDGES: dict[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "pysmpi-network-1": _network,
    "pysmpi-node-1": _node,
    "pysmpi-host-1": _host,
    "pysmpi-power-1": _power,
    "pysmpi-noise-model-1": _noise,
    "pysmpi-blas-model-1": _blas,
}
