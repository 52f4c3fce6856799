"""Model of a host from a table of measurements: speed of a core, and settings for the simulation."""

import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pysmpi.calibrate.host.kernels import HUGE
from pysmpi.calibrate.table import Table
from pysmpi.errors import CalibrationError

__all__ = ["FORMAT", "HostModel", "host_model", "model_document"]

FORMAT = "pysmpi-host-1"


@dataclass(frozen=True)
class HostModel:
    """Model of a host.

    Attributes:
        speed: flop/s of a core in matrix products.
        bandwidths: bytes/s of each core, by the number of cores at work, then by the total bytes of the arrays that a
            core uses in turn.
        new_memory: bytes/s of memory newly obtained from the kernel, for results below 4 MiB and from 4 MiB on.
        buffering: bytes/s at which NumPy buffers operands with gaps (inner parts of arrays).
        combination: bytes/s of one operand in a sum in place, or None if an earlier version of pysmpi made the table.
        call: seconds that Python and mpi4py spend in a call, or None without MPI.
        spreads: difference between the greatest and the least measurement of each quantity, relative to its median.
    """

    speed: float
    bandwidths: dict[int, dict[int, float]]
    new_memory: tuple[float, float]
    buffering: float
    combination: float | None
    call: float | None
    spreads: dict[str, float]

    def settings(self, busy: int | None = None) -> dict[str, str]:
        """Return the settings by name, as for pysmpirun's --cfg.

        Args:
            busy: number of the host's cores at work, or None for all measured cores.

        Raises:
            CalibrationError: if this number of cores was not measured.
        """
        cores = max(self.bandwidths) if busy is None else busy
        if cores not in self.bandwidths:
            measured = ", ".join(map(str, self.bandwidths))
            raise CalibrationError(f"memory bandwidth was not measured with {cores} cores at once (valid: {measured})")
        small, huge = self.new_memory
        steps = (f"{distance}:{rate:.4g}" for distance, rate in self.bandwidths[cores].items())
        found = {
            "smpi/memory-bandwidth": ";".join(steps),
            "smpi/new-memory-bandwidth": f"0:{small:.4g};{HUGE - 1}:{small:.4g};{HUGE}:{huge:.4g}",
            "smpi/buffer-bandwidth": f"{self.buffering:.4g}",
        }
        if self.combination is not None:
            found["smpi/reduction-bandwidth"] = f"{self.combination:.4g}"
        return found


def host_model(table: Table) -> HostModel:
    """Return the model with the median of each quantity's measurements.

    Raises:
        CalibrationError: if a quantity is missing or not above zero; the message starts with the table's path, and
            with the line if there is one.
    """
    rates: dict[tuple[str, int | None, int], list[float]] = defaultdict(list)
    for index, row in enumerate(table.rows):
        if row["seconds"] <= 0 or row["amount"] <= 0:
            raise CalibrationError(f"{table.place(index)}: {row['figure']}: amount and seconds must be above zero")
        if row["figure"] == "bandwidth" and not row["bytes"]:
            raise CalibrationError(f"{table.place(index)}: bandwidth: the column bytes is empty")
        rates[row["figure"], row["bytes"], row["cores"]].append(row["amount"] / row["seconds"])

    def middle(figure: str) -> float:
        if (figure, None, 1) not in rates:
            raise CalibrationError(f"{table.source}: no measurement of {figure!r} found")
        return statistics.median(rates[figure, None, 1])

    bandwidths: dict[int, dict[int, float]] = defaultdict(dict)
    for (figure, distance, cores), found in sorted(rates.items(), key=str):
        if figure == "bandwidth" and distance is not None:
            bandwidths[cores][distance] = statistics.median(found)
    if not bandwidths:
        raise CalibrationError(f"{table.source}: no measurement of 'bandwidth' found")
    spreads = {
        f"{figure} of {distance} B, {cores} cores" if distance else figure: _spread(found)
        for (figure, distance, cores), found in rates.items()
    }
    return HostModel(
        speed=middle("speed"),
        bandwidths={cores: dict(sorted(bandwidths[cores].items())) for cores in sorted(bandwidths)},
        new_memory=(middle("new memory"), middle("new huge memory")),
        buffering=middle("buffering"),
        combination=middle("combination") if ("combination", None, 1) in rates else None,
        call=1 / middle("call") if ("call", None, 1) in rates else None,
        spreads=spreads,
    )


def _spread(rates: list[float]) -> float:
    return (max(rates) - min(rates)) / statistics.median(rates)


def model_document(model: HostModel, provenance: Mapping[str, str], busy: int | None = None) -> dict[str, Any]:
    """Return the content of the model file as JSON values."""
    return {
        "format": FORMAT,
        "provenance": dict(provenance),
        "speed": model.speed,
        "cores": max(model.bandwidths),
        "settings": model.settings(busy),
        "bandwidth_of_a_core": {str(cores): {str(at): rate for at, rate in found.items()}
                                for cores, found in model.bandwidths.items()},
        "seconds_of_a_call": model.call,
        "spread": model.spreads,
    }  # fmt: skip
