"""Warnings of platform files and hostfiles, printed as a line of the command instead of a line of its source code."""

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import TextIO

from pysmpi.errors import PlatformWarning

__all__ = ["printed_warnings"]


@contextlib.contextmanager
def printed_warnings(command: str) -> Iterator[None]:
    """Print each `PlatformWarning` as ``COMMAND: warning: TEXT``; other warnings are shown as before."""
    with warnings.catch_warnings():
        shown_before = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, PlatformWarning):
                print(f"{command}: warning: {message}", file=file or sys.stderr)
            else:
                shown_before(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield
