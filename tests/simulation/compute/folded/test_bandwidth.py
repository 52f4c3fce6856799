"""Distance to data, and its cost."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pysmpi.simulation.compute.folded.bandwidth import Bandwidth
from pysmpi.simulation.compute.folded.buffering import buffered_bytes
from pysmpi.simulation.compute.folded.recency import Recency

KIB = 1 << 10
MIB = 1 << 20


def _array(size):
    return np.empty(size, np.uint8)


def test_bandwidth_is_as_given_at_its_points_and_between_them() -> None:
    """Between points, the time per byte is linear in the logarithm of the distance."""
    bandwidth = Bandwidth([(KIB, 4.0), (MIB, 2.0)])
    assert [1 / bandwidth.seconds_per_byte(at) for at in (0, KIB, MIB, 2 * MIB, math.inf)] == [4, 4, 2, 2, 2]
    assert bandwidth.seconds_per_byte(32 * KIB) == pytest.approx((1 / 4 + 1 / 2) / 2)


@given(st.lists(st.integers(0, 9), max_size=60))
def test_distance_is_the_bytes_of_what_was_touched_since(order: list[int]) -> None:
    """Each array counts once, itself included; the distance is infinite at first."""
    arrays = [_array(100 + place) for place in range(10)]
    recency = Recency()
    past: list[int] = []
    for place in order:
        last = len(past) - 1 - past[::-1].index(place) if place in past else -1
        expected = sum(arrays[each].nbytes for each in set(past[last:])) if last >= 0 else math.inf
        assert recency.touch(arrays[place]) == expected
        past.append(place)


def test_views_are_of_the_array_s_memory() -> None:
    """A large view brings the array near, a small one does not."""
    first, second = _array(1000), _array(500)
    recency = Recency()
    recency.touch(first)
    recency.touch(second)
    assert recency.touch(first[10:20]) == 1500
    assert recency.touch(first[10:]) == 1500
    assert recency.touch(first) == 990


def test_results_take_the_memory_of_those_that_went() -> None:
    """A result reuses freed memory of the same size; a large first result needs new memory."""
    recency = Recency()
    small, first = _array(KIB), _array(MIB)
    assert recency.make(small) == (math.inf, False)
    assert recency.make(first) == (math.inf, True)
    del first
    recency.touch(small)
    assert recency.make(_array(MIB)) == (MIB + KIB, False)


def test_memory_goes_back_when_much_is_free() -> None:
    """Memory is returned at twice the largest freed array, and at once above 32 MiB."""
    recency = Recency()
    pair = [_array(MIB) for _ in range(2)]
    assert [recency.make(each)[1] for each in pair] == [True, True]
    pair.clear()
    assert recency.make(_array(MIB)) == (math.inf, True)
    for _ in range(2):
        assert recency.make(_array(64 * MIB)) == (math.inf, True)


def _loops(*operands):
    return buffered_bytes(operands, np.broadcast_shapes(*(operand.shape for operand in operands)))


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="NumPy's buffers were others before")
def test_operands_with_short_loops_pass_through_buffers() -> None:
    """The limits were measured with NumPy 2.4: one view up to rows of 4,096, two 2,730, three 2,048."""
    for longest, views in ((4096, 1), (2730, 2), (2048, 3)):
        for columns, copied in ((longest, views), (longest + 1, 0)):
            whole = np.empty((10, columns))
            inner = np.empty((12, columns + 2))[1:-1, 1:-1]
            operands = [inner] * views + [whole] * (3 - views)
            assert _loops(*operands) == copied * whole.nbytes
    whole = np.empty((10, 20))
    assert _loops(whole, whole.T.copy().T) == whole.nbytes
    assert _loops(whole, np.empty(20)) == whole.nbytes  # repeated
    assert _loops(whole, np.float64(1.0), whole) == 0
    assert _loops(np.empty((3, 40))[0, ::2]) == 0
    assert _loops(np.empty((6, 6, 6))[1:-1, 1:-1, 1:-1], np.empty((4, 4, 4))) == 64 * 8
    assert _loops(np.empty((0, 5))[:, 1:], np.empty((0, 4))) == 0
