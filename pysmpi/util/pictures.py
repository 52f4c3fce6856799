"""Pictures drawn with matplotlib; files are written completely or not at all."""

import importlib.util
import os
from typing import TYPE_CHECKING

from pysmpi.errors import LaunchError, unknown
from pysmpi.util.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "MISSING", "can_draw", "check_format", "new_figure", "save"]

MISSING = "drawing needs matplotlib; install it with: pip install 'pysmpi[plot]'"
FORMATS = ("svg", "png", "pdf")


def check_format(target: str) -> str:
    """Return the format given by the ending of a file name; commands call this before they do their work.

    Raises:
        LaunchError: the ending is not a known format, the folder of the file does not exist, or matplotlib is not
            installed.
    """
    ending = os.path.splitext(target)[1].removeprefix(".").lower()
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


def save(figure: "Figure", target: str) -> None:
    """Write the figure to a file; equal figures give files with the same bytes.

    Raises:
        LaunchError: the ending is not a known format, or the file cannot be written.
    """
    import matplotlib

    ending = check_format(target)
    try:
        with matplotlib.rc_context({"svg.hashsalt": "pysmpi"}), whole_file(target) as file:
            figure.savefig(file, format=ending, dpi=160, metadata={"svg": {"Date": None}}.get(ending))
    except OSError as error:
        raise LaunchError(f"{target}: cannot write the picture: {error.strerror}") from None
