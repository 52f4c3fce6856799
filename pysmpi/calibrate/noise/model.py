"""Model of the noise of a host: the rate of detours (interruptions by the system) on a core, and their lengths."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pysmpi.calibrate.noise.detours import Stretch
from pysmpi.calibrate.table import Table
from pysmpi.errors import CalibrationError
from pysmpi.simulation.compute.noise_model import FORMAT

__all__ = ["NoiseFit", "model_document", "noise_fit"]

MOST_LENGTHS = 10_000
"""Largest number of lengths in a model file; if there are more, means of neighbouring lengths replace them."""


@dataclass(frozen=True)
class NoiseFit:
    """Detours of the cores of one host.

    Attributes:
        cores: measurements of each core, by its number.
        rate: detours of one core in each second of computation, as a mean over the cores.
        lengths: lengths of all detours in seconds, ascending.
    """

    cores: dict[int, list[Stretch]]
    rate: float
    lengths: tuple[float, ...]

    @property
    def lost(self) -> float:
        """Seconds that detours take for each second of computation."""
        return self.rate * float(np.mean(self.lengths))


def noise_fit(table: Table) -> NoiseFit:
    """Return the noise in a table of measurements.

    Raises:
        CalibrationError: a value is not valid, or no core met a detour; the message begins with the file, and with the
            line if there is one.
    """
    cores: dict[int, list[Stretch]] = {}
    for index, row in enumerate(table.rows):
        try:
            lengths = tuple(float(text) for text in row["detours"].split())
        except ValueError as error:
            raise CalibrationError(
                f"{table.place(index)}: detours: {error}; give seconds separated by spaces"
            ) from None
        if row["usual"] <= 0 or not all(0 < length < np.inf for length in lengths):
            raise CalibrationError(f"{table.place(index)}: times must be above 0")
        cores.setdefault(row["core"], []).append(Stretch(row["quanta"], row["usual"], row["threshold"], lengths))
    every = [stretch for stretches in cores.values() for stretch in stretches]
    found = sorted(length for stretch in every for length in stretch.lengths)
    if not found:
        seconds = sum(stretch.computed for stretch in every)
        raise CalibrationError(f"{table.source}: no detour in {seconds:.3g} s of computation; measure for longer")
    return NoiseFit(cores, len(found) / sum(stretch.computed for stretch in every), tuple(found))


def model_document(fit: NoiseFit, provenance: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of the model file as JSON values (`pysmpirun --cfg=smpi/noise:FILE`)."""
    lengths = np.array(fit.lengths)
    if len(lengths) > MOST_LENGTHS:
        # Means of equal shares of the sorted lengths, so that rate and sum remain.
        sums = np.concatenate([[0.0], lengths.cumsum()])
        ends = np.linspace(0, len(lengths), MOST_LENGTHS + 1)
        lengths = np.diff(np.interp(ends, np.arange(len(sums)), sums)) / (len(lengths) / MOST_LENGTHS)
    return {
        "format": FORMAT,
        "machine": provenance.get("machine", "unknown"),
        "date": provenance.get("date", "unknown"),
        "provenance": dict(provenance),
        "rate": fit.rate,
        "lengths": [float(f"{length:.4g}") for length in lengths],
    }
