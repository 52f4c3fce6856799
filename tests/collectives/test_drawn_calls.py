"""Random sequences of collectives, by any algorithms, against a plain reference."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from collective_calls import (
    BY_COUNTS,
    COMBINATIONS,
    GIVING_TO_EACH,
    OPERATIONS,
    REDUCTIONS,
    ROOTED,
    Call,
    begin,
    expected,
    given,
    received,
    sent,
)
from elements import GROUPS
from hypothesis import Phase, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from pysmpi.simulation.collectives import algorithms
from pysmpi.simulation.experiments.compare_collectives import COMPARED

RANKS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 33)

# Bytes, or elements, at which algorithms and selectors change: lengths of segments, and limits of tables.
# (impi has limits at many lengths, so a third of the lengths are arbitrary.)
LIMITS = (*(2**power for power in range(4, 21)), 12 << 10, 80 << 10, 90 << 10, 20480, 370728)
MOST_BYTES = 1 << 22  # largest total of bytes that all ranks send and receive in a call

PLACES = {
    "one a node": lambda rank, ranks: rank,
    "one node": lambda rank, ranks: 0,
    "nodes of two": lambda rank, ranks: rank // 2,
    "nodes of four": lambda rank, ranks: rank // 4,
    "three nodes in turn": lambda rank, ranks: rank % 3,
    "uneven nodes": lambda rank, ranks: int(rank**0.5),
    "uneven nodes in turn": lambda rank, ranks: rank * rank % 5,
}
COMMUNICATORS = ("world", "backwards", "without the first")
SETTINGS = (
    {},
    {"smpi/send-is-detached-thresh": 0},  # sends wait for their receivers
    {"smpi/async-small-thresh": 65536},
    {"smpi/os": "0:3e-6:1e-9", "smpi/ois": "0:2e-6:1e-9", "smpi/or": "0:5e-6:2e-9"},
)
SOBER = settings(deadline=None, derandomize=True, report_multiple_bugs=False, phases=set(Phase) - {Phase.explain})


@dataclass(frozen=True)
class Program:
    """A sequence of calls."""

    ranks: int
    algorithms: Mapping[str, str]
    calls: tuple[Call, ...]
    places: str = "one a node"
    communicator: str = "world"
    settings: Mapping[str, Any] = field(default_factory=dict)


OPTIONS = sorted({operation.removesuffix("_block") for operation in OPERATIONS})  # which choose algorithms


def names(operation):
    """Return valid option values; algorithms with a number appear with several numbers."""
    for algorithm in algorithms(operation):
        if algorithm.name.endswith("-k"):
            yield from (f"{algorithm.name[:-1]}{number}" for number in (1, 2, 3, 4, 7, 100))
        else:
            yield algorithm.name


@st.composite
def calls(draw, operation, ranks):
    """Draw a call of the operation, often with a length near a limit."""
    combination = draw(st.sampled_from(COMBINATIONS)) if operation in REDUCTIONS else None
    if combination:
        elements = (combination.element,)
    else:
        group = draw(st.sampled_from(GROUPS))
        elements = tuple(draw(st.lists(st.sampled_from(group), min_size=1, max_size=2, unique=True)))
    size = max(1, elements[0].size)
    copies = ranks * ranks if operation in GIVING_TO_EACH or operation.startswith("allgather") else ranks
    longest = max(8, MOST_BYTES // (copies * size))
    near = st.builds(
        lambda limit, unit, parts, more: max(0, limit // unit // parts + more),
        st.sampled_from(LIMITS),
        st.sampled_from([size, 1]),
        st.sampled_from(sorted({1, ranks})),
        st.integers(-1, 1),
    )
    lengths = st.one_of(st.integers(0, 9), near, st.integers(0, longest)).map(lambda length: min(length, longest))
    times = draw(st.integers(1, 4)) if operation in BY_COUNTS else 1
    return Call(
        operation,
        counts=tuple(draw(st.one_of(lengths, st.just(0))) for _ in range(times)),
        elements=elements,
        combination=combination,
        root=draw(st.integers(0, ranks - 1)) if operation in ROOTED else 0,
        in_place=draw(st.booleans()) if operation not in ("barrier", "bcast") else False,
        apart=draw(st.sampled_from([(False,), (True,), (True, False)])) if operation in BY_COUNTS else (False,),
        way=draw(st.sampled_from(["blocking", "nonblocking", "persistent"])),
        late=tuple(draw(st.lists(st.integers(0, ranks - 1), max_size=2, unique=True))),
    )


@st.composite
def programs(draw, operations, chosen):
    """Draw up to three calls of the operations. `chosen`: a strategy for the algorithms that options choose."""
    ranks = draw(st.sampled_from(RANKS))
    return Program(
        ranks,
        draw(chosen),
        tuple(draw(st.lists(st.sampled_from(operations).flatmap(lambda o: calls(o, ranks)), min_size=1, max_size=3))),
        places=draw(st.sampled_from(list(PLACES))),
        communicator=draw(st.sampled_from(COMMUNICATORS)),
        settings=draw(st.sampled_from(SETTINGS)),
    )


def _carry_out(communicator, work):
    """Execute a rank's part; return for each call the problems of its result, its start and its end."""
    from mpi4py import MPI

    import pysmpi

    world = MPI.COMM_WORLD
    left_out = communicator == "without the first" and world.rank == 0
    order = -world.rank if communicator == "backwards" else world.rank
    comm = world.Split(MPI.UNDEFINED if left_out else 0, order)
    if left_out:
        return []
    begun = []
    for call, blocks, results in work:
        own, result = blocks[comm.rank], results[comm.rank]
        sides = sent(call, comm.rank, own), received(call, comm.rank, own, result)
        if comm.rank in call.late:
            pysmpi.sleep(20e-6 * (1 + call.late.index(comm.rank)))
        begun.append((sides, MPI.Wtime(), begin(comm, call, *sides)))
    found = []
    for (out, into), began, end in begun:
        end()
        ended = MPI.Wtime()
        problem = (out and out.problem("sends")) or (into and into.problem("receives"))
        found.append((f"rank {comm.rank}: {problem}" if problem else "", began, ended))
    return found


