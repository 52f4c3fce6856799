"""Errors that name a line of a file, printed as compilers print them."""

import re
import sys
from collections.abc import Callable

from pysmpi.errors import PysmpiError

__all__ = ["has_place", "printing_places"]

_PLACE = re.compile(r"[^\n]+?:\d+: ")
_USAGE_ERROR = 2


def has_place(error: PysmpiError) -> bool:
    """Return whether an error begins with ``file:line:``."""
    return _PLACE.match(str(error)) is not None


def printing_places(act: Callable[[], int]) -> int:
    """Return the exit status of a function; if it ends with an error that begins with ``file:line:``, print the error
    without the name of the command and return 2.

    Raises:
        PysmpiError: any other error.
    """
    try:
        return act()
    except PysmpiError as error:
        if not has_place(error):
            raise
        print(error, file=sys.stderr)
        return _USAGE_ERROR
