"""Folded memory: one small block, mapped repeatedly over one range of addresses."""

import pathlib

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.native import ffi, lib


def folded(size: int) -> npt.NDArray[np.uint8]:
    """Return the first bytes of the folded range."""
    return np.frombuffer(ffi.buffer(lib.pysmpi_folded_map(size), size), np.uint8)


def folded_mappings() -> int:
    """Count the mappings of this process that belong to the range."""
    return pathlib.Path("/proc/self/maps").read_text().count("pysmpi-folded")


def test_range_repeats_its_block() -> None:
    lib.pysmpi_folded_map(1)
    repeats = lib.pysmpi_folded_block()
    block = folded(3 * repeats)
    block[17] = 99
    assert list(block[17::repeats]) == [99] * len(block[17::repeats])
    assert len(block[17::repeats]) > 1


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(1, 1 << 42), max_size=6))
def test_range_grows_in_place_with_few_mappings(sizes: list[int]) -> None:
    """The range grows to terabytes at the same address, far below the kernel's limit of mappings."""
    start = lib.pysmpi_folded_map(1)
    for size in sizes:
        assert lib.pysmpi_folded_map(size) == start
        assert lib.pysmpi_folded_bytes() >= size
        memory = folded(size)
        memory[0], memory[-1] = 1, 2
        assert folded_mappings() <= 4096


def test_no_address_space_is_no_memory() -> None:
    """A size beyond the address space is an error, and existing memory stays usable."""
    assert lib.pysmpi_folded_map(1 << 60) == ffi.NULL
    assert folded(10)[9] in range(256)


def test_outside_a_simulation_it_is_plain_memory() -> None:
    first, second = (pysmpi.folded_empty((3, 4), np.float32, "F") for _ in range(2))
    assert (first.shape, first.dtype, first.flags.f_contiguous) == ((3, 4), np.dtype(np.float32), True)
    assert not np.shares_memory(first, second)
    assert pysmpi.folded_empty(5).shape == (5,)
