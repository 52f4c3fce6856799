"""Rows that the pivots of a panel take from each process row."""

from random import Random

import pysmpi


@pysmpi.shared_cache
def random_pivots(seed: int, p: int, current_row: int, holders: int, width: int) -> tuple[int, ...]:
    """Return the number of a panel's pivots in each process row, drawn at random.

    In a random matrix, each of the `holders` process rows that still hold rows of the matrix, from the current one on,
    is equally likely to hold the pivot of a column. Panels with the same current row have the same numbers.
    """
    generator = Random(f"{seed} {current_row} {holders} {width}")
    rows = [0] * p
    for _ in range(width):
        rows[(current_row + generator.randrange(holders)) % p] += 1
    return tuple(rows)


def published_pivots(p: int, current_row: int, pivots_afar: bool, width: int) -> tuple[int, ...]:
    """Return the number of a panel's pivots in each process row in the published model.

    With `pivots_afar`, one pivot is in process row 0 although that is not the current row, which has the others.
    """
    rows = [0] * p
    rows[current_row] = width - pivots_afar
    rows[0] += pivots_afar
    return tuple(rows)
