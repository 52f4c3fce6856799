"""Statements that send most, and the kind of exchange of each: halo, broadcast, sum, transposition, gather."""

from dataclasses import dataclass

import numpy as np

from pysmpi.estimates.value_flow import Flow
from pysmpi.estimates.word_count import Traffic

__all__ = ["StatementWords", "sending_statements"]

_BROADCAST = 3  # mean number of readers of a value from which on an exchange is called a broadcast
_FEW_NEIGHBOURS = 26  # number of neighbours of a block in three dimensions, across faces, edges and corners
_UNEVEN = 4  # with a larger ratio of the largest to the smallest message, an exchange is not called a transposition


@dataclass(frozen=True)
class StatementWords:
    """Words that a statement needs from other nodes.

    Attributes:
        place: the statement as ``file:line``.
        what: kind of the exchange: "halo", "broadcast", "sum", "transposition" or a similar phrase.
        words: words (8 bytes) in a steady step (such as a time step), or in the run if no repeated steps were found.
        number: index of the statement in `pysmpi.estimates.record.Record.statements`.
    """

    place: str
    what: str
    words: int
    number: int


def sending_statements(flow: Flow, traffic: Traffic) -> list[StatementWords]:
    """Return the statements that need words from other nodes, the one that needs most first.

    Args:
        flow: data-flow graph of the run.
        traffic: messages of one cut. Those of the last steady step count, or all if no repeated steps were found.
    """
    traffic = traffic.in_step(flow)
    statement = flow.statement_of(traffic.at)
    found = []
    for number in np.unique(statement):
        chosen = statement == number
        found.append(
            StatementWords(
                flow.recorder.statements[number].place,
                _kind(traffic, chosen),
                int(traffic.words[chosen].sum()),
                int(number),
            )
        )
    return sorted(found, key=lambda each: (-each.words, each.place))


def _kind(traffic: Traffic, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    partial = traffic.words[chosen & traffic.partial].sum()
    if 2 * partial > traffic.words[chosen].sum():
        return "sum over all" if len(np.unique(traffic.sender[chosen])) >= traffic.nodes - 1 else "sum"
    value, sender, receiver = (each[chosen] for each in (traffic.value, traffic.sender, traffic.receiver))
    readers = np.bincount(np.unique(value, return_inverse=True)[1].reshape(-1))
    if traffic.nodes > 3 and readers.mean() >= _BROADCAST:
        return "broadcast" if readers.mean() >= 0.9 * (traffic.nodes - 1) else "broadcast to a part of the nodes"
    pairs, number = np.unique(sender * np.int64(traffic.nodes) + receiver, return_inverse=True)
    neighbours = np.bincount(pairs // traffic.nodes)
    amounts = np.bincount(number.reshape(-1), traffic.words[chosen])
    if amounts.max() > _UNEVEN * amounts.min() and neighbours.max() <= _FEW_NEIGHBOURS:
        return "halo"  # faces, edges and corners of blocks, even if all blocks touch each other
    if neighbours.max() <= min(_FEW_NEIGHBOURS, max(traffic.nodes - 2, 2)) and traffic.nodes > 2:
        return "halo"
    if len(pairs) >= 0.5 * traffic.nodes * (traffic.nodes - 1) and traffic.nodes > 2:
        return "transposition"
    return "halo" if traffic.nodes == 2 else "gather by index"
