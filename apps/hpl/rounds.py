"""What the phases of HPL say of their messages: with whom a process exchanges which part of a buffer, round by round.

The phases describe their rounds here, apart from any data: real arithmetic carries them out on its arrays, the
published model hands them over at once as a `pysmpi.Schedule`.
"""

from typing import NamedTuple


class Round(NamedTuple):
    """One exchange with a partner: the receive is posted, the part sent, and both are waited for (HPL_sdrv).

    Partners are numbered as the phase says. A part is None when there is no such message; one of no elements is none
    either, but in the long broadcasts.
    """

    partner: int
    send: slice | None = None
    receive: slice | None = None


def length(part: slice | None) -> int:
    """How many elements a part has."""
    return 0 if part is None else int(part.stop - part.start)


def powers_down(count: int) -> list[int]:
    """Return the powers of two below `count`, the largest first: the steps of a binary tree of so many processes."""
    return [1 << bit for bit in reversed(range((count - 1).bit_length()))]


def roll(bounds: list[int], me: int) -> list[Round]:
    """Return each position's piece goes round to all, between neighbours in turn; one entry a round."""
    count = len(bounds) - 1
    rounds = []
    for turn in range(count - 1):
        ahead = turn // 2
        if (me + turn) % 2:
            sent, received, partner = (me + ahead) % count, (me - ahead - 1) % count, (me - 1) % count
        else:
            sent, received, partner = (me - ahead) % count, (me + ahead + 1) % count, (me + 1) % count
        rounds.append(
            Round(partner, slice(bounds[sent], bounds[sent + 1]), slice(bounds[received], bounds[received + 1]))
        )
    return rounds
