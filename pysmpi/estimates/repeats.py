"""Repeated steps of a record: all are counted, but only a few of them are stored.

While a program runs, the end of its record is compared with what comes before it. Five periods in a row with the same
statements are a repetition if the first three assign the same array elements and compute them from the same elements.
The third one is then removed, and the order of execution repeats the second instead. Example: a loop of 1,000 equal
steps leaves about six steps in the record, one of which is executed nearly 1,000 times.

The arrays of the program keep the numbers of all values, also of removed ones; see `pysmpi.estimates.numbering`.
"""

import bisect
from dataclasses import dataclass
from typing import Any

import numpy as np

from pysmpi.estimates.consumers import only_consumers
from pysmpi.estimates.record import Array, Record

__all__ = ["Repeats"]

_PERIODS = 5  # periods with equal statements; the last two are not compared further, since more may still read them
_TRIED = 64  # largest number of period lengths that a search tries
_LEAST_EDGES = 200_000  # least number of new edges between two searches
_ATTEMPTS = 16  # least number of searches until the memory is full


@dataclass(frozen=True)
class _Span:
    """Part of a record: ranges (first, end) of its executions, values and edges."""

    events: tuple[int, int]
    values: tuple[int, int]
    edges: tuple[int, int]


class Repeats:
    """Search for repeated steps, such as iterations of a time loop, in the record of a program while it runs.

    Args:
        record: record of the program's values and of the statements that compute them.
        memory: number of edges that fit into the memory.
    """

    def __init__(self, record: Record, memory: float) -> None:
        self._record = record
        self._longest_wait = max(memory / _ATTEMPTS, _LEAST_EDGES)
        self._next = _LEAST_EDGES  # number of edges at which the record is searched again
        self._known: dict[tuple[int, int], int] = {}  # length of a period, by statement and hash of its last execution

    def remove(self) -> None:
        """Remove steps that are repeated at the end of the record; to be called between two statements.

        A period that was found once is looked for whenever its last statement has run, so that an inner loop leaves the
        same iterations in each step around it.
        """
        record = self._record
        if not record.statement:
            return
        last = record.statement[-1], record.mark[-1]
        full = len(record.source) >= self._next
        period = self._known.get(last, 0)
        if not (period and self._is_repeated(period)):
            period = self._period() if full else 0
        if period:
            self._known[last] = period
            while self._is_repeated(period):
                self._remove(self._spans(period)[2])
            self._next = len(record.source) + _LEAST_EDGES
        elif full:
            before = len(record.source)
            self._next = before + int(min(max(before / 2, _LEAST_EDGES), self._longest_wait))

    def _period(self) -> int:
        """Return the number of executions in the shortest period that is repeated at the end of the record, or 0."""
        statement, mark = _numbers(self._record.statement), _numbers(self._record.mark)
        last = len(statement) - 1
        same = np.flatnonzero((statement == statement[last]) & (mark == mark[last]))
        for period in (last - same[-2 : -_TRIED - 2 : -1]).tolist():
            begin = len(statement) - _PERIODS * period
            if begin < 0:
                break
            if self._is_repeated(period):
                return int(period)
        return 0

    def _is_repeated(self, period: int) -> bool:
        """Return whether the record ends with five periods of `period` executions each, of which one can be removed."""
        spans = self._spans(period)
        if not (spans and self._alike(spans[0], spans[1]) and self._alike(spans[1], spans[2])):
            return False
        return not self._moves_on(*spans[1:4])

    def _spans(self, period: int) -> list[_Span]:
        """Return the parts of the record in its last five periods of `period` executions each.

        The list is empty if the record is shorter, or if statements or the elements that they assign differ.
        """
        record = self._record
        count = len(record.statement)
        bounds = [count - number * period for number in range(_PERIODS, -1, -1)]
        if bounds[0] < 0:
            return []
        for column in (record.statement, record.mark):
            numbers = _numbers(column)
            if not np.array_equal(numbers[bounds[0] : bounds[-2]], numbers[bounds[1] :]):
                return []
        values = np.searchsorted(_numbers(record.event), np.array(bounds, np.int32)).tolist()
        edges = [record.first_edge[each] for each in bounds[:-1]] + [len(record.source)]
        return [
            _Span(*((each[number], each[number + 1]) for each in (bounds, values, edges))) for number in range(_PERIODS)
        ]

    def _alike(self, first: _Span, second: _Span) -> bool:
        """Return whether a period repeats the one before it: equal element positions, kinds, work and edges."""
        record = self._record
        count = first.values[1] - first.values[0]
        if count == 0 or count != second.values[1] - second.values[0]:
            return False
        if first.edges[1] - first.edges[0] != second.edges[1] - second.edges[0]:
            return False
        for column in (record.home, record.kind, record.work, record.words):
            numbers = _numbers(column)
            if not np.array_equal(numbers[slice(*first.values)], numbers[slice(*second.values)]):
                return False
        period = first.events[1] - first.events[0]
        return (
            _shifted(record.event, first.values, second.values, period, 0)
            and _shifted(record.sink, first.edges, second.edges, count, first.values[0])
            and _shifted(record.source, first.edges, second.edges, count, first.values[0])
            and self._side_effects(first, count) == self._side_effects(second, count)
        )

    def _moves_on(self, first: _Span, second: _Span, third: _Span) -> bool:
        """Return whether temporary values that are used once pass on to other elements from step to step.

        In `x = np.roll(x, 1) - w`, each value is part of the computation of one value of the last step, and the number
        of steps decides to which element that one belongs. So all steps have to be stored.
        """
        record = self._record
        begin, end = first.values[0], second.values[1]
        edges = slice(first.edges[0], third.edges[1])
        source, sink = _numbers(record.source)[edges], _numbers(record.sink)[edges]
        inside = (source >= begin) & (source < end)
        consumer = only_consumers(source[inside] - begin, sink[inside], end - begin)
        passing = record.temporaries(begin, end) & (consumer >= 0)
        count = first.values[1] - begin
        start = np.flatnonzero(passing[:count] & (consumer[:count] >= second.values[0]))
        last = consumer[start] - begin
        while True:
            further = passing[last] & (consumer[last] < third.values[0])
            if not further.any():
                break
            last = np.where(further, consumer[last] - begin, last)
        again = passing[last]
        firsts = np.array([block.first for block in record.blocks])
        homes = _numbers(record.home)[begin:end]
        offsets = [
            homes[each] - firsts[np.searchsorted(firsts, homes[each], "right") - 1]
            for each in (start[again], last[again])
        ]
        return not np.array_equal(*offsets)

    def _side_effects(self, span: _Span, count: int) -> tuple[list[Any], list[int]]:
        """Return the values that decide what the program does and the executions that draw random numbers in a period.

        All numbers are relative to the beginning of the period, so that those of equal periods are equal.
        """
        record, (begin, end) = self._record, span.events
        first = span.values[0]
        steering = [
            (value - first if value >= first - count else (value,), event - begin)
            for value, event in record.steering[_part(record.steering, begin, end)]
        ]
        drawn = record.random_events
        inside = slice(*(bisect.bisect_left(drawn, at) for at in (begin, end)))
        return steering, [each - begin for each in drawn[inside]]

    def _remove(self, span: _Span) -> None:
        """Remove one period of a repetition from the record; the order of execution repeats the period before it."""
        record = self._record
        begin, end = span.events
        period, count, edges = (part[1] - part[0] for part in (span.events, span.values, span.edges))
        steering, drawn = record.steering, record.random_events
        del steering[_part(steering, begin, end)]
        record.steering = [
            (value - count if value >= span.values[0] else value, event - period if event >= begin else event)
            for value, event in steering
        ]
        record.random_events = [each - period if each >= begin else each for each in drawn if not begin <= each < end]
        for column in (record.home, record.kind, record.event, record.work, record.words):
            del column[slice(*span.values)]
        for column in (record.statement, record.mark, record.first_edge):
            del column[slice(*span.events)]
        for column in (record.source, record.sink):
            del column[slice(*span.edges)]
        _lower(record.event, span.values[0], 0, period)
        _lower(record.first_edge, begin, 0, edges)
        for column in (record.source, record.sink):
            _lower(column, span.edges[0], span.values[0], count)
        _execute_before(record.executed, begin, period)
        record.numbers.remove(*span.values)


