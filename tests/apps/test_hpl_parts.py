"""Tests of the parts of apps/hpl that need no MPI: distribution, generator, pivots, permutations."""

from types import SimpleNamespace

import exchange
import matgen
import numpy as np
import pytest
import rings
from distribution import global_indices, local_count, local_index, owner, squarest
from hypothesis import given
from hypothesis import strategies as st
from permutation import exchange_of
from pivot import HEADER, exchange_steps
from recursion import Kind, steps
from rounds import Round, length, roll
from spread import equilibrate, sort_by_rows, spread_right
from variant import Variant

sizes = st.integers(0, 200)
blocks = st.integers(1, 20)
processes = st.integers(1, 9)


@given(sizes, blocks, processes)
def test_every_index_has_one_place(below: int, nb: int, count: int) -> None:
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


@pytest.mark.parametrize("count", range(1, 21))
def test_pivot_exchange_reaches_everyone(count: int) -> None:
    """Check that sends match receives without deadlock, and that all get the best candidate and the current row."""
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
    """In step k, distances below 2^k send the current row and the next 2^k receive it (HPL_pdmxswp), with 8 rows."""
    short, long = HEADER + 120, HEADER + 240
    sizes = [(step.send.stop, step.receive.stop) for step in exchange_steps(8, 2, 120) if step.send and step.receive]
    assert sizes == [(short, short), (short, long), (long, short)]


def carry_out(rounds: list[list[Round | None]], held: list[set[int]]) -> None:
    """Carry out the rounds of all positions; sends must match receives, and senders must hold the rows they send."""
    at = [0] * len(rounds)
    while any(at[me] < len(rounds[me]) for me in range(len(rounds))):
        moved = False
        for me, mine in enumerate(rounds):
            while at[me] < len(mine):
                now = mine[at[me]]
                if now is None or not length(now.send) + length(now.receive):
                    at[me] += 1
                    moved = True
                    continue
                other = now.partner
                theirs = next((r for r in rounds[other][at[other] :] if r and length(r.send) + length(r.receive)), None)
                if theirs is None or theirs.partner != me or rounds[other].index(theirs, at[other]) > at[other]:
                    break
                assert (length(now.send), length(now.receive)) == (length(theirs.receive), length(theirs.send))
                before = [set(rows) for rows in held]
                for sender, receiver, part in ((me, other, now.send), (other, me, theirs.send)):
                    if part is not None:
                        assert set(range(part.start, part.stop)) <= before[sender], "sends what it does not have"
                        held[receiver] |= set(range(part.start, part.stop))
                at[me] += 1
                at[other] += 1
                moved = True
        assert moved, "stuck"


@given(st.lists(st.integers(0, 12), min_size=1, max_size=12), st.integers(0, 11))
def test_spread_equilibrate_and_roll_bring_all_rows_to_all(rows: list[int], current: int) -> None:
    current %= len(rows)
    bounds, process = sort_by_rows(rows, current)
    assert process[0] == current
    assert sorted(process) == list(range(len(rows)))
    assert [bounds[i + 1] - bounds[i] for i in range(len(rows))] == [rows[row] for row in process]
    everyone = range(len(rows))
    held: list[set[int]] = [set() for _ in everyone]
    held[0] = set(range(bounds[-1]))
    carry_out([spread_right(bounds, me) for me in everyone], held)
    for me in everyone:
        assert set(range(bounds[me], bounds[me + 1])) <= held[me]
    held = [set(range(bounds[me], bounds[me + 1])) for me in everyone]
    evening = [equilibrate(bounds, me) for me in everyone]
    carry_out([rounds for rounds, _ in evening], held)
    bounds = evening[0][1]
    for me in everyone:
        assert set(range(bounds[me], bounds[me + 1])) <= held[me]
    carry_out([list(roll(bounds, me)) for me in everyone], held)
    assert all(len(rows) == bounds[-1] for rows in held)


