"""Errors that name a line of a file, printed as compilers print them."""

import re
import sys
from collections.abc import Callable

from pysmpi.errors import PysmpiError

__all__ = ["printing_places"]

_PLACE = re.compile(r"[^\n]+?:\d+: ")
_USAGE_ERROR = 2


def printing_places(act: Callable[[], int]) -> int:
    """Return the exit status of a function; if it ends with an error that begins with ``file:line:``, print the error
    without the name of the command and return 2.

    Raises:
        PysmpiError: any other error.
    """
    try:
        return act()
    except PysmpiError as error:
        if _PLACE.match(str(error)) is None:
            raise
        print(error, file=sys.stderr)
        return _USAGE_ERROR
