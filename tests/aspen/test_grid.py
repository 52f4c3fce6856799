"""Neighbours on grids of ranks."""

import pytest

from pysmpi.aspen.grid import Neighbour, neighbours


@pytest.mark.parametrize(
    ("modifiers", "messages"),
    [(["face"], 288), ([], 936), (["periodic"], 1664), (["face", "periodic"], 384), (["pwave"], 468), (["NWave"], 468)],
)
def test_messages_on_a_cube_of_64_ranks(modifiers: list[str], messages: int) -> None:
    """Each rank receives from another one what that one sends to it, in the same order."""
    lists = [neighbours(rank, (4, 4, 4), 10.0, modifiers) for rank in range(64)]
    assert sum(len(sent) for sent, _ in lists) == messages
    for rank, (sent, _) in enumerate(lists):
        for other in {each.rank for each in sent}:
            outgoing = [each.elements for each in sent if each.rank == other]
            assert outgoing == [each.elements for each in lists[other][1] if each.rank == rank]


def test_sizes() -> None:
    sent, _ = neighbours(13, (3, 3, 3), 10.0, [])
    assert sorted(each.elements for each in sent) == [1.0] * 8 + [10.0] * 12 + [100.0] * 6
    nodal, _ = neighbours(13, (3, 3, 3), 10.0, ["nodal"])
    assert sorted(each.elements for each in nodal) == [1.0] * 8 + [20.0] * 12 + [400.0] * 6
    assert neighbours(0, (3,), 10.0, ["face"])[0] == [Neighbour(1, 1.0)]
    assert {each.rank for each in neighbours(0, (3, 3), 10.0, ["face"])[0]} == {1, 3}
