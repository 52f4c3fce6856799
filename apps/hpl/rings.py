"""Broadcast of a factored panel along the process rows, in HPL's six variants.

Rings pass the whole panel from neighbour to neighbour: either one ring, or two rings of half the columns each. In the
modified forms (M), the column after the root, which factors the next panel, receives it first and need not pass it on.
Long broadcasts cut the panel into one piece per column, scatter the pieces along a binary tree, and pass them around
(spread and roll). In BlongM, the next column receives the whole panel before all others.

Columns are numbered by their distance from the root. In rings, a process looks from time to time whether its panel has
arrived (as HPL_bcast does) and only then receives it, so that it can update meanwhile. Long broadcasts wait.
"""

from rounds import Round, powers_down, roll
from variant import LONG, LONG_M, ONE_RING_M, TWO_RING, TWO_RING_M


def ring(bcast: int, columns: int, me: int) -> tuple[int | None, list[int]]:
    """Return the sender of the panel for a column (None for the root), and the receivers in order."""
    half = (columns + 1) // 2  # start of the second ring
    starts = {1}  # columns that receive from the root; each but a privileged column 1 begins a ring
    if bcast in (ONE_RING_M, TWO_RING_M) and columns > 2:
        starts.add(2)
    if bcast in (TWO_RING, TWO_RING_M) and columns > 2:
        starts.add(half)
    if me == 0:
        return None, sorted(starts)
    ahead = me + 1
    passes = ahead < columns and ahead not in starts
    return (0 if me in starts else me - 1), [ahead] if passes else []


def is_long(bcast: int) -> bool:
    """Return whether the panel is sent in pieces, for which processes wait."""
    return bcast in (LONG, LONG_M)


def long_rounds(bcast: int, columns: int, me: int, elements: int) -> list[Round]:
    """Return the rounds of a long broadcast of `elements` elements; sends are synchronous, and none is omitted."""
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
