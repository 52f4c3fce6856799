"""What a simulation's settings say of folded memory."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from pysmpi.compute.folded.allocation import fold
from pysmpi.compute.folded.allocator import folding_allocator
from pysmpi.compute.folded.timing import Machine, set_machine
from pysmpi.native import lib

__all__ = ["folding"]


@contextmanager
def folding(
    *,
    folds: bool,
    block: int,
    huge_pages: str,
    threshold: int,
    machine: Machine,
    report: Callable[[str], None],
) -> Iterator[None]:
    """They hold inside.

    Args:
        folds: arrays are folded; if not, `pysmpi.folded_empty` gives plain memory.
        block: how long the block of folded memory is at least, bytes.
        huge_pages: where a file system of huge pages is mounted, for the block to lie on; "": ordinary pages.
        threshold: NumPy arrays of at least so many bytes are folded; 0: only those that are asked for.
        machine: what operations on folded arrays take time for.
        report: is told when there are no huge pages.
    """
    fold(folds)
    set_machine(machine)
    error = lib.pysmpi_folded_configure(block, huge_pages.encode())
    if error:
        report(f"no huge pages at {huge_pages!r} ({os.strerror(error)}): folded memory lies on ordinary ones")
    page = lib.pysmpi_folded_page() if huge_pages else 0
    try:
        with folding_allocator(threshold) if threshold else nullcontext():
            yield
    finally:
        fold(True)
        set_machine(Machine())
        if page and lib.pysmpi_folded_page() != page:
            report(f"the huge pages at {huge_pages!r} did not suffice: folded memory lies on ordinary ones")
