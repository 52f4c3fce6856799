"""Selectors: whatever they choose gives the right results, on one rank a node and on several, evenly placed or not."""

import pytest
from collective_choices import RANKS
from test_results import _by_vectors, _rooted, _unrooted

from pysmpi.study.collectives import COMPARED

PLACES = {
    "a rank a node": lambda rank, ranks: rank,
    "nodes of four": lambda rank, ranks: rank // 4,
    "round the nodes": lambda rank, ranks: rank % max(1, ranks // 4),
    "uneven nodes": lambda rank, ranks: int(rank**0.5),
    "one node": lambda rank, ranks: 0,
}


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("selector", COMPARED)  # test_best.py is about the one left out
@pytest.mark.parametrize("ranks", RANKS)
def test_results_are_right(run, ranks, selector, places):
    """All operations, with lengths on either side of the tables' limits."""
    nodes = [PLACES[places](rank, ranks) for rank in range(ranks)]
    cfg = {"smpi/coll-selector": selector}
    run(_rooted, ranks, [0, 1, 300, 20_000], cfg=cfg, nodes=nodes)
    run(_unrooted, ranks, [0, 1, 300, 20_000 // ranks], cfg=cfg, nodes=nodes)
    run(_by_vectors, ranks, 500, cfg=cfg, nodes=nodes)
