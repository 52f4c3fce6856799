"""Rounds of HPL's phases: the partner and the part of a buffer that a process exchanges in each round.

Rounds are described independently of data. Real arithmetic executes them on its arrays; the published model hands them
over at once as a `pysmpi.Schedule`.
"""

from typing import NamedTuple


class Round(NamedTuple):
    """One exchange with a partner: the receive is posted, the part is sent, and both are completed (HPL_sdrv).

    Each phase numbers partners in its own way. A part is None if there is no message. Empty parts cause no message
    either, except in long broadcasts.
    """

    partner: int
    send: slice | None = None
    receive: slice | None = None


def length(part: slice | None) -> int:
    """Return the number of elements of a part."""
    return 0 if part is None else int(part.stop - part.start)


def powers_down(count: int) -> list[int]:
    """Return the powers of two below `count`, largest first: the steps of a binary tree of `count` processes."""
    return [1 << bit for bit in reversed(range((count - 1).bit_length()))]


def roll(bounds: list[int], me: int) -> list[Round]:
    """Return the rounds that pass each position's piece to all others, between neighbours in turn."""
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
