"""From watts to ``wattage_per_state``: idle, and a line from a load of almost nothing to all cores at work.

The model of SimGrid's energy plugin (Heinrich et al., "Predicting the energy-consumption of MPI applications at scale
using only a single node", Cluster 2017): with k of n cores at work a host draws P1 + (k - 1) / (n - 1) (Pn - P1).
"""

import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pysmpi.calibrate.table import Table
from pysmpi.errors import CalibrationError

__all__ = ["FORMAT", "PowerModel", "model_document", "power_model"]

FORMAT = "pysmpi-power-1"


@dataclass(frozen=True)
class PowerModel:
    """What a host draws, in watts.

    Attributes:
        cores: that it has.
        idle: no core at work.
        one: one core at work, by the line.
        every: all at work, by the line.
        medians: of the measurements, by the number of cores at work.
    """

    cores: int
    idle: float
    one: float
    every: float
    medians: dict[int, float]

    def __call__(self, busy: int) -> float:
        """With so many cores at work."""
        if busy == 0:
            return self.idle
        if self.cores == 1:
            return self.every
        return self.one + (busy - 1) / (self.cores - 1) * (self.every - self.one)

    @property
    def epsilon(self) -> float:
        """Where the line begins: a load of almost nothing."""
        return self.one if self.cores == 1 else max(0.0, self.one - (self.every - self.one) / (self.cores - 1))

    @property
    def wattage_per_state(self) -> str:
        """As a host's property of the platform file has it: idle, epsilon, all cores."""
        return f"{self.idle:.6g}:{self.epsilon:.6g}:{self.every:.6g}"

    @property
    def errors(self) -> dict[int, float]:
        """Of the line, relative to the medians."""
        return {busy: self(busy) / watts - 1 for busy, watts in self.medians.items()}


def power_model(table: Table, cores: int | None = None) -> PowerModel:
    """Fit the line.

    Args:
        table: of watts by the number of cores at work.
        cores: of the host; None: the most that were at work.

    Raises:
        CalibrationError: idle, or all cores at work, was not measured, or watts are none; the message says where.
    """
    watts: dict[int, list[float]] = defaultdict(list)
    for index, row in enumerate(table.rows):
        if row["watts"] <= 0:
            raise CalibrationError(f"{table.place(index)}: watts: a host draws more than {row['watts']:g}")
        if cores is not None and row["cores"] > cores:
            raise CalibrationError(f"{table.place(index)}: cores: {row['cores']} are more than the host's {cores}")
        watts[row["cores"]].append(row["watts"])
    medians = {busy: statistics.median(found) for busy, found in sorted(watts.items())}
    if 0 not in medians:
        raise CalibrationError(f"{table.source}: the idle host was not measured: a row with 0 cores is needed")
    every = max(medians) if cores is None else cores
    needed = sorted({1, every} - {0})
    for busy in needed:
        if busy not in medians:
            raise CalibrationError(
                f"{table.source}: there is no measurement with {busy} of {max(every, 1)} cores at work; "
                f"0, 1 and all are needed (found: {', '.join(map(str, medians))})"
            )
    busy_medians = {busy: taken for busy, taken in medians.items() if busy > 0}
    if every == 1:
        one = last = busy_medians[1]
    else:
        slope, start = np.polyfit([float(busy) for busy in busy_medians], list(busy_medians.values()), 1)
        one, last = float(start + slope), float(start + slope * every)
    return PowerModel(every, medians[0], one, last, medians)


def model_document(model: PowerModel, provenance: Mapping[str, str]) -> dict[str, Any]:
    """Return the model file."""
    return {
        "format": FORMAT,
        "provenance": dict(provenance),
        "cores": model.cores,
        "wattage_per_state": model.wattage_per_state,
        "fit": {
            "medians": {str(busy): watts for busy, watts in model.medians.items()},
            "largest_relative_error": max(abs(error) for error in model.errors.values()),
        },
    }
