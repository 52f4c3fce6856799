"""Model files: durations of BLAS and LAPACK routines on one machine, as polynomials in their sizes.

A file is JSON. ``seconds`` of a routine is its expected duration. ``noise`` describes the scatter of durations around
it; the standard deviation is a polynomial too. ``exact_sizes`` multiplies both where a size has a certain value, since
libraries are slower at some powers of two. The distribution is ``normal``, or ``half-normal``: a fastest time and a
tail of slower ones, as T. Cornebize and A. Legrand measured for dgemm ("Simulation-based optimization and sensibility
analysis of MPI applications: variability matters", 2022).
"""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pysmpi.errors import ConfigurationError, unknown
from pysmpi.simulation.compute.blas.polynomial import NOTHING, Polynomial, parse_exact_sizes, parse_polynomial
from pysmpi.simulation.compute.blas.routines import ROUTINES
from pysmpi.util.documents import parse_json

__all__ = ["BlasModel", "RoutineModel", "load"]

FORMAT = "pysmpi-blas-model-1"
DISTRIBUTIONS = ("normal", "half-normal")

TEXTS = ("format", "machine", "library", "date")
REMARKS = ("comment", "provenance", "forced")
_FIGURES = ("measurements", "r_squared", "largest_relative_error")
_MORE_FIGURES = ("sizes", "median_relative_error", "cross_validated_error", "outliers", "outliers_time")
_HALF_NORMAL_MEAN = math.sqrt(2 / math.pi)
_HALF_NORMAL_DEVIATION = math.sqrt(1 - 2 / math.pi)


@dataclass(frozen=True, slots=True)
class RoutineModel:
    """Model of the duration of one routine.

    Attributes:
        seconds: expected duration in seconds on the model's machine.
        distribution: distribution of the noise, or None for no noise.
        deviation: standard deviation of the noise in seconds.
        fitted: smallest and largest value of each size among the measurements, by the size's name.
    """

    seconds: Polynomial
    distribution: str | None = None
    deviation: Polynomial = NOTHING
    fitted: dict[str, tuple[int, int]] = field(default_factory=dict)

    def shaped(self, normal: Any) -> Any:
        """Return numbers of mean 0 and deviation 1 that have the noise's distribution, from standard normal numbers."""
        if self.distribution == "half-normal":
            return (abs(normal) - _HALF_NORMAL_MEAN) / _HALF_NORMAL_DEVIATION
        return normal


@dataclass(frozen=True)
class BlasModel:
    """Contents of a model file.

    Attributes:
        source: path of the file.
        machine: machine that was measured.
        library: BLAS library that was measured.
        date: date of the measurement.
        speed: speed of one core of that machine in flop/s. A simulated time is the model's time, multiplied by this
            speed and divided by the speed of the simulated host.
        routines: models by routine name.
        quality: quality of the fit, by routine name (number of measurements, explained variance, errors).
    """

    source: str
    machine: str
    library: str
    date: str
    speed: float
    routines: dict[str, RoutineModel]
    quality: dict[str, dict[str, Any]] = field(default_factory=dict)


def load(path: str | os.PathLike[str]) -> BlasModel:
    """Read a model file.

    Raises:
        ConfigurationError: the file cannot be read or is not a valid model file; the message names the place in the
            file.
    """
    source = os.fspath(path)
    document = read(source)
    check_keys(source, document, required=(*TEXTS, "speed", "routines"), optional=REMARKS)
    facts = described(source, document, FORMAT)
    return BlasModel(source, **facts, **routines_of(f"{source}: routines", document["routines"]))


def read(source: str, kind: str = "BLAS model") -> Any:
    """Read a JSON file, and return the decoded value. `kind` names the kind of file in error texts.

    Raises:
        ConfigurationError: the file cannot be read, is not JSON, or repeats a key.
    """
    try:
        content = Path(source).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"cannot read the {kind} {source!r}: {error.strerror}") from error
    return parse_json(content, source, ConfigurationError, _once_each)


