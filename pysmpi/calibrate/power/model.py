"""Fit of the host property ``wattage_per_state`` to measured watts: idle power, and a line from one to all busy cores.

The model of SimGrid's energy plugin (Heinrich et al., "Predicting the energy-consumption of MPI applications at scale
using only a single node", Cluster 2017): a host with k of n busy cores draws P1 + (k - 1) / (n - 1) (Pn - P1).
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
    """Power of a host in watts.

    Attributes:
        cores: number of cores.
        idle: watts with no busy core.
        one: watts with one busy core, on the fitted line.
        every: watts with all cores busy, on the fitted line.
        medians: median of the measurements, by number of busy cores.
    """

    cores: int
    idle: float
    one: float
    every: float
    medians: dict[int, float]

    def __call__(self, busy: int) -> float:
        """Return the watts with `busy` busy cores."""
        if busy == 0:
            return self.idle
        if self.cores == 1:
            return self.every
        return self.one + (busy - 1) / (self.cores - 1) * (self.every - self.one)

    @property
    def epsilon(self) -> float:
        """Watts at almost no load, extrapolated from the line (SimGrid's Epsilon)."""
        return self.one if self.cores == 1 else max(0.0, self.one - (self.every - self.one) / (self.cores - 1))

    @property
    def wattage_per_state(self) -> str:
        """Value of the host property wattage_per_state: watts as ``Idle:Epsilon:AllCores``."""
        return f"{self.idle:.6g}:{self.epsilon:.6g}:{self.every:.6g}"

    @property
    def errors(self) -> dict[int, float]:
        """Relative errors of the line against the measured medians, by number of busy cores."""
        return {busy: self(busy) / watts - 1 for busy, watts in self.medians.items()}


def power_model(table: Table, cores: int | None = None) -> PowerModel:
    """Return the power model fitted to a table of measurements.

    Args:
        table: measured watts, with the number of busy cores in each row.
        cores: number of cores of the host, or None for the largest number of busy cores.

    Raises:
        CalibrationError: if the power with no core, one core or all cores busy is missing, or a value is not valid; the
            message starts with the table's path, and with the line if there is one.
    """
    watts: dict[int, list[float]] = defaultdict(list)
    for index, row in enumerate(table.rows):
        if row["watts"] <= 0:
            raise CalibrationError(f"{table.place(index)}: watts = {row['watts']:g} is not valid; it must be above 0")
        if cores is not None and row["cores"] > cores:
            raise CalibrationError(f"{table.place(index)}: cores = {row['cores']} exceeds the host's {cores}")
        watts[row["cores"]].append(row["watts"])
    medians = {busy: statistics.median(found) for busy, found in sorted(watts.items())}
    if 0 not in medians:
        raise CalibrationError(f"{table.source}: the idle host was not measured; a row with 0 cores is needed")
    every = max(medians) if cores is None else cores
    needed = sorted({1, every} - {0})
    for busy in needed:
        if busy not in medians:
            raise CalibrationError(
                f"{table.source}: no measurement with {busy} of {max(every, 1)} cores busy; measurements with 0, 1 and "
                f"all cores busy are needed (found: {', '.join(map(str, medians))})"
            )
    busy_medians = {busy: taken for busy, taken in medians.items() if busy > 0}
    if every == 1:
        one = last = busy_medians[1]
    else:
        slope, start = np.polyfit([float(busy) for busy in busy_medians], list(busy_medians.values()), 1)
        one, last = float(start + slope), float(start + slope * every)
    return PowerModel(every, medians[0], one, last, medians)


def model_document(model: PowerModel, provenance: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of the model file as JSON values."""
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
