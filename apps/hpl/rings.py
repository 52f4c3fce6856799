"""The broadcast of a factored panel along the process rows, in HPL's six ways.

The rings pass the whole panel on from neighbour to neighbour: one ring; two rings, of one half of the columns each; and
with an M, the modified forms, where the column after the root, which factors the next panel, gets it first and need not
pass it on. The long broadcasts cut the panel in as many pieces as there are columns, scatter them along a binary tree
and let them go round (spread and roll); in BlongM the next column gets the panel whole, before all others.

Columns are numbered by their distance from the root. A process looks now and then whether its panel has come (this is
what HPL_bcast does) and only then receives it, so that it may go on updating meanwhile; the long broadcasts wait.
"""

from rounds import Round, powers_down, roll
from variant import LONG, LONG_M, ONE_RING, ONE_RING_M, TWO_RING


def ring(bcast: int, columns: int, me: int) -> tuple[int | None, list[int]]:
    """From whom the column at this distance gets the panel (None for the root), and to whom it sends it, in order."""
    ahead = me + 1
    if bcast == ONE_RING:
        return (None, [1]) if me == 0 else (me - 1, [ahead] if ahead < columns else [])
    if bcast == ONE_RING_M:
        if me == 0:
            return None, [1, 2] if columns > 2 else [1]
        return (0 if me <= 2 else me - 1), [ahead] if me > 1 and ahead < columns else []
    half = (columns + 1) // 2  # where the second ring begins
    if bcast == TWO_RING:
        if me == 0:
            return None, [1, half] if columns > 2 else [1]
        return (0 if me == half else me - 1), [ahead] if ahead not in (half, columns) else []
    if me == 0:
        return None, [1] if columns == 2 else [1, half] if half == 2 else [1, 2, half]
    return (0 if me in (2, half) else me - 1), [ahead] if me > 1 and ahead not in (half, columns) else []


def is_long(bcast: int) -> bool:
    """Return whether it goes in pieces, and processes wait for them."""
    return bcast in (LONG, LONG_M)


def long_rounds(bcast: int, columns: int, me: int, elements: int) -> list[Round]:
    """Return the rounds of a long broadcast of so many elements; sends are synchronous, and none is left out."""
    if bcast == LONG_M:
        whole = slice(0, elements)
        first = [Round(1, send=whole)] if me == 0 else [Round(0, receive=whole)] if me == 1 else []
        if me == 1 or columns == 2:
            return first
        others = [0, *range(2, columns)]
        rest = long_rounds(LONG, columns - 1, me - 1 if me else 0, elements)
        return first + [Round(others[partner], send, receive) for partner, send, receive in rest]
    each = max(elements // columns, 1)
    starts = [min(i * each, elements) for i in range(columns)] + [elements]
    rounds = []
    steps = powers_down(columns)
    left, piece, mask = me, steps[0], 2 * steps[0] - 1
    for step in steps:
        mask ^= step
        partner = me ^ step
        if me & mask == 0:
            part = slice(starts[min(piece, columns)], starts[min(piece + step, columns)])
            if me & step:
                rounds.append(Round(partner, receive=part))
            elif partner < columns:
                rounds.append(Round(partner, send=part))
        if left < step:
            piece -= step // 2
        else:
            left -= step
            piece += step // 2
    return rounds + roll(starts, me)
