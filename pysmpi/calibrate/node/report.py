"""Report on the measured performance of messages inside a node and through its network card: a text and plots."""

import os
from collections.abc import Mapping
from typing import Any

from pysmpi.calibrate.node.model import NodeModel
from pysmpi.util.columns import aligned
from pysmpi.util.pictures import finish, new_figure, save
from pysmpi.util.quantities import human_bandwidth, human_seconds

__all__ = ["draw", "report_text"]

# Positions of a message's receiver relative to its sender, by the keys of `NodeModel.one_way`.
_LEVELS = {"core": "same socket", "socket": "other socket", "node": "other host"}


def report_text(model: NodeModel, document: Mapping[str, Any]) -> str:
    """Return the report as text.

    It has the time of a message by its size, for receivers on the same socket, on another socket and on another host.
    The total bandwidths and message rates of several messages at once follow, then the slow-down by polling ranks.

    Args:
        model: measured performance.
        document: content of the model file, whose "provenance" begins the report.
    """
    lines = [*(f"{key}: {value}" for key, value in document["provenance"].items()), ""]
    sizes = sorted({size for curve in model.one_way.values() for size in curve})
    rows: list[tuple[str, ...]] = [("bytes", *(_LEVELS[level] for level in model.one_way))]
    for size in sizes:
        rows.append((f"{size:,}", *(_time(curve.get(size)) for curve in model.one_way.values())))
    lines += ["half round trip of one message", *aligned(rows, right=range(len(rows[0])), indent="  ")]
    for what, rates in (("inside the host", model.memory), ("to another host", model.card)):
        if rates:
            lines += ["", f"messages {what} at once, and what they move together"]
            shown = [(str(count), human_bandwidth(float(f"{rate:.3g}"))) for count, rate in sorted(rates.items())]
            lines += aligned(shown, right=range(2), indent="  ")
    if model.rate:
        lines += ["", "ranks that send to another host at once, and million messages of 1 byte a second"]
        lines += aligned([(str(count), f"{rate / 1e6:.3g}") for count, rate in sorted(model.rate.items())],
                         right=range(2), indent="  ")  # fmt: skip
        gap = model.card_gap()
        lines.append(f"the card takes {human_seconds(gap)} for each" if gap else "the card did not limit them")
    for level, (factor, ranks) in model.waiting.items():
        lines += ["", f"{_LEVELS[level]}: beside {ranks} ranks that poll, a message takes {factor:.3g} times as long"]
    return "\n".join(lines)


def _time(seconds: float | None) -> str:
    return "" if seconds is None else human_seconds(float(f"{seconds:.3g}"))


def draw(model: NodeModel, path: str | os.PathLike[str]) -> None:
    """Write a picture with two plots: the time of one message, and the total bandwidth of several messages at once.

    The time is drawn against the size, with one curve each for receivers on the same socket, on another socket and on
    another host. The total bandwidth is drawn against the number of messages.

    Raises:
        LaunchError: if matplotlib is not installed, or the file cannot be written.
    """
    figure = new_figure(9.0, 4.0)
    times, rates = figure.subplots(1, 2)
    for level, curve in model.one_way.items():
        sizes = sorted(curve)
        times.plot(sizes, [1e6 * curve[size] for size in sizes], marker="o", markersize=3, label=_LEVELS[level])
    times.set_xscale("log")
    times.set_yscale("log")
    times.set_xlabel("bytes")
    for what, found in (("inside the host", model.memory), ("to another host", model.card)):
        if found:
            counts = sorted(found)
            rates.plot(counts, [found[count] / 1e9 for count in counts], marker="o", markersize=3, label=what)
    rates.locator_params(axis="x", integer=True)
    rates.set_xlabel("messages at once")
    rates.set_ylim(bottom=0)
    for axes, title in ((times, "half round trip of one message, us"), (rates, "what they move together, GB/s")):
        axes.grid(alpha=0.3)
        finish(axes, title, legend="best", fontsize=9)
    save(figure, path)
