"""Report of the quality of message fits: a text, and plots."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pysmpi.calibrate.network.fit import ENVELOPE, NetworkFit
from pysmpi.calibrate.network.segments import Segment
from pysmpi.util.columns import aligned
from pysmpi.util.pictures import COLOURS, INK, finish, new_figure, save
from pysmpi.util.quantities import human_bandwidth, human_bytes, human_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw", "report_text"]

_FAINT = "#9ab8d8"


def report_text(fits: Sequence[NetworkFit], document: Mapping[str, Any]) -> str:
    """Return a text with the settings, the fitted lines that they come from, and the errors of these lines."""
    lines = [f"{key}: {value}" for key, value in document["provenance"].items()]
    lines += ["", f"settings for {fits[0].place}:"]
    lines += [f"  --cfg={name}:{value}" for name, value in document["settings"].items()]
    for fit in fits:
        link, quality = document["links"][fit.place], document["fit"][fit.place]
        lines += [
            "",
            f"{fit.place}: link of {_time(link['latency'])} and {_bandwidth(link['bandwidth'])}; with these settings "
            f"ping-pongs of {quality['sizes']} sizes, {human_bytes(quality['range'][0])} to "
            f"{human_bytes(quality['range'][1])}, are predicted with a median error of "
            f"{_percent(quality['median_relative_error'])}, {_percent(quality['largest_relative_error'])} at most",
            f"  {_protocol(fit)}",
            f"  times of one size: half are within {_percent(float(np.median(list(fit.deviations.values()))))} of "
            "their median (median of all sizes)",
        ]
        rows = [("", "from", "to", "startup", "a byte", "")]
        for name, found in (
            ("MPI_Send", fit.sent),
            ("MPI_Isend", fit.sent_at_once),
            ("MPI_Recv", fit.received),
            ("network", fit.network),
        ):
            rows += [
                _row("" if index else name, line, ENVELOPE * (name == "network")) for index, line in enumerate(found)
            ]
        lines += aligned(rows, right=(1, 2, 3, 4), indent="  ")
    lines += [
        "",
        "Overheads include the time of Python and mpi4py in a call, as for any Python program. smpi/or is known for",
        "messages that arrive before they are received (smpi/async-small-thresh); otherwise the network includes it.",
    ]
    return "\n".join(lines)


def _time(seconds: float) -> str:
    return human_seconds(float(f"{seconds:.3g}"))


def _bandwidth(rate: float) -> str:
    return human_bandwidth(float(f"{rate:.3g}"))


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"


def _protocol(fit: NetworkFit) -> str:
    if fit.waits_from is None:
        waits = f"no MPI_Send up to {human_bytes(fit.largest)} waits for its receive"
    elif fit.waits_from == 0:
        waits = "every MPI_Send waits for its receive"
    else:
        waits = f"MPI_Send waits for its receive from {fit.waits_from:,} bytes on"
    if fit.leaves_late_from == 0:
        return f"{waits}; no message leaves before its receive is posted"
    if fit.leaves_late_from is None:
        return f"{waits}; all others leave at once (eager)"
    return f"{waits}; from {fit.leaves_late_from:,} bytes on messages leave when their receive is posted"


def _row(name: str, line: Segment, envelope: int) -> tuple[str, str, str, str, str, str]:
    rate = _bandwidth(1 / line.per_byte) if line.per_byte > 0 else ""
    return (
        name,
        f"{line.first - envelope:,}",
        f"{line.last - envelope:,}",
        _time(line.startup),
        f"{line.per_byte:.3g} s",
        rate,
    )


def draw(fits: Sequence[NetworkFit], path: str | os.PathLike[str]) -> None:
    """Draw measured times against message size with the fitted lines, and prediction errors, inside and between hosts.

    Raises:
        LaunchError: if matplotlib is not installed, or the file cannot be written.
    """
    figure = new_figure(12.0, 4.6 * len(fits))
    for fit, (left, right) in zip(fits, figure.subplots(len(fits), 2, squeeze=False), strict=True):
        _times(left, fit)
        _errors(right, fit)
    save(figure, path)


def _times(axes: "Axes", fit: NetworkFit) -> None:
    sizes = np.array(list(fit.one_way))
    axes.loglog(sizes, list(fit.one_way.values()), ".", color=_FAINT, label="half a ping-pong")
    axes.loglog(sizes, [fit.predicted(size) for size in sizes], color=INK, linewidth=1.0, label="by the settings")
    sorts = (("MPI_Send", fit.sent), ("MPI_Isend", fit.sent_at_once), ("MPI_Recv, arrived", fit.received))
    for (name, found), colour in zip(sorts, COLOURS, strict=False):
        for index, line in enumerate(found):
            x = np.geomspace(max(line.first, 1), max(line.last, 2), 20)
            axes.loglog(x, [max(line(size), 1e-9) for size in x], color=colour, linewidth=1.4,
                        label=None if index else name)  # fmt: skip
    for line in fit.network[1:]:
        axes.axvline(line.first - ENVELOPE, color="#dddddd", linewidth=0.8, zorder=0)
    finish(axes, f"{fit.place}: seconds over bytes, with starts of segments", colour=INK, legend="best")


def _errors(axes: "Axes", fit: NetworkFit) -> None:
    errors = fit.errors
    sizes = list(errors)
    half = np.array([100 * fit.deviations[size] for size in sizes])
    axes.fill_between(sizes, -half, half, color="#e8eef6", label="half of the times")
    axes.semilogx(sizes, [100 * error for error in errors.values()], ".", color=COLOURS[0], label="by the settings")
    axes.axhline(0.0, color=INK, linewidth=0.8)
    finish(axes, f"{fit.place}: error of ping-pongs, %", colour=INK, legend="best")
