"""Report that compares simulated message times on the assembled platform with the measurements."""

import os
from collections.abc import Sequence

import numpy as np

from pysmpi.calibrate.assembly.check import Check
from pysmpi.calibrate.assembly.parts import Parts
from pysmpi.util.columns import aligned
from pysmpi.util.pictures import INK, finish, new_figure, save
from pysmpi.util.quantities import human_bandwidth, human_seconds, human_speed

__all__ = ["draw", "report_text"]


def report_text(parts: Parts, checks: Sequence[Check], command: str) -> str:
    """Return a text that lists the model files of a platform, and compares simulated with measured ping-pongs."""
    lines = [f"{part}: {source}" for part, source in parts.sources.items()]
    lines += ["", f"speed of a core: {human_speed(float(f'{parts.speed:.4g}'))}"]
    for place, (latency, bandwidth) in parts.links.items():
        where = "between hosts" if place == "inter" else "inside a host"
        lines.append(f"link {where}: {_time(latency)}, "
                     f"{human_bandwidth(float(f'{bandwidth:.3g}'))}")  # fmt: skip
    lines += ["", f"run programs with: {command}"]
    for check in checks:
        errors = np.abs(check.errors)
        lines += [
            "",
            f"{check.place}: ping-pongs simulated beside those measured: error {100 * float(np.median(errors)):.3g} % "
            f"median, {100 * float(errors.max()):.3g} % maximum",
        ]
        rows = [("bytes", "measured", "simulated", "error")]
        for size, measured, simulated, error in zip(
            check.sizes, check.measured, check.simulated, check.errors, strict=True
        ):
            rows.append((f"{size:,}", _time(measured), _time(simulated), f"{100 * error:+.2g} %"))
        lines += aligned(rows, right=range(4), indent="  ")
    return "\n".join(lines)


def _time(seconds: float) -> str:
    return human_seconds(float(f"{seconds:.3g}"))


def draw(checks: Sequence[Check], path: str | os.PathLike[str]) -> None:
    """Draw simulated and measured message times against message size.

    Raises:
        LaunchError: if matplotlib is not installed, or the file cannot be written.
    """
    figure = new_figure(6.5 * len(checks), 4.4)
    for check, axes in zip(checks, figure.subplots(1, len(checks), squeeze=False)[0], strict=True):
        axes.loglog(check.sizes, check.measured, "o", markersize=3, color="#9ab8d8", label="measured")
        axes.loglog(check.sizes, check.simulated, color=INK, linewidth=1.0, label="simulated")
        finish(axes, f"{check.place}: seconds per message over bytes", legend="best")
    save(figure, path)
