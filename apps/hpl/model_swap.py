"""Row exchange and update of the published model, as schedules shared by all processes of a row."""

from exchange import exchange
from rounds import length, roll
from spread import equilibrate, sort_by_rows, spread_right

import pysmpi

DOUBLE = 8  # bytes
SWAPS = 2  # tag

Traffic = tuple[int, tuple[int, int], tuple[int, int]]  # partner; rows of U and packed rows sent; same, received


@pysmpi.shared_cache
def swap(
    p: int, my_row: int, current_row: int, width: int, pivots_afar: bool, spreads: bool, evens: bool, at_once: bool
) -> tuple[pysmpi.Schedule, ...]:
    """Return the stages of an exchange with its update; between stages, HPL looks for another panel.

    The sizes of a stage are the number of columns and the seconds of dtrsm and dgemm. With `at_once`, all stages are
    merged into one. With `evens`, pieces of U are equilibrated.
    """
    rows_from = [0] * p  # rows of U
    rows_from[current_row] = width - pivots_afar
    rows_from[0] += pivots_afar
    if spreads:
        rounds = _spread(rows_from, my_row, current_row, evens)
    else:
        rounds = _exchange(rows_from, my_row, current_row, width)
    if at_once:
        rounds = [[each for stage in rounds for each in stage]]
    stages = []
    for stage in rounds or [[]]:  # a single process row exchanges nothing
        schedule = pysmpi.Schedule(sizes=3)
        for partner, (u_sent, packed_sent), (u_received, packed_received) in stage:
            # A packed row contains one number more than a row of U.
            if u_received or packed_received:
                per_column = DOUBLE * (u_received + packed_received)
                schedule.receive(None, partner, SWAPS, amount=DOUBLE * packed_received, per=(per_column, 0, 0))
            if u_sent or packed_sent:
                per_column = DOUBLE * (u_sent + packed_sent)
                schedule.send(None, partner, SWAPS, blocking=True, amount=DOUBLE * packed_sent, per=(per_column, 0, 0))
            schedule.wait()
        stages.append(schedule)
    stages[-1].execute(0.0, per=(0, 1, 0))
    stages[-1].execute(0.0, per=(0, 0, 1))
    return tuple(stages)


def _spread(rows_from: list[int], my_row: int, current_row: int, evens: bool) -> list[list[Traffic]]:
    """Return the stages of spread, equilibrate and roll."""
    bounds, process = sort_by_rows(rows_from, current_row)
    me = process.index(my_row)
    rounds = spread_right(bounds, me)
    if evens:
        evening, bounds = equilibrate(bounds, me)
        rounds += evening
    return [
        []
        if each is None or not length(each.send) + length(each.receive)
        else [(process[each.partner], (length(each.send), 0), (length(each.receive), 0))]
        for each in [*rounds, *roll(bounds, me)]
    ]


def _exchange(rows_from: list[int], my_row: int, current_row: int, width: int) -> list[list[Traffic]]:
    """Return the stages of the binary exchange."""
    p = len(rows_from)
    packed = [rows_from[(current_row + distance) % p] for distance in range(p)]
    packed[0] = 0
    stages = exchange(p, (my_row - current_row) % p, packed)
    traffic = [
        [
            (
                (each.partner + current_row) % p,
                (width * each.sends_u, length(each.send)),
                (width * each.receives_u, length(each.receive)),
            )
            for each in stage
        ]
        for stage in stages
    ]
    return [[each for each in stage if each[1:] != ((0, 0), (0, 0))] for stage in traffic]
