"""Skeleton of a cut: messages and computations of each node in a step, as schedules that the engine replays.

A step is a sequence of phases, one for each statement. In a phase, nodes exchange the values that the statement needs,
wait, and compute. Values that the same set of three or more nodes needs are sent along a binomial tree, unless direct
messages are fewer. If most nodes of a set send to the whole set, it exchanges values by the algorithm of Bruck. Sums
are collected along binomial trees, from the leaves to the root.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pysmpi.estimates.cut_figures import BYTES_PER_WORD, TREE
from pysmpi.estimates.record import Array
from pysmpi.estimates.value_flow import Flow
from pysmpi.estimates.word_count import Traffic
from pysmpi.simulation.collectives.schedule import Schedule

__all__ = ["Phase", "phases_of", "skeleton"]

_MOST_PHASES = 2000  # with more phases, a step is one phase with all messages and computations


@dataclass
class Tree:
    """Collective operation (broadcast, reduction or exchange) among one set of nodes, by messages along trees.

    Attributes:
        kind: "broadcast" (of values of the root), "reduce" (of sums to the root) or "exchange" (among all nodes).
        nodes: the nodes; the root is the first one.
        words: size in words of 8 bytes: of the values that are broadcast, of the sums, or of what each node contributes
            to an exchange, on average.
    """

    kind: str
    nodes: list[int]
    words: float


@dataclass
class Phase:
    """Exchange and computation of one statement.

    Attributes:
        senders, receivers, words: (messages) nodes and size in words of 8 bytes of direct messages.
        trees: broadcasts, reductions and exchanges, in the same order on all nodes.
        work: (nodes) floating-point operations of each node.
    """

    senders: Array
    receivers: Array
    words: Array
    trees: list[Tree]
    work: Array

    @property
    def messages(self) -> int:
        """Approximate number of messages that all nodes send for the statement."""
        return len(self.senders) + sum(
            len(tree.nodes) * (len(tree.nodes).bit_length() if tree.kind == "exchange" else 1) for tree in self.trees
        )


def phases_of(flow: Flow, owner: Array, traffic: Traffic) -> list[Phase]:
    """Return the exchange and computation of each statement in the last steady step, or in the whole run without steps.

    Args:
        flow: data-flow graph of the program.
        owner: (vertices) node that owns each array element or scalar.
        traffic: words that are sent in the step.
    """
    vertex, work_event, amount = flow.step_work()
    node = np.concatenate([owner[vertex], traffic.again_node])
    event = np.concatenate([work_event, traffic.again_at])
    work = np.concatenate([amount, flow.work_of(traffic.again) * flow.step_times[traffic.again_at]])
    sends = np.zeros(len(flow.times), bool)
    sends[traffic.at] = True
    begins = np.flatnonzero(sends[flow.order])
    if len(begins) > _MOST_PHASES:  # loops over elements: keep the amounts, not their order
        loads = np.bincount(node, work, minlength=traffic.nodes)
        return [_phase(traffic, np.arange(len(traffic.at)), traffic.words, loads)]
    # The first execution of a phase needs words of other nodes. Equal sequences of executions share one phase.
    made: dict[bytes, Phase] = {}
    words = traffic.words // flow.step_times[traffic.at]
    work = work / flow.step_times[event]
    by_event, by_traffic = np.argsort(event, kind="stable"), np.argsort(traffic.at, kind="stable")
    event, at = event[by_event], traffic.at[by_traffic]
    found = []
    for events in np.split(flow.order, begins[begins > 0]):
        key = events.tobytes()
        if key not in made:
            done = by_event[_positions(event, events)]
            loads = np.bincount(node[done], work[done], minlength=traffic.nodes)
            made[key] = _phase(traffic, by_traffic[_positions(at, events[:1])], words, loads)
        found.append(made[key])
    return found


def _positions(ordered: Array, wanted: Array) -> Array:
    """Return all positions of the wanted numbers in a sorted array.

    Example: [0, 3, 3, 5] and [3, 5] give [1, 2, 3].
    """
    begin, end = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
    counts = end - begin
    found: Array = np.arange(int(counts.sum())) + np.repeat(begin - np.cumsum(counts) + counts, counts)
    return found


def _phase(traffic: Traffic, chosen: Array, of_values: Array, work: Array) -> Phase:
    nodes = traffic.nodes
    value, sender, receiver, words, partial = (
        each[chosen] for each in (traffic.value, traffic.sender, traffic.receiver, of_values, traffic.partial)
    )
    sets, set_of = _wide_sets(nodes, value, sender, receiver, words, partial)
    sizes = np.array([len(each.everyone) for each in sets] + [0])[set_of]  # 0 for values with few readers
    largest = _largest_direct(nodes, sets, sizes, sender, receiver)
    direct = sizes <= largest
    keys, inverse = np.unique(sender[direct] * np.int64(nodes) + receiver[direct], return_inverse=True)
    amounts = np.bincount(inverse.reshape(-1), words[direct], minlength=len(keys))
    trees = [tree for each in sets if len(each.everyone) > largest for tree in _trees(each)]
    return Phase(keys // nodes, keys % nodes, amounts, trees, work)


@dataclass
class _WideSet:
    """Nodes that need the same values or have parts of the same sums, including the sender or collector.

    Attributes:
        sums: True for parts of sums, False for values.
        everyone: the nodes, four or more, in increasing order.
        roots: words of 8 bytes, by the node that sends the values or collects the sums.
    """

    sums: bool
    everyone: list[int]
    roots: dict[int, float]

    @property
    def is_exchange(self) -> bool:
        """True if more than half of the nodes in the set send to all others, or collect sums from all others."""
        return 2 * len(self.roots) > len(self.everyone)

    @property
    def rounds(self) -> int:
        """Largest number of messages that a node sends or receives one after the other, along binomial trees."""
        return (1 if self.is_exchange else len(self.roots)) * (len(self.everyone) - 1).bit_length()


def _wide_sets(
    nodes: int, value: Array, sender: Array, receiver: Array, words: Array, partial: Array
) -> tuple[list[_WideSet], Array]:
    """Group values that three or more nodes read, and sums of which as many have parts, by the set of these nodes.

    Args:
        nodes: number of nodes.
        value, sender, receiver, words, partial: (messages) columns of `pysmpi.estimates.word_count.Traffic`.

    Returns:
        The sets, and for each message the number of its set, or -1 if its value has less than three readers.
    """
    marks = np.random.default_rng(0).integers(1, 2**62, nodes)  # their sums identify sets of nodes
    sets: list[_WideSet] = []
    set_of = np.full(len(value), -1)
    for sums in (True, False):  # sums first, since later values are made of them
        rows = np.flatnonzero(partial == sums)
        order = rows[np.argsort(value[rows], kind="stable")]
        root = (receiver if sums else sender)[order]
        other = (sender if sums else receiver)[order]
        numbers, first, count = np.unique(value[order], return_index=True, return_counts=True)
        if len(numbers) == 0:
            continue
        members = np.add.reduceat(marks[other], first) + marks[root[first]]
        by_members: dict[int, int] = {}
        set_of_value = np.full(len(numbers), -1)
        for each in np.flatnonzero(count >= TREE).tolist():
            start = first[each]
            number = by_members.setdefault(int(members[each]), len(sets))
            if number == len(sets):
                everyone = sorted({int(root[start]), *other[start : start + count[each]].tolist()})
                sets.append(_WideSet(sums, everyone, defaultdict(float)))
            sets[number].roots[int(root[start])] += float(words[order[start]])
            set_of_value[each] = number
        set_of[order] = np.repeat(set_of_value, count)
    return sets, set_of


def _largest_direct(nodes: int, sets: Sequence[_WideSet], sizes: Array, sender: Array, receiver: Array) -> int:
    """Return the largest size of a set of nodes that exchange values by direct messages; larger sets use trees.

    Trees spare a node messages if it alone sends to many. But if each node has many sets, such as one for each corner
    of a block in three dimensions, whose neighbours get messages anyway, trees cost more messages than they spare. The
    returned size gives the busiest node the fewest messages, one after the other.

    Args:
        nodes: number of nodes.
        sets: the wide sets.
        sizes: (messages) size of the wide set of each message, or 0.
        sender, receiver: (messages) nodes.
    """
    if not sets:
        return 0
    order = np.lexsort((sizes, receiver, sender))
    pairs = sender[order] * np.int64(nodes) + receiver[order]
    first = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]]))
    pairs, needed_from = pairs[first], sizes[order][first]
    counts = [len(each.everyone) for each in sets]
    member = np.concatenate([each.everyone for each in sets])
    rounds, size = (np.repeat(each, counts) for each in ([each.rounds for each in sets], counts))
    found: list[tuple[float, int]] = []
    for largest in (0, *np.unique(counts).tolist()):
        direct, along_trees = pairs[needed_from <= largest], size > largest
        sent, got = (np.bincount(each, minlength=nodes) for each in (direct // nodes, direct % nodes))
        further = np.bincount(member[along_trees], rounds[along_trees], minlength=nodes)
        found.append((float((np.maximum(sent, got) + further).max()), -largest))
    return int(-min(found)[1])


def _trees(wide: _WideSet) -> list[Tree]:
    everyone, roots = wide.everyone, wide.roots
    if wide.is_exchange:
        return [Tree("exchange", everyone, sum(roots.values()) / len(everyone))]
    kind = "reduce" if wide.sums else "broadcast"
    return [Tree(kind, [root, *(each for each in everyone if each != root)], words) for root, words in roots.items()]


def skeleton(phases: Sequence[Phase], nodes: int, seconds_per_flop: float, repeat: int = 1, scale: float = 1.0,
             work_scale: float = 1.0) -> list[Schedule]:  # fmt: skip
    """Return the schedule of each node: its messages and computations in a number of steps.

    Args:
        phases: exchange and computation of each statement in a step.
        nodes: number of nodes.
        seconds_per_flop: seconds of one floating-point operation; 0 leaves computations out.
        repeat: number of steps.
        scale: factor by which the words of each message are multiplied, for another size.
        work_scale: factor by which computations are multiplied, for another size.
    """
    schedules = [Schedule() for _ in range(nodes)]
    for _ in range(repeat):
        for phase in phases:
            for tree in phase.trees:
                _add_tree(schedules, tree, scale)
            involved = set()
            triples = list(zip(phase.senders.tolist(), phase.receivers.tolist(), phase.words.tolist(), strict=True))
            for sender, receiver, words in triples:
                schedules[receiver].receive(None, sender, amount=BYTES_PER_WORD * words * scale)
                involved |= {sender, receiver}
            for sender, receiver, words in triples:
                schedules[sender].send(None, receiver, amount=BYTES_PER_WORD * words * scale)
            for node in involved:
                schedules[node].wait()
            if seconds_per_flop:
                for node, work in enumerate(phase.work.tolist()):
                    if work:
                        schedules[node].execute(work * work_scale * seconds_per_flop)
    return schedules


def _add_tree(schedules: list[Schedule], tree: Tree, scale: float) -> None:
    count, amount = len(tree.nodes), BYTES_PER_WORD * tree.words * scale
    if tree.kind == "exchange":
        held = 1
        while held < count:
            part = min(held, count - held) * amount
            for place, node in enumerate(tree.nodes):
                schedules[node].receive(None, tree.nodes[(place + held) % count], amount=part)
                schedules[node].send(None, tree.nodes[place - held], amount=part)
                schedules[node].wait()
            held *= 2
        return
    for place, node in enumerate(tree.nodes):
        lowest = place & -place if place else 1 << (count - 1).bit_length()
        children = []
        step = 1
        while step < lowest and place + step < count:
            children.append(tree.nodes[place + step])
            step *= 2
        parent = tree.nodes[place - lowest] if place else None
        if tree.kind == "reduce":
            for child in children:
                schedules[node].receive(None, child, amount=amount)
            schedules[node].wait()
            if parent is not None:
                schedules[node].send(None, parent, amount=amount)
                schedules[node].wait()
        else:
            if parent is not None:
                schedules[node].receive(None, parent, amount=amount)
                schedules[node].wait()
            for child in reversed(children):
                schedules[node].send(None, child, amount=amount)
            schedules[node].wait()
