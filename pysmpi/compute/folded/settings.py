"""What a simulation's settings say of folded memory."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext

from pysmpi.compute.folded.allocation import fold
from pysmpi.compute.folded.allocator import folding_allocator
from pysmpi.compute.folded.timing import set_bandwidth
from pysmpi.native import lib

__all__ = ["folding"]


@contextmanager
def folding(
    *,
    folds: bool,
    block: int,
    huge_pages: str,
    threshold: int,
    bandwidth: float,
    bandwidth_of_hosts: Mapping[int, float],
    report: Callable[[str], None],
) -> Iterator[None]:
    """They hold inside.

    Args:
        folds: arrays are folded; if not, `pysmpi.folded_empty` gives plain memory.
        block: how long the block of folded memory is at least, bytes.
        huge_pages: where a file system of huge pages is mounted, for the block to lie on; "": ordinary pages.
        threshold: NumPy arrays of at least so many bytes are folded; 0: only those that are asked for.
        bandwidth: what a rank reads and writes in a second, bytes/s.
        bandwidth_of_hosts: the same of hosts that have their own, by number.
        report: is told when there are no huge pages.
    """
    fold(folds)
    set_bandwidth(bandwidth, bandwidth_of_hosts)
    error = lib.pysmpi_folded_configure(block, huge_pages.encode())
    if error:
        report(f"no huge pages at {huge_pages!r} ({os.strerror(error)}): folded memory lies on ordinary ones")
    page = lib.pysmpi_folded_page() if huge_pages else 0
    try:
        with folding_allocator(threshold) if threshold else nullcontext():
            yield
    finally:
        fold(True)
        if page and lib.pysmpi_folded_page() != page:
            report(f"the huge pages at {huge_pages!r} did not suffice: folded memory lies on ordinary ones")
