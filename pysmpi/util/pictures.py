"""Pictures by matplotlib, written whole or not at all."""

import os
from typing import TYPE_CHECKING

from pysmpi.errors import LaunchError, unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "check_format", "new_figure", "save"]

FORMATS = ("svg", "png", "pdf")


def check_format(target: str) -> str:
    """The format that the file's ending says.

    Raises:
        LaunchError: it says none, or the file cannot be written because its folder is missing.
    """
    ending = os.path.splitext(target)[1].removeprefix(".").lower()
    if ending not in FORMATS:
        raise LaunchError(f"{target}: {unknown('format of a picture', ending, FORMATS)}")
    folder = os.path.dirname(target) or "."
    if not os.path.isdir(folder):
        raise LaunchError(f"{target}: cannot write the picture: there is no folder {folder}")
    return ending


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure, in inches.

    Raises:
        LaunchError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise LaunchError("drawing takes matplotlib; install it with: pip install matplotlib") from None
    return Figure(figsize=(width, height), layout="constrained")


def save(figure: "Figure", target: str) -> None:
    """Writes the figure. The same picture is the same file.

    Raises:
        LaunchError: the ending is not that of a format, or the file cannot be written.
    """
    import matplotlib

    ending = check_format(target)
    partial = f"{target}.part"
    try:
        with matplotlib.rc_context({"svg.hashsalt": "pysmpi"}):
            figure.savefig(partial, format=ending, dpi=160, metadata={"svg": {"Date": None}}.get(ending))
        os.replace(partial, target)
    except OSError as error:
        raise LaunchError(f"{target}: cannot write the picture: {error.strerror}") from None
