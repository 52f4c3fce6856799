"""Repeated steps of a record: each is counted, and a few of them are stored.

While a program runs, the end of its record is compared with what comes before it. Five periods of statements in a row
whose values live in the same places, and whose edges join the same elements, are a repetition. The third one is removed
then, and the order of execution has the statements of the second once more instead. Example: a loop of 1,000 equal
steps leaves six steps or so in the record, one of which is executed nearly 1,000 times.

The arrays of the program keep the numbers of all values, also of removed ones; see `pysmpi.estimates.numbering`.
"""

import bisect
from dataclasses import dataclass
from typing import Any

import numpy as np

from pysmpi.estimates.consumers import only_consumers
from pysmpi.estimates.record import Array, Record

__all__ = ["Repeats"]

_PERIODS = 5  # equal periods that are seen before the third is removed; the last ones can differ in what reads them
_TRIED = 64  # lengths of a period that are compared
_LEAST_EDGES = 200_000  # edges that a record has, or gets, before periods are searched
_ATTEMPTS = 16  # searches, at least, until the memory is full


@dataclass(frozen=True)
class _Span:
    """Part of a record: first event, value and edge, and their ends."""

    events: tuple[int, int]
    values: tuple[int, int]
    edges: tuple[int, int]


class Repeats:
    """Search for repeated steps in a record that grows.

    Args:
        record: the record.
        memory: edges that fit into the memory.
    """

    def __init__(self, record: Record, memory: float) -> None:
        self._record = record
        self._longest_wait = max(memory / _ATTEMPTS, _LEAST_EDGES)
        self._next = _LEAST_EDGES  # edges from which on the record is searched again
        self._known: dict[tuple[int, int], int] = {}  # periods, by statement and mark of their last event

    def remove(self) -> None:
        """Remove steps that are repeated at the end of the record; no statement is being recorded now.

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
        """Return the least number of events that are repeated at the end of the record, or 0."""
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
        """Return whether the record ends with equal periods of a number of events."""
        spans = self._spans(period)
        if not (spans and self._alike(spans[0], spans[1]) and self._alike(spans[1], spans[2])):
            return False
        return not self._moves_on(*spans[1:4])

    def _spans(self, period: int) -> list[_Span]:
        """Return the last periods of the record; none if it has fewer, or if their statements differ."""
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
        """Return whether a period is the repetition of the one before it: equal places, kinds, work and edges."""
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
        """Return whether temporaries with one consumer pass values to other elements from step to step.

        In `x = np.roll(x, 1) - w`, each value is part of the computation of one value of the last step, and the number
        of steps decides of which element. So all steps have to be stored.
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
        """Return the values that steer and the random draws of a period, relative to its beginning."""
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
        """Remove a period; the one before it is executed instead."""
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
    """Return the slice of the values that steer in some events."""
    return slice(*(bisect.bisect_left(steering, at, key=lambda each: each[1]) for at in (begin, end)))


def _numbers(column: Any) -> Array:
    """Return a view of a column, which has to end before the column grows."""
    return np.frombuffer(column, column.typecode)


def _execute_before(executed: Any, begin: int, period: int) -> None:
    """Subtract a period from the events from `begin` on in the order of execution; all of them are at its end."""
    order = _numbers(executed)
    length = min(2 * period, len(order))
    while length < len(order) and order[-length] >= begin:
        length = min(2 * length, len(order))
    tail = order[len(order) - length :]
    tail[tail >= begin] -= period


def _shifted(column: Any, first: tuple[int, int], second: tuple[int, int], by: int, own: int) -> bool:
    """Return whether the numbers of one period are those of the period before, plus `by`.

    Numbers from before the period that precedes the earlier one, which begins at `own`, have to be equal instead.
    """
    numbers = _numbers(column)
    before, after = numbers[slice(*first)], numbers[slice(*second)]
    return bool(np.array_equal(after, before + np.where(before >= own - by, by, 0)))


def _lower(column: Any, begin: int, least: int, by: int) -> None:
    """Subtract from the numbers of a column from position `begin` on that are not below `least`."""
    numbers = _numbers(column)[begin:]
    numbers[numbers >= least] -= by
