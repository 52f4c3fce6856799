"""Numbers of parts: parts that exchange are near."""

import numpy as np
import pytest
import scipy.sparse

from pysmpi.estimates.part_numbering import distance, part_numbers


def grid(rows: int, columns: int) -> scipy.sparse.csr_matrix:
    """Return what the points of a grid exchange with their neighbours."""
    line = [scipy.sparse.diags([1.0, 1.0], [-1, 1], shape=(n, n)) for n in (rows, columns)]
    return scipy.sparse.kronsum(line[1], line[0]).tocsr()


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 2), (3, 1), (1, 16), (5, 7), (8, 8), (16, 32)])
def test_points_of_a_grid_in_random_order(rows: int, columns: int) -> None:
    """Numbers are about as near as those of the points line by line."""
    order = np.random.default_rng(1).permutation(rows * columns)
    exchanged = grid(rows, columns)
    found = part_numbers(exchanged[order][:, order])
    assert sorted(found) == list(range(rows * columns))
    by_line = distance(exchanged, np.arange(rows * columns, dtype=np.int32))
    assert distance(exchanged[order][:, order], found) <= 1.05 * by_line


def test_ring() -> None:
    """A ring in the order 0, 2, 1, 3 is divided into neighbours."""
    ring = np.zeros((4, 4))
    for one, other in ((0, 2), (2, 1), (1, 3), (3, 0)):
        ring[one, other] = ring[other, one] = 1
    found = part_numbers(scipy.sparse.csr_matrix(ring))
    assert {found[0] // 2, found[1] // 2} == {0, 1}
    assert distance(scipy.sparse.csr_matrix(ring), found) == 2 * (1 + 1 + 2 + 2)


def test_parts_that_exchange_nothing() -> None:
    assert sorted(part_numbers(scipy.sparse.csr_matrix((5, 5)))) == [0, 1, 2, 3, 4]
    apart = scipy.sparse.block_diag([np.ones((3, 3)) - np.eye(3)] * 100).tocsr()
    found = part_numbers(apart)
    assert sorted(found) == list(range(300))
