"""Deterministic choice of the collective calls whose messages and reduction trees are recorded."""

import dataclasses
import itertools
import json
import pathlib
import random
from collections.abc import Iterator
from typing import Any

HERE = pathlib.Path(__file__).parent
TABLES = HERE.parents[2] / "pysmpi/native/collectives/selectors/tables/openmpi.json"

RANKS = range(2, 25)
MODES = ("blocking", "nonblocking", "persistent")
REDUCTIONS = ("Reduce", "Allreduce", "Scan", "Exscan", "Reduce_scatter", "Reduce_scatter_block")
MOVES = (
    *("Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv"),
    *("Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw"),
)
NEIGHBOURS = (
    *("Neighbor_allgather", "Neighbor_allgatherv"),
    *("Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw"),
)
CALLS = REDUCTIONS + MOVES + NEIGHBOURS
ROOTED = ("Bcast", "Reduce", "Gather", "Gatherv", "Scatter", "Scatterv")
WITHOUT_IN_PLACE = ("Barrier", "Bcast", *NEIGHBOURS)
VECTORS = ("Reduce_scatter", "Gatherv", "Scatterv", "Allgatherv", "Alltoallv", "Alltoallw")
EXCHANGES = ("Alltoall", "Alltoallv", "Alltoallw")

SIZES = {"byte": 1, "int": 4, "double": 8, "complex": 16, "gaps": 8}
"""Bytes of an element by datatype: MPI_BYTE, int, double, double complex, and two ints with gaps."""

SHAPES = ("equal", "ramp", "lone")
"""Blocks of v and w calls: all equal, 0, 1 or 2 times the count in turn, or one rank's block only."""

TOPOLOGIES = ("ring", "line", "grid", "graph", "star")

LAYOUTS = (
    *("0011", "000111", "001122", "00112233", "000011112222", "000111222333", "0000000011111111"),  # by slot
    *("0101", "012012", "012301230123"),  # by node
    *("0110", "011200221", "01101001"),  # in no order
    *("0001", "00112", "0112", "01011", "0001111222"),  # nodes with different numbers of ranks
    *("0123", "01234"),  # one rank on each node
)
"""Numbers of the nodes on which ranks 0, 1, ... are placed."""

BY_NODE = ("Barrier", "Bcast", "Reduce", "Allreduce", "Gather", "Scatter", "Allgather")
"""Calls that Open MPI's component coll/han carries out node by node."""

NONBLOCKING_BYTES = {  # sizes at which coll/libnbc of 5.0 changes its algorithm or its segments
    "Bcast": (16384, 65536, 524288),
    "Reduce": (8192, 65536),
    "Allreduce": (65536,),
    "Alltoall": (64, 1 << 15),
}
MPICH_BYTES = {  # sizes at which MPICH's rows of nonblocking collectives change the algorithm (maint/tuning/coll)
    "Bcast": (12288, 524288),
    "Reduce": (2048,),
    "Allreduce": (2048,),
    "Alltoall": (2048, 32768),
}
MPICH_TOTAL_BYTES = {  # of all blocks together
    "Allgather": (81920, 524288),
    "Allgatherv": (81920, 524288),
    "Reduce_scatter": (524288,),
    "Reduce_scatter_block": (524288,),
}
BY_NODES = ("Bcast", "Reduce", "Scan")  # nonblocking collectives in which MPICH distinguishes nodes
MOST_BYTES = 48 << 20  # of all ranks' buffers together