def _part(steering: list[tuple[int, int]], begin: int, end: int) -> slice:
    """Return the slice of the list `Record.steering` with the executions from `begin` to `end`, without `end`."""
    return slice(*(bisect.bisect_left(steering, at, key=lambda each: each[1]) for at in (begin, end)))


def _numbers(column: Any) -> Array:
    """Return a NumPy view of a column. The column cannot grow until the view is freed."""
    return np.frombuffer(column, column.typecode)


def _execute_before(executed: Any, begin: int, period: int) -> None:
    """Subtract `period` from all numbers in `executed` that are `begin` or more.

    These numbers are at the end of the column, so it is searched from there.

    Args:
        executed: column of the record: numbers of executions in the order in which they ran.
        begin: least number that is changed.
        period: number of executions that were removed from the record.
    """
    order = _numbers(executed)
    length = min(2 * period, len(order))
    while length < len(order) and order[-length] >= begin:
        length = min(2 * length, len(order))
    tail = order[len(order) - length :]
    tail[tail >= begin] -= period


def _shifted(column: Any, first: tuple[int, int], second: tuple[int, int], by: int, own: int) -> bool:
    """Return whether the numbers of a column in one period are those in the period before, plus `by`.

    Numbers below `own` - `by` come from before both periods and their predecessor; they have to be equal in both.

    Args:
        column: column of the record.
        first, second: positions (first, end) of the two periods in the column.
        by: length of a period, in the unit of the numbers.
        own: number at which the first period begins.
    """
    numbers = _numbers(column)
    before, after = numbers[slice(*first)], numbers[slice(*second)]
    return bool(np.array_equal(after, before + np.where(before >= own - by, by, 0)))


def _lower(column: Any, begin: int, least: int, by: int) -> None:
    """Subtract `by` from the numbers of a column from position `begin` on, except from numbers below `least`."""
    numbers = _numbers(column)[begin:]
    numbers[numbers >= least] -= by
