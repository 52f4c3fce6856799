"""The parts of apps/hpl that need no MPI: distribution, generator, pivots, permutations."""

from types import SimpleNamespace

import matgen
import numpy as np
import pytest
from distribution import global_indices, local_count, local_counts, local_index, owner, squarest
from hypothesis import given
from hypothesis import strategies as st
from permutation import exchange_of, spread_counts
from pivot import HEADER, exchange_steps

sizes = st.integers(0, 200)
blocks = st.integers(1, 20)
processes = st.integers(1, 9)


@given(sizes, blocks, processes)
def test_every_index_has_one_place(below: int, nb: int, count: int) -> None:
    """owner, local_index, local_count and global_indices describe the same distribution."""
    seen = []
    for process in range(count):
        indices = global_indices(below, nb, process, count)
        assert len(indices) == local_count(below, nb, process, count)
        for local, index in enumerate(indices.tolist()):
            assert (owner(index, nb, count), local_index(index, nb, count)) == (process, local)
            seen.append(index)
    assert sorted(seen) == list(range(below))


@pytest.mark.parametrize(("ranks", "grid"), [(1, (1, 1)), (4, (2, 2)), (7, (1, 7)), (12, (3, 4)), (4096, (64, 64))])
def test_squarest_grid(ranks: int, grid: tuple[int, int]) -> None:
    """P×Q is the squarest grid with P not above Q."""
    assert squarest(ranks) == grid


def hpl_sequence(count: int) -> list[float]:
    """HPL's random numbers one by one, as its documentation defines them."""
    state, values = matgen.SEED, []
    for _ in range(count):
        state = (6364136223846793005 * state + 1) % 2**64
        values.append(0.5 - state / 2**64)
    return values


@pytest.mark.parametrize(
    ("n", "nb", "p", "q"), [(1, 1, 1, 1), (7, 2, 1, 1), (7, 2, 3, 2), (12, 5, 2, 4), (9, 20, 2, 2)]
)
def test_matrix_is_the_sequence_by_columns(n: int, nb: int, p: int, q: int) -> None:
    """Whatever the grid, the parts make up the N×(N+1) matrix filled column by column."""
    whole = np.array(hpl_sequence(n * (n + 1))).reshape((n, n + 1), order="F")
    for my_row in range(p):
        for my_column in range(q):
            grid = SimpleNamespace(p=p, q=q, my_row=my_row, my_column=my_column)
            rows = global_indices(n, nb, my_row, p)
            columns = global_indices(n + 1, nb, my_column, q)
            part = matgen.generate(grid, n, nb)  # type: ignore[arg-type]
            np.testing.assert_array_equal(part, whole[np.ix_(rows, columns)])


@given(st.data())
def test_exchange_equals_swaps_in_order(data: st.DataObject) -> None:
    """U and the displaced rows are what exchanging row first + j and pivots[j], one after the other, leaves."""
    first = data.draw(st.integers(0, 10))
    width = data.draw(st.integers(1, 8))
    n = first + width + data.draw(st.integers(0, 12))
    pivots = [data.draw(st.integers(first + j, n - 1)) for j in range(width)]
    rows = list(range(n))
    for j, pivot in enumerate(pivots):
        rows[first + j], rows[pivot] = rows[pivot], rows[first + j]
    sources, displaced = exchange_of(pivots, first)
    assert sources == rows[first : first + width]
    below = first + width
    assert {row: first + top for row, top in displaced.items()} == {
        row: rows[row] for row in range(below, n) if rows[row] != row
    }


@given(st.integers(1, 300), blocks, processes)
def test_spread_rows_add_up(n: int, nb: int, p: int) -> None:
    """Each panel's U has as many rows as the panel is wide, and no process row gives more than it has left."""
    counts = spread_counts(n, nb, p)
    for index, line in enumerate(counts):
        first = index * nb
        left = [local_count(n, nb, row, p) - local_count(first, nb, row, p) for row in range(p)]
        assert line.sum() == min(nb, n - first)
        assert all(line >= 0) and all(line <= left)


@pytest.mark.parametrize("count", range(1, 21))
def test_pivot_exchange_reaches_everyone(count: int) -> None:
    """Sends match receives without deadlock, and at the end all know the best candidate and the current row."""
    width = 3
    steps = {me: exchange_steps(count, me, width) for me in range(count)}
    best = {me: me for me in range(count)}  # the candidate of the highest number wins
    has_current = {me: me == 0 for me in range(count)}
    at = dict.fromkeys(range(count), 0)
    while any(at[me] < len(steps[me]) for me in steps):
        moved = False
        for me, my_steps in steps.items():
            if at[me] == len(my_steps):
                continue
            mine = my_steps[at[me]]
            if at[mine.partner] == len(steps[mine.partner]):
                continue
            theirs = steps[mine.partner][at[mine.partner]]
            if theirs.partner != me:
                continue
            assert (mine.send, mine.receive) == (theirs.receive, theirs.send)
            before = {who: (best[who], has_current[who]) for who in (me, mine.partner)}
            for receiver, sender, part in ((me, mine.partner, mine.receive), (mine.partner, me, theirs.receive)):
                if part is None:
                    continue
                if part.start == 0:
                    best[receiver] = max(best[receiver], before[sender][0])
                if part.stop > HEADER + width:
                    assert before[sender][1], "sends the current row before having it"
                    has_current[receiver] = True
            at[me] += 1
            at[mine.partner] += 1
            moved = True
        assert moved, "the exchange is stuck"
    assert set(best.values()) == {count - 1}
    assert all(has_current.values())


def test_pivot_exchange_of_a_power_of_two_has_hpls_sizes() -> None:
    """Step k: distances below 2^k send the current row along, the next 2^k receive it (HPL_pdmxswp), 8 rows."""
    short, long = HEADER + 120, HEADER + 240
    sizes = [(step.send.stop, step.receive.stop) for step in exchange_steps(8, 2, 120) if step.send and step.receive]
    assert sizes == [(short, short), (short, long), (long, short)]


@given(st.lists(sizes, min_size=1, max_size=5), blocks, processes)
def test_counts_of_all_processes_at_once(bounds: list[int], nb: int, count: int) -> None:
    """local_counts is local_count for many bounds and all processes."""
    expected = [[local_count(below, nb, process, count) for process in range(count)] for below in bounds]
    np.testing.assert_array_equal(local_counts(np.array(bounds), nb, count), expected)
