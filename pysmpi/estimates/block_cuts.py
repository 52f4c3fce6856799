"""Cuts into blocks: each array is divided evenly along its axes, as programs with MPI usually do.

A cut assigns each element of an array to a node, its owner. Only the computed part of an array is divided, so that a
rim of boundary values does not unbalance the blocks. Arrays of one shape that are combined elementwise are divided
alike. Other arrays are divided along axes of their own, or their elements have the owners of the values computed from
them, whichever sends least.

If the work moves through an array, as in an LU factorisation, blocks that are dealt to the nodes in turn (block-cyclic)
balance it. Example: 8 rows on 2 nodes, in 4 parts, belong to the nodes 0 0 1 1 0 0 1 1.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.owners import NOBODY, Neighbours
from pysmpi.estimates.record import SUM, Array, Block
from pysmpi.estimates.value_flow import Flow
from pysmpi.estimates.word_count import Traffic, count_words, total_words

__all__ = ["BALANCED", "BLOCK_CUTS", "BlockCuts", "Cut", "Division", "Group", "factorisations"]

BLOCK_CUTS = ("blocks", "slabs", "cyclic")
"""Kinds of cuts that divide arrays along their axes: "blocks" along any axes, "slabs" along one axis of the arrays with
most work, and "cyclic", where blocks are dealt to the nodes in turn."""

SINKS, SOURCES, ONE = "with its readers", "with its sources", "on one node"
"""Options of arrays that are not divided into blocks: elements belong to the nodes that read them, to the nodes that
own the values they are computed from, or all to node 0."""

BALANCED = 1.1
"""Imbalance (computing time over that with evenly divided work) up to which cuts count as equally well balanced."""
_NEAR = 2  # largest distance along an axis of elements that are combined elementwise, as in a stencil
_CUBES = 6  # number of divisions with blocks nearest to cubes that are compared, besides those along one axis
_IMPROVED = 2  # number of best divisions of the arrays with most work for which those of other arrays are varied
_REPEATED = 4  # number of blocks of each node along each divided axis, in block-cyclic cuts
_BETTER = 0.05  # difference in imbalance from which on a cut counts as better balanced
_ROUNDS = 2  # number of times that a search tries all divisions of each group of arrays
_VARIOUS = 12  # largest number of divisions that `BlockCuts.divisions` returns
_FEW = 16  # elements per node below which a search first tries to let elements belong to the nodes that read them
_EFFORT = 500_000_000  # limit of a search for one number of nodes: edges of the data-flow graph times tried divisions
_LEAST_TRIED = 60  # number of divisions that may be tried from each start of a search, even if that exceeds _EFFORT

Factors = tuple[int, ...] | str
Scores = dict[tuple[Factors, ...], tuple[float, ...]]
"""Scores of cuts that were tried; a smaller score is better.

