"""Pictures drawn with matplotlib; files are written completely or not at all."""

import importlib.util
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pysmpi.errors import LaunchError, unknown
from pysmpi.util.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "FORMATS",
    "INK",
    "MISSING",
    "can_draw",
    "check_format",
    "finish",
    "is_wide",
    "new_figure",
    "save",
]

MISSING = "drawing needs matplotlib; install it with: pip install 'pysmpi[plot]'"
FORMATS = ("svg", "png", "pdf")
_SUFFIXES = ", ".join(f".{each}" for each in FORMATS)
INK = "#222222"
"""Colour of titles, text, and lines that do not show data."""

COLOURS = ("#2b6cb0", "#b7791f", "#2f855a", "#9b2c2c", "#6b46c1", "#4a5568", "#0987a0", "#b83280")
"""Colours of lines and bars, in order of use."""


def check_format(target: str) -> str:
    """Return the format given by the suffix of a file name; commands call this before they do their work.

    Raises:
        LaunchError: the name has no suffix, the suffix is not a known format, the folder of the file does not exist, or
            matplotlib is not installed.
    """
    ending = os.path.splitext(target)[1].removeprefix(".").lower()
    if not ending:
        raise LaunchError(f"{target}: the name of a picture needs a suffix for its format (valid: {_SUFFIXES})")
    if ending not in FORMATS:
        raise LaunchError(f"{target}: {unknown('format of a picture', ending, FORMATS)}")
    folder = os.path.dirname(target) or "."
    if not os.path.isdir(folder):
        raise LaunchError(f"{target}: cannot write the picture: the folder {folder} does not exist")
    if not can_draw():
        raise LaunchError(f"{target}: {MISSING}")
    return ending


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of this size in inches.

    Raises:
        LaunchError: matplotlib is not installed.
    """
    if not can_draw():
        raise LaunchError(MISSING)
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def finish(
    axes: "Axes",
    title: str = "",
    *,
    size: float = 10,
    colour: str = "black",
    x: str = "",
    y: str = "",
    numbers: float | None = None,
    legend: str = "",
    **more: Any,
) -> None:
    """Give drawn axes the look of all our plots: a title at the left, and no edges above and at the right.

    Args:
        axes: the axes.
        title: title, or empty for none.
        size: size of the title in points.
        colour: colour of the title.
        x: label of the horizontal axis.
        y: label of the vertical axis.
        numbers: size of the axes' numbers in points, or None for matplotlib's.
        legend: location of a legend, such as "best", or "" for none.
        more: further arguments of `matplotlib.axes.Axes.legend`.
    """
    if title:
        axes.set_title(title, loc="left", fontsize=size, color=colour)
    if x:
        axes.set_xlabel(x, fontsize=9)
    if y:
        axes.set_ylabel(y, fontsize=9)
    if numbers is not None:
        axes.tick_params(labelsize=numbers)
    if legend:
        settings: dict[str, Any] = {"loc": legend, "fontsize": 8, "frameon": False, **more}
        axes.legend(**settings)
    axes.spines[["top", "right"]].set_visible(False)


def is_wide(values: Iterable[float], ratio: float = 20.0) -> bool:
    """Return whether values need a logarithmic axis: all are above 0, and the largest is above `ratio` times the
    least."""
    found = list(values)
    return all(value > 0 for value in found) and max(found) > ratio * min(found)


def save(figure: "Figure", target: str | os.PathLike[str]) -> None:
    """Write the figure to a file; equal figures give files with the same bytes.

    Raises:
        LaunchError: the ending is not a known format, or the file cannot be written.
    """
    import matplotlib

    target = os.fspath(target)
    ending = check_format(target)
    try:
        with matplotlib.rc_context({"svg.hashsalt": "pysmpi"}), whole_file(target) as file:
            figure.savefig(file, format=ending, dpi=160, metadata={"svg": {"Date": None}}.get(ending))
    except OSError as error:
        raise LaunchError(f"{target}: cannot write the picture: {error.strerror}") from None