@pytest.mark.parametrize("count", range(2, 14))
def test_binary_exchange_reaches_everyone(count: int) -> None:
    """All receive U after it has met everyone's packed rows, and sizes match."""
    packed = [0, *(me % 3 for me in range(1, count))]
    stages = [[each for stage in exchange.exchange(count, me, packed) for each in stage] for me in range(count)]
    at, has_u = [0] * count, [me == 0 for me in range(count)]
    while any(at[me] < len(stages[me]) for me in range(count)):
        me = next(
            me
            for me in range(count)
            if at[me] < len(stages[me])
            and at[stages[me][at[me]].partner] < len(stages[stages[me][at[me]].partner])
            and stages[stages[me][at[me]].partner][at[stages[me][at[me]].partner]].partner == me
        )
        mine = stages[me][at[me]]
        theirs = stages[mine.partner][at[mine.partner]]
        assert length(mine.send) == length(theirs.receive)
        assert length(mine.receive) == length(theirs.send)
        assert (mine.sends_u, mine.receives_u) == (theirs.receives_u, theirs.sends_u)
        for sender, receiver, goes in ((me, mine.partner, mine.sends_u), (mine.partner, me, theirs.sends_u)):
            assert not goes or has_u[sender]
            has_u[receiver] |= goes
        at[me] += 1
        at[mine.partner] += 1
    assert all(has_u)


@pytest.mark.parametrize("bcast", range(4))
@pytest.mark.parametrize("columns", range(2, 12))
def test_rings_reach_every_column_once(bcast: int, columns: int) -> None:
    sent = [(me, to) for me in range(columns) for to in rings.ring(bcast, columns, me)[1]]
    received = [(rings.ring(bcast, columns, me)[0], me) for me in range(1, columns)]
    assert sorted(sent) == sorted(received)


@pytest.mark.parametrize("bcast", [4, 5])
@pytest.mark.parametrize("columns", range(2, 10))
@pytest.mark.parametrize("elements", [1, 5, 100])
def test_long_broadcasts_bring_every_piece(bcast: int, columns: int, elements: int) -> None:
    """Pieces are scattered and rolled, with messages of no elements included; finally everyone has the whole panel."""
    rounds: list[list[Round | None]] = [list(rings.long_rounds(bcast, columns, me, elements)) for me in range(columns)]
    held = [set(range(elements)) if me == 0 else set() for me in range(columns)]
    carry_out(rounds, held)
    assert all(len(rows) == elements for rows in held)


@pytest.mark.parametrize("rfact", range(3))
@pytest.mark.parametrize(("width", "nbmin", "ndiv"), [(1, 1, 2), (7, 2, 2), (24, 4, 3), (120, 2, 2)])
def test_recursion_updates_every_column_with_all_to_its_left(rfact: int, width: int, nbmin: int, ndiv: int) -> None:
    """When NBMIN columns are factored, the rows below have been updated with each column to the left exactly once."""
    updated = np.zeros((width, width), int)
    factored = 0
    for kind, columns, left, _ in steps(Variant(100, width, 1, 1, nbmin=nbmin, ndiv=ndiv, rfact=rfact), 0, width):
        if kind is Kind.UPDATE:
            updated[left, columns] += 1
        elif kind is Kind.COLUMNS:
            assert columns.start == factored
            assert length(columns) <= nbmin
            assert (updated[: columns.start, columns] == 1).all()
            factored = columns.stop
    assert factored == width


def test_published_traffic_is_that_of_the_formulas() -> None:
    """N=20,000 on 12×12: as many MPI_Irecv as the published trace shows, 26·N and 132 for each roll (774,232)."""
    n, nb, p, q = 20000, 120, 12, 12
    pivots = sum(
        sum(1 for each in exchange_steps(p, me, nb) if each.send is not None and each.receive is not None)
        for me in range(p)
    )
    assert pivots == 26
    rows = [nb - 1] + [0] * (p - 1)
    rows[5] = 1
    bounds, _ = sort_by_rows(rows, 0)
    rolled = sum(sum(1 for each in roll(equilibrate(bounds, me)[1], me) if length(each.receive)) for me in range(p))
    assert rolled == p * (p - 1)
    pairs = 0
    for first in range(0, n, nb):
        below = min(first + nb, n)
        left = [local_count(n + 1, nb, c, q) - local_count(below, nb, c, q) for c in range(q)]
        pairs += sum(columns > 64 for columns in left)
    assert pivots * n + rolled * pairs == 774_232