The key has an entry for each group of arrays: the number of blocks along each axis, or SINKS, SOURCES or ONE. The score
has three numbers: the imbalance, the words (of 8 bytes) that are sent, and the number of groups without blocks.
"""
Label = tuple[tuple[str, ...], int, int]
Division = dict[Label, Factors]
"""Way to divide the arrays of a program, for all problem sizes: for each group of arrays, the number of blocks along
each axis, or SINKS, SOURCES or ONE. A group is known by the names and the number of axes of its arrays, and by its
number among the groups with the same names and axes."""


@dataclass
class Group:
    """Arrays of one shape that are combined elementwise; they are divided alike.

    Attributes:
        shape: shape of the arrays.
        blocks: element positions of each array.
        low, high: for each axis, the first index that the program computes, and the last one plus one.
        names: names of the arrays in the program.
        computations: number of values that are computed in them.
        work: floating-point operations of these computations; adding an element to a sum counts where the element is.
    """

    shape: tuple[int, ...]
    blocks: list[Block]
    low: list[int]
    high: list[int]
    names: list[str]
    computations: int
    work: float

    @property
    def extent(self) -> list[int]:
        """Number of indices along each axis from the first to the last one that the program computes."""
        return [high - low for low, high in zip(self.low, self.high, strict=True)]


@dataclass
class Cut:
    """Assignment of all values of a program to nodes, which compute them, with the words that nodes then send.

    Attributes:
        by: kind of the cut: "blocks", "slabs", "cyclic", or the name of a partitioner's objective.
        nodes: number of nodes.
        owner: (vertices) node that owns each vertex: an element position, or a scalar that lives in no array.
        traffic: words that nodes send with this cut.
        blocks: number of blocks along each axis, by name of the array, for arrays that are divided into blocks.
        imbalance: time of all statements, each as long as its busiest node takes, over that with evenly divided work.
        serial: statement as ``file:line`` that one node computes alone, if it causes more than half of the time that
            nodes lose by imbalance; else None.
    """

    by: str
    nodes: int
    owner: Array
    traffic: Traffic
    blocks: dict[str, list[int]] = field(default_factory=dict)
    imbalance: float = 1.0
    serial: str | None = None

    def dominates(self, other: "Cut") -> bool:
        """Return whether this cut sends fewer words than another one, and has an imbalance at most 0.05 larger."""
        return self.traffic.total < other.traffic.total and self.imbalance - _BETTER <= other.imbalance


def factorisations(number: int, axes: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write a number as an ordered product of as many factors as there are axes.

    Example: 4 on two axes gives (1, 4), (2, 2) and (4, 1).
    """
    if axes == 1:
        yield (number,)
        return
    for first in range(1, number + 1):
        if number % first == 0:
            for rest in factorisations(number // first, axes - 1):
                yield (first, *rest)


class BlockCuts:
    """Search for the cut into blocks that sends the fewest words.

    Args:
        flow: data-flow graph of the program.
        names: name of each array's variable, by the number of the array's first element position.

    Attributes:
        groups: arrays that are divided alike, the largest ones first.
    """

    def __init__(self, flow: Flow, names: dict[int, str]) -> None:
        self._flow = flow
        self._near = Neighbours(flow)
        self.groups = _groups(flow, names)
        self._by_sources = self._feeders()
        vertex, event, work = flow.step_work()
        statement = flow.statement_of(event).astype(np.int64)
        self._work = vertex, statement, work
        self._largest = np.zeros(len(flow.recorder.statements))
        np.maximum.at(self._largest, statement, work / flow.step_times[event])
        self._last: tuple[Any, Scores] | None = None  # arguments and scores of the last search
        self._divided = 0  # index of the group with most work among those that can be divided into blocks

    def usual(self, nodes: int, factors: Sequence[int] | None = None) -> Cut:
        """Return the best cut into blocks that is found: arrays are divided evenly, into one block for each node.

        The best cut has the least imbalance, where all values up to `BALANCED` count as equal. Of equally balanced
        cuts, it sends the fewest words.

        Args:
            nodes: number of nodes.
            factors: number of blocks along each divided axis, or None to find it for each array.

        Raises:
            EstimateError: no array has as many elements as there are nodes, or the factors fit no array.
        """
        scores = self._searched(nodes, factors)
        choice = min(scores, key=lambda each: scores[each])
        return self._cut_into("blocks", nodes, choice)

    def slabs(self, nodes: int, usual: Cut) -> Division | None:
        """Return the best way to divide the arrays with most work along one axis only, into slabs; or None.

        Nodes mostly send more words than with blocks along several axes, but to fewer nodes, so slabs can take less
        time. The best way has the least imbalance; of several with equal imbalance, it sends the fewest words.

        Args:
            nodes: number of nodes.
            usual: cut that the method `usual` returned for this number of nodes.

        Returns:
            The division, or None if `usual` divides the arrays in the same way, or no axis is long enough.
        """
        scores = self._searched(nodes, None)
        found = [choice for choice in scores if nodes in choice[self._divided]]
        if not found:
            return None
        choice = min(found, key=lambda each: scores[each])
        return None if self._named(choice) == usual.blocks else dict(zip(self._labels(), choice, strict=True))

    def divisions(self, nodes: int, factors: Sequence[int] | None = None) -> list[Division]:
        """Return different ways to divide the arrays, the best one at this problem size first.

        They are compared at other sizes, where another one may send the fewest words. The arguments and errors are
        those of `usual`, whose cut divides the arrays in the first way.
        """
        labels = self._labels()
        return [dict(zip(labels, choice, strict=True)) for choice in _various(self._searched(nodes, factors))]

    def cut_by(self, nodes: int, division: Division, by: str = "blocks") -> Cut | None:
        """Return the cut that a division gives at this problem size.

        Args:
            nodes: number of nodes.
            division: number of blocks along each axis of the arrays, maybe found at another problem size.
            by: kind of the cut that is returned; see `Cut`.

        Returns:
            The cut, or None if an array has too few elements or the division is of a program with other arrays.
        """
        labels = self._labels()
        if division.keys() != set(labels):
            return None
        choice = tuple(division[label] for label in labels)
        for group, option in zip(self.groups, choice, strict=True):
            if not isinstance(option, str) and any(f > length for f, length in zip(option, group.extent, strict=True)):
                return None
        return self._cut_into(by, nodes, choice)

    def _cut_into(self, by: str, nodes: int, choice: Sequence[Factors]) -> Cut:
        return self.cut(by, nodes, self._owner(nodes, choice), self._named(choice))

    def _searched(self, nodes: int, factors: Sequence[int] | None) -> Scores:
        """Try ways to divide the groups of arrays, and return the score of each way that was tried.

        The arguments are those of `usual`. The result is stored, so that a second call with them does not search.

        Raises:
            EstimateError: no array has as many elements as there are nodes, or the factors fit no array.
        """
        asked = (nodes, None if factors is None else tuple(factors))
        if self._last is not None and self._last[0] == asked:
            return self._last[1]
        fitting = [list(self._options(group, nodes, factors)) for group in self.groups]
        if not any(fitting):
            most = max((group.extent for group in self.groups), key=math.prod, default=[0])
            what = "x".join(map(str, factors)) if factors else f"{nodes:,}"
            raise EstimateError(
                f"{self._flow.recorder.program}: the largest array that is computed has "
                f"{' x '.join(map(str, most))} elements, which {what} nodes cannot divide; take fewer nodes "
                "or a larger size"
            )
        main = self._divided = self._main(fitting)
        first = [self._first_choice(nodes, main, option, fitting) for option in fitting[main]]
        ranked = sorted((self._score(nodes, choice), number) for number, choice in enumerate(first))
        slabs = [each for each in ranked[_IMPROVED:] if max(fitting[main][each[1]]) == nodes]
        scores: Scores = {}
        for score, number in [*ranked[:_IMPROVED], *slabs]:
            scores[tuple(first[number])] = score
            self._improve(nodes, first[number], scores, fitting, main)
        self._last = (asked, scores)
        return scores

    def _labels(self) -> list[Label]:
        known: Counter[tuple[tuple[str, ...], int]] = Counter()
        found = []
        for group in self.groups:
            names, axes = tuple(sorted(group.names)), len(group.shape)
            found.append((names, axes, known[names, axes]))
            known[names, axes] += 1
        return found

    def cyclic(self, nodes: int, usual: Cut) -> list[Cut]:
        """Return up to two block-cyclic cuts, which deal blocks to the nodes in turn, with less imbalance than `usual`.

        Of the cuts whose imbalance is more than 0.05 smaller, these are the best balanced one, and the one that sends
        the fewest words if it is another one. None are tried if the imbalance of `usual` is at most `BALANCED`.

        Args:
            nodes: number of nodes.
            usual: cut that the method `usual` returned for this number of nodes.
        """
        if usual.imbalance <= BALANCED:
            return []
        options = [list(self._options(group, nodes, None)) for group in self.groups]
        main = self._main(options)
        found = []
        for option in options[main]:
            repeated = math.prod(_REPEATED for factor in option if factor > 1)
            if math.prod(self.groups[main].extent) < repeated * nodes:
                continue
            choice = self._first_choice(nodes, main, option, options)
            owner = self._owner(nodes, choice, _REPEATED)
            score = self._score_of(owner, nodes)
            if score[0] < usual.imbalance - _BETTER:
                found.append((score, choice, owner))
        found.sort(key=lambda each: each[0])
        least = min(found, key=lambda each: each[0][1], default=None)
        chosen = found[:1] if least is None or least is found[0] else [found[0], least]
        return [self.cut("cyclic", nodes, owner, self._named(choice)) for _, choice, owner in chosen]

    def _main(self, options: list[list[tuple[int, ...]]]) -> int:
        """Return the index of the group of arrays with most work among those that can be divided into blocks.

        Args:
            options: for each group, the possible numbers of blocks along its axes; empty if it cannot be divided.
        """
        return max(
            (number for number, each in enumerate(options) if each),
            key=lambda number: (self.groups[number].work, math.prod(self.groups[number].shape)),
        )

    def _named(self, choice: Sequence[Factors]) -> dict[str, list[int]]:
        return {
            name: list(option)
            for group, option in zip(self.groups, choice, strict=True)
            if not isinstance(option, str)
            for name in group.names
        }

    def cut(self, by: str, nodes: int, owner: Array, blocks: dict[str, list[int]] | None = None) -> Cut:
        """Return the cut with given owners, after counting the words that it sends and its imbalance.

        Args:
            by: kind of the cut; see `Cut`.
            nodes: number of nodes.
            owner: (vertices) node that owns each element position, or scalar that lives in no array.
            blocks: number of blocks along each axis, by name of the array, for arrays that are divided into blocks.
        """
        traffic = count_words(self._flow, owner, nodes)
        again = [traffic.again, traffic.again_node, traffic.again_at]
        loads = self._loads(owner, nodes)
        return Cut(by, nodes, owner, traffic, blocks or {}, self._imbalance(loads, again), self._serial(loads))

    def _imbalance(self, loads: Array, again: list[Array] | None = None) -> float:
        """Return the imbalance of a cut: the computing time of all statements over that with evenly divided work.

        Each statement takes as long as on its busiest node. Values that nodes compute themselves, instead of receiving
        them, take time, too.

        Args:
            loads: (statements, nodes) floating-point operations.
            again: values that nodes compute themselves, these nodes, and the executions that need the values; or None
                to leave them out.
        """
        if not loads.any():
            return 1.0
        ideal = np.maximum(loads.mean(axis=1), self._largest)
        if again is not None and len(again[0]):
            value, node, at = again
            cells = self._flow.statement_of(at) * np.int64(loads.shape[1]) + node
            repeated = self._flow.work_of(value) * self._flow.step_times[at]
            loads = loads + np.bincount(cells, repeated, minlength=loads.size).reshape(loads.shape)
        return float(loads.max(axis=1).sum() / ideal.sum())

    def _loads(self, owner: Array, nodes: int) -> Array:
        """Return the floating-point operations of each statement (row) on each node (column) in a step of the program.

        Args:
            owner: (vertices) node that owns each array element or scalar.
            nodes: number of nodes.
        """
        vertex, statement, work = self._work
        loads = np.bincount(statement * nodes + owner[vertex], work, minlength=len(self._largest) * nodes)
        return loads.reshape(-1, nodes)

    def _serial(self, loads: Array) -> str | None:
        excess = loads.max(axis=1) - loads.mean(axis=1)
        worst = int(excess.argmax())
        if 2 * excess[worst] <= excess.sum() or (loads[worst] > 0).sum() != 1:
            return None
        return self._flow.recorder.statements[worst].place

    def _feeders(self) -> Array:
        """Return a mask of the array elements and scalars whose values are only added up.

        Example: the products in a scalar product.
        """
        flow = self._flow
        other = np.zeros(flow.values, bool)
        other[flow.edges.source[(flow.kind[flow.edges.sink] & SUM) == 0]] = True
        fed = np.zeros(flow.values, bool)
        fed[flow.sums.source] = True
        feeding = np.zeros(flow.vertices, bool)
        feeding[flow.vertex[fed & ~other & flow.computed]] = True
        return feeding

    def _options(self, group: Group, nodes: int, factors: Sequence[int] | None) -> Iterator[tuple[int, ...]]:
        axes = len(group.shape)
        if factors is None:
            found: Iterator[tuple[int, ...]] = factorisations(nodes, axes)
        else:
            spread = [each for each in factors if each > 1] or [1]
            if len(factors) == axes and len(factors) > 1:
                found = iter([tuple(factors)])
            elif len(spread) <= axes and len(factors) <= max(axes, 1):
                found = _embedded(spread, axes)
            else:
                return
        fits = [each for each in found if all(f <= length for f, length in zip(each, group.extent, strict=True))]
        fits.sort(key=lambda each: sum(f / max(length, 1) for f, length in zip(each, group.extent, strict=True)))
        yield from fits[:_CUBES]
        yield from (each for each in fits[_CUBES:] if sum(factor > 1 for factor in each) == 1)

    def _first_choice(
        self, nodes: int, main: int, option: tuple[int, ...], fitting: list[list[tuple[int, ...]]]
    ) -> list[Factors]:
        choice: list[Factors] = []
        for group, options in zip(self.groups, fitting, strict=True):
            if math.prod(group.shape) < _FEW * nodes:
                choice.append(SINKS)
            else:
                choice.append(option if option in options else options[0] if options else SINKS)
        choice[main] = option
        return choice

    def _improve(
        self,
        nodes: int,
        choice: Sequence[Factors],
        scores: Scores,
        fitting: list[list[tuple[int, ...]]],
        main: int,
    ) -> None:
        """Improve a way to divide the groups of arrays step by step, and add the score of each try to `scores`.

        Each step divides one group, or two groups of equal shape, in another way, and keeps it if the score is smaller.

        Args:
            nodes: number of nodes.
            choice: the way at the start: for each group the number of blocks along its axes, or SINKS, SOURCES or ONE.
            scores: scores of all ways that were tried.
            fitting: for each group, the numbers of blocks along its axes that its shape allows.
            main: index of the group with most work, which is not changed.
        """
        changes: list[tuple[list[int], Factors]] = []
        for number, options in enumerate(fitting):
            if number != main:
                candidates: list[Factors] = [SINKS, SOURCES, ONE, *options]
                changes += [([number], option) for option in candidates]
        for pair in self._pairs():
            if main not in pair:
                options = [each for each in fitting[pair[0]] if max(each) == nodes and each in fitting[pair[1]]]
                changes += [(pair, option) for option in options]
        left = max(_EFFORT // (len(fitting[main]) * (len(self._flow.edges) + 1)), _LEAST_TRIED)
        best = scores[tuple(choice)]
        for numbers, option in changes * _ROUNDS:
            other = [option if number in numbers else each for number, each in enumerate(choice)]
            if tuple(other) in scores:
                continue
            scores[tuple(other)] = score = self._score(nodes, other, best)
            if score < best:
                best, choice = score, other
            left -= 1
            if left == 0:
                break

    def _pairs(self) -> list[list[int]]:
        """Return the indices of each two groups that have equal shapes and were created one after the other.

        The search also divides both in another way at once. Example: in Fourier transforms along two axes and back, an
        array is divided by rows for the first transform. The results of the last forward and the first inverse
        transform should both be divided by columns.
        """
        order = sorted(range(len(self.groups)), key=lambda number: self.groups[number].blocks[0].first)
        return [[a, b] for a, b in itertools.pairwise(order) if self.groups[a].shape == self.groups[b].shape]

    def _score(
        self, nodes: int, choice: Sequence[Factors], least: tuple[float, ...] = (math.inf,)
    ) -> tuple[float, ...]:
        """Return the score of a way to divide the arrays: imbalance, words, number of groups without blocks.

        Args:
            nodes: number of nodes.
            choice: for each group of arrays the number of blocks along its axes, or SINKS, SOURCES or ONE.
            least: best score so far. If its imbalance is smaller, the words are not counted, but infinite.
        """
        named = sum(isinstance(each, str) for each in choice)
        return (*self._score_of(self._owner(nodes, choice), nodes, least), named)

    def _score_of(self, owner: Array, nodes: int, least: tuple[float, ...] = (math.inf,)) -> tuple[float, ...]:
        loads = self._loads(owner, nodes)
        unbalanced = max(self._imbalance(loads), BALANCED)
        if unbalanced > least[0]:
            return unbalanced, math.inf
        total, again = total_words(self._flow, owner, nodes)
        return max(self._imbalance(loads, again), BALANCED), total

    def _owner(self, nodes: int, choice: Sequence[Factors], repeat: int = 1) -> Array:
        flow = self._flow
        owner = np.full(flow.vertices, NOBODY, np.int32)
        by_sources = self._by_sources.copy()
        for group, option in zip(self.groups, choice, strict=True):
            for block in group.blocks:
                places = slice(block.first, block.first + math.prod(block.shape))
                if option == ONE:
                    owner[places] = 0
                elif isinstance(option, str):
                    by_sources[places] = option == SOURCES
                else:
                    owner[places] = divided(group, option, repeat).ravel()
        return self._near.owned(owner, nodes, by_sources)


def _various(scores: Scores) -> list[tuple[Factors, ...]]:
    """Return up to 12 different ways to divide the arrays, the best one first.

    Each divides some group of arrays in a way in which no earlier one does, because ways that send more words at this
    problem size can send fewer at larger ones. All have at most 1.1 times the imbalance of the first. Of ways that send
    the same number of words, only one is returned.

    Args:
        scores: imbalance, words and number of groups without blocks, for each way that was tried.
    """
    ranked = sorted(scores, key=lambda each: scores[each])
    found: dict[float, tuple[Factors, ...]] = {}
    known: set[tuple[int, Factors]] = set()
    for choice in ranked:
        imbalance, words, *_ = scores[choice]
        balanced = words < math.inf and imbalance <= BALANCED * scores[ranked[0]][0]
        if balanced and words not in found and not known.issuperset(enumerate(choice)):
            found[words] = choice
            known |= set(enumerate(choice))
    return list(found.values())[:_VARIOUS]


def divided(group: Group, factors: Sequence[int], repeat: int = 1) -> Array:
    """Return the node that owns each element of an array of a group; nodes are numbered along the last axis first.

    Args:
        group: the group of arrays.
        factors: number of nodes along each axis.
        repeat: number of blocks that each node gets along each divided axis, if there are enough elements.
    """
    found = np.zeros(group.shape, np.int32)
    for axis, factor in enumerate(factors):
        length = group.high[axis] - group.low[axis]
        parts = factor * max(min(repeat, length // factor), 1)
        ends = group.low[axis] + np.arange(1, parts) * length // parts
        part = np.searchsorted(ends, np.arange(group.shape[axis]), "right") % factor
        found = found * factor + part.reshape([-1 if each == axis else 1 for each in range(len(group.shape))])
    return found


def _embedded(factors: Sequence[int], axes: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to assign numbers of blocks to axes of an array, in their order, with 1 for the other axes.

    Example: 2 and 3 on three axes give (2, 3, 1), (2, 1, 3) and (1, 2, 3).
    """
    for places in itertools.combinations(range(axes), len(factors)):
        found = [1] * axes
        for place, factor in zip(places, factors, strict=True):
            found[place] = factor
        yield tuple(found)


def _groups(flow: Flow, names: dict[int, str]) -> list[Group]:
    recorder = flow.recorder
    in_array = flow.vertex < recorder.places
    used = np.zeros(recorder.places, bool)
    used[flow.vertex[in_array]] = True
    work = flow.work_at(recorder.places)
    held = in_array & flow.computed
    counts = np.bincount(flow.vertex[held], flow.times[flow.event[held]], minlength=recorder.places)
    blocks = [
        block
        for block in recorder.blocks
        if block.shape and math.prod(block.shape) and used[block.first : block.first + math.prod(block.shape)].any()
    ]
    found: dict[int, Group] = {}
    for block, number in zip(blocks, _meeting_elementwise(flow, blocks), strict=True):
        axes = len(block.shape)
        group = found.setdefault(number, Group(block.shape, [], list(block.shape), [0] * axes, [], 0, 0.0))
        group.blocks.append(block)
        amounts = counts[block.first : block.first + math.prod(block.shape)].reshape(block.shape)
        name = names.get(block.first) or block.name
        if name is not None and name not in group.names:
            group.names.append(name)
        group.computations += int(amounts.sum())
        group.work += float(work[block.first : block.first + math.prod(block.shape)].sum())
        for axis in range(axes):
            along = np.flatnonzero((amounts > 0).any(axis=tuple(each for each in range(axes) if each != axis)))
            if len(along):
                group.low[axis] = min(group.low[axis], int(along[0]))
                group.high[axis] = max(group.high[axis], int(along[-1]) + 1)
    for group in found.values():
        if group.computations == 0:  # the program only reads these arrays
            group.low, group.high = [0] * len(group.shape), list(group.shape)
    return sorted(found.values(), key=lambda group: -math.prod(group.shape))


def _meeting_elementwise(flow: Flow, blocks: list[Block]) -> list[int]:
    """Group arrays that are combined elementwise: return a number for each array, equal for arrays of one group.

    Two arrays belong to one group if they have the same shape and at least half of the data-flow edges between them
    join elements whose indices differ by at most 2 along each axis.
    """
    numbers = list(range(len(blocks)))

    def root(number: int) -> int:
        while numbers[number] != number:
            number = numbers[number]
        return number

    firsts = np.array([block.first for block in blocks])
    plain = flow.plain()
    source, sink = flow.vertex[plain.source], flow.vertex[plain.sink]
    inside = (source < flow.places) & (sink < flow.places)
    source, sink = source[inside], sink[inside]
    of_source, of_sink = (np.searchsorted(firsts, each, "right") - 1 for each in (source, sink))
    apart = np.flatnonzero(of_source != of_sink)
    keys = of_source[apart] * np.int64(len(blocks)) + of_sink[apart]
    order = np.argsort(keys, kind="stable")
    for edges in np.split(apart[order], np.flatnonzero(np.diff(keys[order])) + 1):
        if len(edges) == 0:
            continue
        first, second = int(of_source[edges[0]]), int(of_sink[edges[0]])
        shape = blocks[first].shape
        if shape != blocks[second].shape:
            continue
        here = np.unravel_index(source[edges] - firsts[first], shape)
        there = np.unravel_index(sink[edges] - firsts[second], shape)
        near = np.all([np.abs(a - b) <= _NEAR for a, b in zip(here, there, strict=True)], axis=0)
        if 2 * near.sum() >= len(edges):
            numbers[root(second)] = root(first)
    return [root(number) for number in range(len(blocks))]
