"""Report of crashes in native code, such as a segmentation fault: which rank, on which host, at which Python line."""

import faulthandler
import os
import sys
from collections.abc import Callable

from pysmpi.native import lib
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]

_NAMED_RANKS = 4096  # ranks whose host is named; a crash report can only use names that were stored before


def install(patches: Patches, ranks: int, host_name: Callable[[int], str]) -> None:
    """Report crashes in native code until the changes in `patches` are undone.

    The line of the program is printed by Python's `faulthandler`. If the variable PYTHONFAULTHANDLER is set, even to an
    empty string, `faulthandler` stays as the user has configured it.

    Args:
        patches: record of changes.
        ranks: number of ranks.
        host_name: function that returns the name of a rank's host.
    """
    errors = _standard_error()
    if errors >= 0 and not faulthandler.is_enabled() and "PYTHONFAULTHANDLER" not in os.environ:
        faulthandler.enable(errors, all_threads=False)
        patches.at_undo(faulthandler.disable)
    names = b"".join(host_name(rank).encode() + b"\0" for rank in range(min(ranks, _NAMED_RANKS)))
    lib.pysmpi_report_crashes(names, len(names))
    patches.at_undo(lib.pysmpi_end_crash_reports)


def _standard_error() -> int:
    """Return the descriptor of the standard error of the process, or -1 if it has none."""
    try:
        return -1 if sys.__stderr__ is None else sys.__stderr__.fileno()
    except (OSError, ValueError):
        return -1