def check(run, program):
    """Run the program and compare its results with the reference."""
    work = []
    for call in program.calls:
        blocks = given(call, program.ranks)
        work.append((call, blocks, expected(call, blocks)))
    options = {"selector": "coll-selector"}
    chosen = {f"smpi/{options.get(option, option)}": name for option, name in program.algorithms.items()}
    ranks = program.ranks + (program.communicator == "without the first")
    nodes = [PLACES[program.places](rank, ranks) for rank in range(ranks)]
    values = run(_carry_out, ranks, program.communicator, work, cfg=program.settings | chosen, nodes=nodes).values
    for number, call in enumerate(program.calls):
        problems, began, ended = zip(*(of_rank[number] for of_rank in values if of_rank), strict=True)
        assert not list(filter(None, problems)), f"{call.operation} by {program.algorithms}"
        assert call.operation != "barrier" or min(ended) >= max(began), "left before the last rank had entered"


def _choices(operation):
    """Draw an algorithm for an option or the selector."""
    option = operation.removesuffix("_block")
    by_option = st.fixed_dictionaries({option: st.sampled_from([*names(option), *COMPARED])})
    return by_option | st.fixed_dictionaries({"selector": st.sampled_from(COMPARED)})


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_by_any_algorithm(run, operation):
    @settings(SOBER, max_examples=30)
    @drawn(programs([operation], _choices(operation)))
    def holds(program):
        check(run, program)

    holds()


@st.composite
def _others(draw, option, name):
    """Draw the algorithm, and algorithms of other operations that composed ones may call."""
    others = draw(st.lists(st.sampled_from([other for other in OPTIONS if other != option]), unique=True, max_size=3))
    return {option: name, **{other: draw(st.sampled_from([*names(other), *COMPARED])) for other in others}}


@pytest.mark.parity
@pytest.mark.parametrize(
    "setting",
    [f"{option}:{name}" for option in OPTIONS for name in [*names(option), *COMPARED]],
)
def test_an_algorithm(run, setting):
    option, name = setting.split(":")
    operations = [operation for operation in OPERATIONS if operation.removesuffix("_block") == option]

    @settings(SOBER, max_examples=100)
    @drawn(programs(operations, _others(option, name)))
    def holds(program):
        check(run, program)

    holds()


@pytest.mark.parity
@pytest.mark.parametrize("selector", COMPARED)
def test_a_selector(run, selector):
    @settings(SOBER, max_examples=300)
    @drawn(programs(OPERATIONS, st.just({"selector": selector})))
    def holds(program):
        check(run, program)

    holds()
