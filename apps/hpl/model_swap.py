"""Row exchange and update of the model, as schedules shared by all processes of a row."""

from typing import NamedTuple

from exchange import exchange
from rounds import Round, length, roll
from spread import equilibrate, sort_by_rows, spread_right

import pysmpi

DOUBLE = 8  # bytes
SWAPS = 2  # tag


class Traffic(NamedTuple):
    """Exchange with a partner: numbers of rows of U, and of packed rows, which contain one number more."""

    partner: int
    sent: tuple[int, int]
    received: tuple[int, int]


class Copy(NamedTuple):
    """Call of a routine that copies rows (HPL_dlaswp01T …)."""

    routine: str
    rows: int


Part = Traffic | Copy


class Stage(NamedTuple):
    """Part of an exchange; between two stages, HPL looks for another panel.

    Its sizes are the number of columns, the seconds of each copy and, in the last stage, those of dtrsm and dgemm.
    """

    schedule: pysmpi.Schedule
    copies: tuple[Copy, ...]
    updates: bool


@pysmpi.shared_cache
def swap(
    my_row: int, current_row: int, rows_from: tuple[int, ...], spreads: bool, evens: bool, at_once: bool, copies: bool
) -> tuple[Stage, ...]:
    """Return the stages of an exchange with its update.

    Args:
        my_row: process row of the caller.
        current_row: process row that holds the diagonal block.
        rows_from: number of rows of U that come from each process row.
        spreads: whether rows are exchanged by spread and roll, not by binary exchange.
        evens: whether pieces of U are equilibrated.
        at_once: whether all stages are merged into one.
        copies: whether the copies of rows take time.
    """
    parts = _spread(rows_from, my_row, current_row, evens) if spreads else _exchange(rows_from, my_row, current_row)
    if not copies:
        parts = [[part for part in stage if isinstance(part, Traffic)] for stage in parts]
    if at_once:
        parts = [[part for stage in parts for part in stage]]
    parts = parts or [[]]  # a single process row exchanges nothing
    return tuple(_stage(stage, index == len(parts) - 1) for index, stage in enumerate(parts))


def _stage(parts: list[Part], updates: bool) -> Stage:
    copies = tuple(part for part in parts if isinstance(part, Copy))
    sizes = 1 + len(copies) + 2 * updates

    def only(index: int, amount: float = 1) -> tuple[float, ...]:
        return tuple(amount if place == index else 0 for place in range(sizes))

    schedule = pysmpi.Schedule(sizes=sizes)
    done = 0
    for part in parts:
        if isinstance(part, Copy):
            done += 1
            schedule.execute(0.0, per=only(done))
            continue
        (u_sent, packed_sent), (u_received, packed_received) = part.sent, part.received
        if u_received or packed_received:
            per = only(0, DOUBLE * (u_received + packed_received))
            schedule.receive(None, part.partner, SWAPS, amount=DOUBLE * packed_received, per=per)
        if u_sent or packed_sent:
            per = only(0, DOUBLE * (u_sent + packed_sent))
            schedule.send(None, part.partner, SWAPS, blocking=True, amount=DOUBLE * packed_sent, per=per)
        schedule.wait()
    for index in range(done + 1, sizes):
        schedule.execute(0.0, per=only(index))
    return Stage(schedule, copies, updates)


def _spread(rows_from: tuple[int, ...], my_row: int, current_row: int, evens: bool) -> list[list[Part]]:
    """Return the stages of spread, equilibrate and roll, with the copies of HPL_pdlaswp01T."""
    bounds, process = sort_by_rows(list(rows_from), current_row)
    me = process.index(my_row)
    spreading = spread_right(bounds, me)
    evening, even = equilibrate(bounds, me) if evens else ([], bounds)

    def traffic(rounds: list[Round | None]) -> list[list[Part]]:
        return [
            []
            if each is None or not length(each.send) + length(each.receive)
            else [Traffic(process[each.partner], (length(each.send), 0), (length(each.receive), 0))]
            for each in rounds
        ]

    stages = traffic([*spreading, *evening, *roll(even, me)])
    if stages:
        copied = Copy("dlaswp01t", sum(rows_from)) if me == 0 else Copy("dlaswp06t", rows_from[my_row])
        stages[0 if me == 0 else len(spreading) - 1].insert(0 if me == 0 else 1, copied)
        stages[-1].append(Copy("dlaswp10n", sum(rows_from)))
    return stages


def _exchange(rows_from: tuple[int, ...], my_row: int, current_row: int) -> list[list[Part]]:
    """Return the stages of the binary exchange, with the copies of HPL_pdlaswp00T."""
    p, width = len(rows_from), sum(rows_from)
    me = (my_row - current_row) % p
    packed = [rows_from[(current_row + distance) % p] for distance in range(p)]
    packed[0] = 0
    power = 1 << (p.bit_length() - 1)
    has_u, gathered = me == 0, packed[me]
    stages: list[list[Part]] = []
    for stage in exchange(p, me, packed):
        parts: list[Part] = []
        if not stages:
            parts.append(Copy("dlaswp01t", width) if has_u else Copy("dlaswp02n", gathered))
        for each in stage:
            sent = width * each.sends_u, length(each.send)
            received = width * each.receives_u, length(each.receive)
            if (sent, received) == ((0, 0), (0, 0)):
                continue
            parts.append(Traffic((each.partner + current_row) % p, sent, received))
            if each.receives_u and me < power:
                parts.append(Copy("dlaswp04t", gathered))
                has_u = True
            elif has_u and received[1]:
                parts.append(Copy("dlaswp03t", received[1]))
            else:
                gathered += received[1]
        stages.append(parts)
    if me >= power:  # such a process row takes part through a partner, which sends all of U at the end
        stages[-1].append(Copy("dlaswp05t", gathered))
    return stages
