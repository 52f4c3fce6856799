"""Report of a host's measured properties: a text, and a plot of memory bandwidth."""

import os
from collections.abc import Mapping
from typing import Any

from pysmpi.calibrate.host.model import HostModel
from pysmpi.util.columns import aligned
from pysmpi.util.pictures import finish, new_figure, save
from pysmpi.util.quantities import human_bandwidth, human_bytes, human_seconds, human_speed

__all__ = ["draw", "report_text"]


def report_text(model: HostModel, document: Mapping[str, Any]) -> str:
    """Return the measured quantities, the settings, and the spread of the measurements as text."""
    lines = [f"{key}: {value}" for key, value in document["provenance"].items()]
    rows = [
        ("speed of a core, products of matrices", human_speed(float(f"{model.speed:.4g}"))),
        ("new memory of results", f"{_rate(model.new_memory[0])}, {_rate(model.new_memory[1])} from 4 MiB on"),
        ("operands with gaps", _rate(model.buffering)),
        ("sums in MPI's reductions", "not measured" if model.combination is None else _rate(model.combination)),
        ("a call of mpi4py", "not measured" if model.call is None else human_seconds(float(f"{model.call:.3g}"))),
    ]
    lines += [
        "",
        *aligned(rows),
        "",
        "bandwidth per core, by total bytes of the arrays and number of cores at work:",
    ]
    distances = sorted({distance for found in model.bandwidths.values() for distance in found})
    table = [("", *(str(cores) for cores in model.bandwidths))]
    for distance in distances:
        cells = (_rate(found[distance]) if distance in found else "" for found in model.bandwidths.values())
        table.append((human_bytes(distance), *cells))
    lines += aligned(table, right=range(len(table[0])), indent="  ")
    lines += ["", "settings:", *(f"  --cfg={name}:{value}" for name, value in document["settings"].items())]
    worst = max(model.spreads, key=lambda figure: model.spreads[figure])
    lines += [
        "",
        f"Each figure is the median of its measurements, which differ by at most {100 * model.spreads[worst]:.3g} % "
        f"({worst}).",
    ]
    return "\n".join(lines)


def _rate(value: float) -> str:
    return human_bandwidth(float(f"{value:.3g}"))


def draw(model: HostModel, path: str | os.PathLike[str]) -> None:
    """Draw a core's memory bandwidth against the bytes of the arrays, with one line per number of cores at work.

    Raises:
        LaunchError: if matplotlib is not installed, or the file cannot be written.
    """
    figure = new_figure(7.0, 4.2)
    axes = figure.subplots()
    for cores, found in model.bandwidths.items():
        axes.plot(list(found), [rate / 1e9 for rate in found.values()], marker="o", markersize=3,
                  label=f"{cores} at once" if cores > 1 else "one core")  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_ylim(0)
    every = sorted({distance for found in model.bandwidths.values() for distance in found})
    axes.set_xticks(every, [human_bytes(distance) for distance in every], fontsize=8)
    axes.minorticks_off()
    finish(axes, "GB/s per core by total bytes of the arrays", legend="best")
    save(figure, path)