@dataclasses.dataclass(frozen=True)
class Case:
    """A collective call with its arguments; `count` is in elements of one block."""

    call: str
    mode: str
    ranks: int
    count: int
    type: str = "int"
    root: int = 0
    in_place: bool = False
    commutes: bool = True
    shape: str = ""  # of SHAPES, or of TOPOLOGIES
    layout: str = ""  # of LAYOUTS; all ranks are on one node if it is empty

    def block_bytes(self) -> int:
        return self.count * SIZES[self.type]

    def all_bytes(self) -> int:
        """Return the bytes of all ranks' buffers, roughly."""
        blocks = 1 if self.call in ("Bcast", "Reduce", "Allreduce", "Scan", "Exscan") else self.ranks
        return 2 * self.ranks * blocks * self.block_bytes()

    def to_json(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults."""
        return {
            field.name: value
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) != field.default
        }


def _thresholds(call: str, ranks: int, commutes: bool) -> tuple[int, ...]:
    """Return the sizes at which Open MPI's table changes the algorithm, in bytes."""
    name = call.lower() + ("" if commutes or call not in REDUCTIONS else "_in_order")
    table = json.loads(TABLES.read_text())["tables"].get(name, {})
    for condition, sizes in table.items() if isinstance(table, dict) else ():
        if condition == "any" or ranks < int(condition.removeprefix("ranks<")):
            return tuple(int(size.lstrip("<=")) for size in sizes if size != "any") if isinstance(sizes, dict) else ()
    return ()


def _around(threshold: int, size: int) -> list[int]:
    """Return ten counts of elements of `size` bytes below and above a threshold."""
    middle = threshold // size
    near = [middle + step for step in (-3, -2, -1, 0, 1, 2)]
    return [
        max(count, 0)
        for count in (*near, middle * 5 // 8, middle * 13 // 16, middle * 9 // 8 + 1, middle * 11 // 8 + 3)
    ]


def _completed(draw: random.Random, call: str, mode: str, ranks: int, count: int, kind: str, commutes: bool) -> Case:
    """Draw the arguments that remain."""
    shape = ""
    if call in VECTORS:
        shape = draw.choice(SHAPES)
    elif call in NEIGHBOURS:
        shape = draw.choice(TOPOLOGIES)
    return Case(
        call=call,
        mode=mode,
        ranks=ranks,
        count=0 if call == "Barrier" else count,
        type="int" if call == "Barrier" else kind,
        root=draw.randrange(ranks) if call in ROOTED else 0,
        in_place=call not in WITHOUT_IN_PLACE and draw.random() < 0.25,
        commutes=commutes,
        shape=shape,
    )


def _fits(case: Case) -> bool:
    return case.all_bytes() <= MOST_BYTES


def _drawn() -> Iterator[Case]:
    """Each call in each mode on each number of ranks, two with small and odd counts and one with a larger one."""
    for call, mode, ranks in itertools.product(CALLS, MODES, RANKS):
        draw = random.Random(f"{call} {mode} {ranks}")
        small = [0, 1, 2, 3, 5, 8, 13, ranks - 1, ranks, ranks + 1, 2 * ranks - 1, 2 * ranks + 1, 3 * ranks]
        large = [29, 97, 331, 512, 1009, 4099, 20011]
        kinds = ("byte", "int", "double", "complex") if call in REDUCTIONS else tuple(SIZES)
        for count in {draw.choice(small), draw.choice(small), draw.choice(large)} if call != "Barrier" else [0]:
            commutes = call not in REDUCTIONS or draw.random() < 0.7
            yield _completed(draw, call, mode, ranks, count, draw.choice(kinds), commutes)


def _near_thresholds() -> Iterator[Case]:
    """Ten sizes around each threshold of the table for 2 to 24 ranks, with the numbers of ranks in turn."""
    for call, commutes in itertools.product(CALLS, (True, False)):
        if not commutes and call not in REDUCTIONS:
            continue
        for bounds, row in itertools.groupby(RANKS, lambda ranks: _thresholds(call, ranks, commutes)):  # noqa: B023
            ranks = itertools.cycle(list(row))
            for bound in bounds:
                draw = random.Random(f"{call} {commutes} {bounds} {bound}")
                kind = draw.choice(["byte", "int", "double"])
                for place in range(10):
                    on = next(ranks)
                    block = bound // on if call == "Reduce_scatter" else bound  # the table has the sum of all blocks
                    count = _around(block, SIZES[kind])[place]
                    yield _completed(draw, call, "blocking", on, count, kind, commutes)


def _near_nonblocking_thresholds() -> Iterator[Case]:
    for call, bounds in NONBLOCKING_BYTES.items():
        for bound, few, mode in itertools.product(bounds, (True, False), MODES[1:]):
            draw = random.Random(f"{call} {bound} {few} {mode}")
            kind = draw.choice(["byte", "int", "double"])
            for count in _around(bound, SIZES[kind]):
                ranks = draw.choice(range(2, 6) if few else range(6, 25))
                yield _completed(draw, call, mode, ranks, count, kind, True)


def _steps(call: str, low: int, up: int) -> Iterator[tuple[str, int, int]]:
    """Yield the collectives by which coll/han carries out a call on `up` nodes with `low` ranks each.

    Each has a number of ranks and the number of the call's blocks that it moves from or to one of them.
    """
    if call in ("Bcast", "Allreduce"):
        yield from (("Bcast", low, 1), ("Bcast", up, 1))
    if call in ("Reduce", "Allreduce"):
        yield "Reduce", low, 1
    if call in ("Gather", "Scatter"):
        yield from ((call, low, 1), (call, up, low))
    if call == "Allgather":
        yield from (("Gather", low, 1), ("Allgather", up, low), ("Bcast", low, low * up))


def _sizes_by_node(call: str, layout: str, draw: random.Random) -> Iterator[int]:
    """Yield sizes of a block in bytes: of some elements, of some segments, and near thresholds of the steps."""
    yield from (1, 3, draw.randrange(1, 100), draw.randrange(100, 10_000), draw.randrange(10_000, 64 << 10))
    if call in ("Bcast", "Reduce", "Allreduce"):
        segment = 64 << 10
        yield from (segment, segment + 16, draw.randrange(2, 6) * segment, draw.randrange(segment, 6 * segment))
    nodes = len(set(layout))
    for step, ranks, blocks in _steps(call, len(layout) // nodes, nodes):
        thresholds = [size // blocks for size in _thresholds(step, ranks, True) if 16 <= size // blocks <= 300_000]
        if thresholds:
            yield draw.choice(thresholds) + draw.choice([-16, 0, 16])


def _on_layouts(calls: tuple[str, ...]) -> Iterator[Case]:
    """Calls that coll/han carries out with sizes that matter to it, and a few others of each kind."""
    for layout, call in itertools.product(LAYOUTS, calls):
        draw = random.Random(f"{layout} {call}")
        ranks = len(layout)
        kinds = ("byte", "int", "double", "complex") if call in REDUCTIONS else tuple(SIZES)
        small = [0, 1, ranks - 1, 29, 331, 4099]
        sizes = list(_sizes_by_node(call, layout, draw)) if call in BY_NODE else []
        for mode, size in (*(("blocking", size) for size in sizes), *((mode, 0) for mode in MODES)):
            kind = draw.choice(kinds)
            count = -(-size // SIZES[kind]) if size else draw.choice(small)
            commutes = call not in REDUCTIONS or draw.random() < (0.9 if size else 0.5)
            case = _completed(draw, call, mode, ranks, count, kind, commutes)
            yield dataclasses.replace(case, layout=layout)


def message_cases_on_nodes() -> list[Case]:
    """Return the calls whose messages are recorded on several nodes."""
    return [case for case in dict.fromkeys(_on_layouts(REDUCTIONS + MOVES)) if _fits(case)]


def tree_cases_on_nodes() -> list[Case]:
    """Return the reductions of 8-byte elements whose trees are recorded on several nodes."""
    cases = (dataclasses.replace(case, type="double") for case in _on_layouts(REDUCTIONS) if case.count <= 60_000)
    return [case for case in dict.fromkeys(cases) if _fits(case)]


def message_cases() -> list[Case]:
    """Return the calls whose messages are recorded."""
    cases = itertools.chain(_drawn(), _near_thresholds(), _near_nonblocking_thresholds())
    return [case for case in dict.fromkeys(cases) if _fits(case)]


def _near_mpich_thresholds() -> Iterator[Case]:
    both = [(call, bound, False) for call, bounds in MPICH_BYTES.items() for bound in bounds]
    both += [(call, bound, True) for call, bounds in MPICH_TOTAL_BYTES.items() for bound in bounds]
    for (call, bound, total), few, mode in itertools.product(both, (True, False), MODES[1:]):
        draw = random.Random(f"mpich {call} {bound} {few} {mode}")
        kind = draw.choice(["byte", "int", "double"])
        for place in range(10):
            ranks = draw.choice(range(2, 8) if few else range(8, 25))
            count = _around(bound // ranks if total else bound, SIZES[kind])[place]
            yield _completed(draw, call, mode, ranks, count, kind, True)


def mpich_cases() -> list[Case]:
    """Return the nonblocking and persistent calls whose schedules are recorded from MPICH.

    MPICH 5.0.2 aborts in long reduce-scatters in place if the blocks differ ("memory ranges overlap").
    """
    drawn = (case for case in _drawn() if case.mode != "blocking")
    return [
        case
        for case in dict.fromkeys((*drawn, *_near_mpich_thresholds()))
        if _fits(case) and not (case.call == "Reduce_scatter" and case.in_place and case.shape == "ramp")
    ]


def tree_cases() -> list[Case]:
    """Return the reductions of 8-byte elements whose trees are recorded."""
    cases: list[Case] = []
    for call, mode, ranks in itertools.product(REDUCTIONS, MODES, RANKS):
        draw = random.Random(f"tree {call} {mode} {ranks}")
        for commutes in (True, False):
            for count in {draw.choice([1, 2, 3]), draw.choice([ranks - 1, ranks, 2 * ranks + 1, 61])}:
                cases.append(_completed(draw, call, mode, ranks, count, "double", commutes))
        bounds = _thresholds(call, ranks, True)
        if mode == "blocking" and bounds:
            bound = draw.choice(bounds) // (ranks if call == "Reduce_scatter" else 1)
            count = draw.choice(_around(bound, 8))
            cases.append(_completed(draw, call, mode, ranks, min(count, 40_000), "double", True))
    return list(dict.fromkeys(cases))


SEGMENTED = {
    (5, 1024): (9, 300),
    (3, 1024): (16, 4000),
    (4, 32768): (9, 5120),
    (3, 32768): (5, 12_800),
    (3, 65536): (2, 16_384),
    (6, 0): (9, 300),
}
"""Ranks and doubles for which Open MPI 4.0 reduces by an algorithm (number in coll/tuned) in segments of some bytes."""


def segmented_cases(algorithm: int, segment: int) -> list[Case]:
    """Return reductions for which Open MPI 4.0 chooses the algorithm and the segments."""
    ranks, count = SEGMENTED[algorithm, segment]
    return [
        Case("Reduce", "blocking", ranks, count, "double", root, in_place, commutes=algorithm != 6)
        for root in (0, ranks - 1)
        for in_place in (False, True)
    ]


if __name__ == "__main__":
    for name, cases in (
        ("messages", message_cases()),
        ("trees", tree_cases()),
        ("messages on nodes", message_cases_on_nodes()),
        ("trees on nodes", tree_cases_on_nodes()),
    ):
        print(name, *(f"{mode}: {sum(case.mode == mode for case in cases)}" for mode in MODES))