def forced_of(source: str, document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the reasons why a calibration was refused, if ``--force`` wrote the file all the same; otherwise none.

    Raises:
        ConfigurationError: the entry ``forced`` is not a list of strings.
    """
    given = document.get("forced", [])
    if not isinstance(given, list) or not all(isinstance(reason, str) for reason in given):
        raise ConfigurationError(f"{source}: forced: {given!r} is not a list of strings")
    return tuple(given)


def described(source: str, document: dict[str, Any], form: str) -> dict[str, Any]:
    """Check the entries that describe a model file, and return machine, library, date and speed (flop/s of one core).

    Args:
        source: path of the file, for error texts.
        document: decoded file.
        form: required value of the entry ``format``.
    """
    for name in TEXTS:
        if not isinstance(document[name], str) or not document[name]:
            raise ConfigurationError(f"{source}: {name}: {document[name]!r} is not a non-empty string")
    if document["format"] != form:
        raise ConfigurationError(f"{source}: format: unknown format {document['format']!r} (valid: {form})")
    speed = document["speed"]
    if isinstance(speed, bool) or not isinstance(speed, int | float) or not 0 < speed < math.inf:
        raise ConfigurationError(
            f"{source}: speed: {speed!r} is not a valid speed; give a number above zero, in flop/s"
        )
    return {**{name: document[name] for name in TEXTS if name != "format"}, "speed": float(speed)}


def routines_of(place: str, entries: Any) -> dict[str, Any]:
    """Return the models of routines (`routines`) and the qualities of their fits (`quality`), by routine name.

    `place` is the position of the entries in the file, for error messages.
    """
    if not isinstance(entries, dict) or not entries:
        raise ConfigurationError(f"{place}: no routine is described; at least one is needed")
    routines, quality = {}, {}
    for name, entry in entries.items():
        where = f"{place}.{name}"
        if name not in ROUTINES:
            raise ConfigurationError(f"{place}: {unknown('routine', name, ROUTINES)}")
        check_keys(where, entry, required=("seconds", "fit"), optional=("noise", "exact_sizes"))
        quality[name] = _quality(f"{where}.fit", entry["fit"], ROUTINES[name])
        fitted = {size: (low, high) for size, (low, high) in entry["fit"]["range"].items()}
        routines[name] = _routine(where, entry, ROUTINES[name], fitted)
    return {"routines": routines, "quality": quality}


def _routine(
    where: str, entry: dict[str, Any], sizes: tuple[str, ...], fitted: dict[str, tuple[int, int]]
) -> RoutineModel:
    exact = parse_exact_sizes(f"{where}.exact_sizes", entry["exact_sizes"], sizes) if "exact_sizes" in entry else ()
    seconds = parse_polynomial(f"{where}.seconds", entry["seconds"], sizes, exact)
    seconds.check_sign(f"{where}.seconds", fitted)
    if "noise" not in entry:
        return RoutineModel(seconds, fitted=fitted)
    noise = entry["noise"]
    check_keys(f"{where}.noise", noise, required=("distribution", "deviation"), optional=())
    if noise["distribution"] not in DISTRIBUTIONS:
        problem = unknown("distribution", str(noise["distribution"]), DISTRIBUTIONS)
        raise ConfigurationError(f"{where}.noise.distribution: {problem}")
    deviation = parse_polynomial(f"{where}.noise.deviation", noise["deviation"], sizes, exact)
    deviation.check_sign(f"{where}.noise.deviation", fitted)
    return RoutineModel(seconds, noise["distribution"], deviation, fitted)


def _quality(where: str, fit: Any, sizes: tuple[str, ...]) -> dict[str, Any]:
    """Check and return the quality of the fit: number of measurements, explained variance and errors."""
    required = (*_FIGURES, "range")
    check_keys(where, fit, required=required, optional=(*_MORE_FIGURES, "intervals", "one_coefficient"))
    for name in (*_FIGURES, *(name for name in _MORE_FIGURES if name in fit)):
        if fit[name] is None:
            continue  # a published fit may lack this figure
        if isinstance(fit[name], bool) or not isinstance(fit[name], int | float):
            raise ConfigurationError(f"{where}.{name}: {fit[name]!r} is not a number")
    check_keys(f"{where}.range", fit["range"], required=sizes, optional=())
    for size, bounds in fit["range"].items():
        whole = isinstance(bounds, list) and len(bounds) == 2 and all(isinstance(bound, int) for bound in bounds)
        if not whole or not 0 <= bounds[0] <= bounds[1]:
            raise ConfigurationError(
                f"{where}.range.{size}: {bounds!r} is not a valid range; give two whole numbers, such as [16, 2048]"
            )
    found: dict[str, Any] = fit
    return found


def check_keys(where: str, found: Any, *, required: tuple[str, ...], optional: tuple[str, ...]) -> None:
    """Check that an object of the file has all required keys and no unknown ones; `where` is its place in the file."""
    if not isinstance(found, dict):
        raise ConfigurationError(f"{where}: {found!r} is not an object; give one with the keys {', '.join(required)}")
    for key in found:
        if key not in required and key not in optional:
            raise ConfigurationError(f"{where}: {unknown('key', key, (*required, *optional))}")
    for key in required:
        if key not in found:
            raise ConfigurationError(f"{where}: {key!r} is missing (needed: {', '.join(required)})")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"duplicate key {twice!r}; remove one")
    return found
