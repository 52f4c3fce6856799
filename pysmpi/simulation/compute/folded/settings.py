"""Settings of folded memory (shared by all ranks, for data whose contents do not matter) for a simulation."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from pysmpi.native import lib
from pysmpi.simulation.compute.folded.allocation import fold
from pysmpi.simulation.compute.folded.allocator import folding_allocator
from pysmpi.simulation.compute.folded.operation_time import Machine, set_machine

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
    """Apply the settings of folded memory inside this context.

    Args:
        folds: whether arrays are folded; if not, `pysmpi.folded_empty` returns plain memory.
        block: smallest length of the block of folded memory, in bytes.
        huge_pages: mount point of a file system of huge pages for the block, or "" for ordinary pages.
        threshold: size in bytes from which all NumPy arrays are folded, or 0 to fold only requested arrays.
        machine: machine whose bandwidths determine the time of operations on folded arrays.
        report: function that receives a message if huge pages are not available.
    """
    fold(folds)
    set_machine(machine)
    error = lib.pysmpi_folded_configure(block, huge_pages.encode())
    if error:
        report(f"no huge pages at {huge_pages!r} ({os.strerror(error)}); folded memory uses ordinary pages")
    page = lib.pysmpi_folded_page() if huge_pages else 0
    try:
        with folding_allocator(threshold) if threshold else nullcontext():
            yield
    finally:
        fold(True)
        set_machine(Machine())
        if page and lib.pysmpi_folded_page() != page:
            report(f"too few huge pages at {huge_pages!r}; folded memory uses ordinary pages")
