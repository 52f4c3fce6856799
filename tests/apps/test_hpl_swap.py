"""Exchange of rows in Linpack's model: traffic, copies, and random pivots."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_pivots import published_pivots, random_pivots
from model_swap import Copy, Traffic, _exchange, _spread, swap


@given(st.integers(0, 99), st.integers(1, 9), st.data(), st.integers(1, 64))
def test_pivots_lie_in_rows_that_hold_the_matrix(seed: int, p: int, data: st.DataObject, width: int) -> None:
    current, holders = data.draw(st.integers(0, p - 1)), data.draw(st.integers(1, p))
    rows = random_pivots(seed, p, current, holders, width)
    assert sum(rows) == width and len(rows) == p
    assert all(rows[(current + distance) % p] == 0 for distance in range(holders, p))
    assert rows == random_pivots(seed, p, current, holders, width)


def test_pivots_spread_evenly() -> None:
    rows = random_pivots(1, 8, 3, 8, 8_000)
    assert min(rows) > 900 and max(rows) < 1_100
    assert rows != random_pivots(2, 8, 3, 8, 8_000)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=9), st.data(), st.booleans(), st.booleans())
def test_what_is_sent_is_received(rows: list[int], data: st.DataObject, spreads: bool, evens: bool) -> None:
    """Each pair of processes sends and receives the same numbers of rows, in the same order."""
    rows[0] += 1
    p, current = len(rows), data.draw(st.integers(0, len(rows) - 1))
    rows_from = tuple(rows)
    sent, received = {}, {}
    for me, other in product(range(p), repeat=2):
        sent[me, other], received[me, other] = [], []
    for me in range(p):
        stages = _spread(rows_from, me, current, evens) if spreads else _exchange(rows_from, me, current)
        for part in (part for stage in stages for part in stage if isinstance(part, Traffic)):
            sent[me, part.partner] += [part.sent] if part.sent != (0, 0) else []
            received[part.partner, me] += [part.received] if part.received != (0, 0) else []
    assert sent == received


@pytest.mark.parametrize("p", [2, 3, 4, 7, 8])
def test_copies_of_the_binary_exchange(p: int) -> None:
    """The current row packs all rows, the others their own; each takes U, or what others bring, once."""
    rows = tuple(3 + i for i in range(p))
    width = sum(rows)
    for me in range(p):
        copies = [part for stage in _exchange(rows, me, 1) for part in stage if isinstance(part, Copy)]
        first, *rest = copies
        assert first == (Copy("dlaswp01t", width) if me == 1 else Copy("dlaswp02n", rows[me]))
        takes = "dlaswp05t" if (me - 1) % p >= 1 << (p.bit_length() - 1) else "dlaswp04t"
        assert [each.routine for each in rest].count(takes) == (me != 1)
        if me == 1:
            assert sum(each.rows for each in rest) == width - rows[1]


@pytest.mark.parametrize("p", [2, 3, 8])
@pytest.mark.parametrize("spreads", [False, True])
@pytest.mark.parametrize("at_once", [False, True])
def test_copies_add_no_stages(p: int, spreads: bool, at_once: bool) -> None:
    rows = random_pivots(5, p, 0, p, 40)
    for me in range(p):
        plain, copying = (swap(me, 0, rows, spreads, True, at_once, copies) for copies in (False, True))
        assert len(plain) == len(copying)
        assert not any(stage.copies for stage in plain) and any(stage.copies for stage in copying)
        assert [stage.updates for stage in copying] == [False] * (len(copying) - 1) + [True]


def test_pivots_of_the_published_model() -> None:
    assert published_pivots(4, 2, True, 10) == (1, 0, 9, 0)
    assert published_pivots(4, 0, False, 10) == (10, 0, 0, 0)
