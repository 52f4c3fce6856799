"""Model files of the noise of the operating system: rate and lengths of detours (``smpi/noise``)."""

import math
import os
from dataclasses import dataclass
from typing import Any

from pysmpi.errors import ConfigurationError
from pysmpi.simulation.compute.blas.model import REMARKS, check_keys, forced_of, read

__all__ = ["FORMAT", "NoiseModel", "load_noise"]

FORMAT = "pysmpi-noise-model-1"


@dataclass(frozen=True)
class NoiseModel:
    """Detours of the operating system, in which a core does something else while a rank computes.

    Attributes:
        source: path of the file.
        machine: machine that was measured.
        date: date of the measurement.
        rate: detours of one core in each second of computation.
        lengths: lengths of measured detours in seconds; each is equally likely.
        forced: reasons why the calibration was refused, if ``--force`` wrote the file all the same; otherwise empty.
    """

    source: str
    machine: str
    date: str
    rate: float
    lengths: tuple[float, ...]
    forced: tuple[str, ...] = ()


def load_noise(path: str | os.PathLike[str]) -> NoiseModel:
    """Read a model file.

    Raises:
        ConfigurationError: the file cannot be read or is not a valid model file; the message names the place in the
            file.
    """
    source = os.fspath(path)
    document = read(source, "noise model")
    check_keys(source, document, required=("format", "machine", "date", "rate", "lengths"), optional=REMARKS)
    if document["format"] != FORMAT:
        raise ConfigurationError(f"{source}: format: unknown format {document['format']!r} (valid: {FORMAT})")
    for name in ("machine", "date"):
        if not isinstance(document[name], str) or not document[name]:
            raise ConfigurationError(f"{source}: {name}: {document[name]!r} is not a non-empty string")
    lengths = document["lengths"]
    if not isinstance(lengths, list) or not lengths:
        raise ConfigurationError(f"{source}: lengths: {lengths!r} is not a list of at least one length, in seconds")
    rate = _number(f"{source}: rate", document["rate"], "detours a second")
    seconds = tuple(_number(f"{source}: lengths[{i}]", length, "seconds") for i, length in enumerate(lengths))
    return NoiseModel(source, document["machine"], document["date"], rate, seconds, forced_of(source, document))


def _number(place: str, value: Any, unit: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ConfigurationError(f"{place}: {value!r} is not valid; give a finite number of {unit}, above 0")
    return float(value)
