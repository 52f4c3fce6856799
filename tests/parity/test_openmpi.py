"""Messages and reduction trees of collectives against those of Open MPI 5.0.11, MPICH 5.0.2 and Intel MPI 2021.18.1:
`openmpi/`, whose README tells more.

A part of the cases runs with the other tests, all of them with `make parity-openmpi`.
"""

import collections
import csv
import functools
import json
import lzma
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.simulation.mpi.bindings import ffi, lib

HERE = pathlib.Path(__file__).parent / "openmpi"
sys.path.insert(0, str(HERE))  # openmpi_cases and openmpi_calls, which a real MPI library runs, too
EVERY = 29  # of how many cases one runs with the other tests
MODES = ("blocking", "nonblocking", "persistent")
ONE_NODE = "flat:1:cores=24"

from openmpi_calls import Prepared, bits_of, trees_of  # noqa: E402
from openmpi_cases import Case  # noqa: E402
from openmpi_programs import PROGRAMS  # noqa: E402

Recorded = tuple[Case, Any]


def read_lines(name: str) -> list[dict[str, Any]]:
    lines = lzma.decompress((HERE / f"{name}.jsonl.xz").read_bytes()).decode().splitlines()
    return [json.loads(line) for line in lines]


def read(name: str, field: str) -> list[Recorded]:
    """Return the cases of a file, each with the recorded messages or trees."""
    cases = []
    for line in read_lines(name):
        result = line.pop(field)
        cases.append((Case(**line), result))
    return [recorded for recorded in cases if recorded[0].mode in MODES]


def by_ranks(cases: list[Recorded]) -> Iterator[list[Recorded]]:
    """Yield the cases of each number of ranks or each layout on nodes, which run in one simulation."""
    groups: dict[str, list[Recorded]] = collections.defaultdict(list)
    for case in cases:
        groups[_part(case[0])].append(case)
    yield from groups.values()


def _part(case: Case) -> str:
    return case.layout or str(case.ranks)


def _sent_to(rank: int, ranks: int) -> tuple[list[int], list[int]]:
    """Return the numbers of messages and of bytes that a rank has sent to each other one so far."""
    sizes, messages = np.zeros((ranks, ranks), np.int64), np.zeros((ranks, ranks), np.int64)
    lib.pysmpi_read_matrix(ffi.from_buffer("int64_t[]", sizes), ffi.from_buffer("int64_t[]", messages))
    return messages[rank].tolist(), sizes[rank].tolist()


def count_messages(action: Callable[[], None], world: Any, result: list[list[int]]) -> None:
    """Carry out an action, and add [sender, receiver, messages, bytes] for each rank that the running rank sends to."""
    messages, sizes = _sent_to(world.rank, world.size)
    action()
    messages_now, sizes_now = _sent_to(world.rank, world.size)
    for receiver in range(world.size):
        if messages_now[receiver] > messages[receiver]:
            result.append([
                world.rank, receiver,
                messages_now[receiver] - messages[receiver], sizes_now[receiver] - sizes[receiver],
            ])  # fmt: skip


def messages_here(cases: list[Case], uses: int = 2, **options: Any) -> list[list[list[int]]]:
    """Carry out cases of one number of ranks or layout; return for each [sender, receiver, messages, bytes] of pairs.

    A persistent collective is used `uses` times.
    """
    results: list[list[list[int]]] = [[] for _ in cases]

    def program(results: list[list[list[int]]]) -> None:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        for case, result in zip(cases, results, strict=True):
            prepared = Prepared(case, world)
            count_messages(functools.partial(prepared.start_and_wait, uses), world, result)
            prepared.free()

    _simulate(program, cases[0].ranks, results, cases[0].layout, network_report=True, **options)
    return [sorted(result) for result in results]


def reduced_here(
    function: Callable[[Case, Any], Any], cases: list[Case], mpi: str | None = None, **options: Any
) -> list[Any]:
    """Carry out reductions of one number of ranks by `trees_of` or `bits_of`; return what it returns at rank 0."""
    results: list[Any] = []

    def program(results: list[Any]) -> None:
        from mpi4py import MPI

        for case in cases:
            result = function(case, MPI.COMM_WORLD)
            if MPI.COMM_WORLD.rank == 0:
                results.append(result)

    _simulate(program, cases[0].ranks, results, cases[0].layout, mpi=mpi, **options)
    return results


def _simulate(program: Callable[..., None], ranks: int, results: object, layout: str = "", **options: Any) -> None:
    placed = {
        "platform": f"flat:{len(set(layout)) or 1}:cores=24",
        "hosts": [f"node-{node}" for node in layout] or None,
    }
    pysmpi.simulate(
        program,
        np=ranks,
        cfg={"smpi/simulate-computation": "no"},
        args=[results],
        **{**placed, **options},
    )


def _parameters(cases: list[Recorded]) -> list[Any]:
    """Return a parameter for each number of ranks: a few cases without a mark, the others with the mark `parity`."""
    few, others = cases[::EVERY], [case for index, case in enumerate(cases) if index % EVERY]
    return [
        *(pytest.param(part, id=f"{_part(part[0][0])}-part") for part in by_ranks(few)),
        *(pytest.param(part, id=_part(part[0][0]), marks=pytest.mark.parity) for part in by_ranks(others)),
    ]


def _different(cases: list[Recorded], here: list[Any]) -> list[str]:
    pairs = zip(cases, here, strict=True)
    return [f"{case}: {ours} instead of {theirs}" for (case, theirs), ours in pairs if ours != theirs]


def sends_nothing_needlessly(case: Case) -> bool:
    """Return whether pysmpi leaves out empty messages of MPICH, in a persistent MPI_Reduce_scatter_block."""
    return (case.call, case.mode, case.count) == ("Reduce_scatter_block", "persistent", 0)


def goes_in_parts(case: Case) -> bool:
    """Return whether Intel MPI may reduce the vector in parts, whose order of operands is not known."""
    is_whole = case.call not in ("Reduce", "Allreduce") or case.mode != "blocking" or not case.commutes
    return not is_whole and case.block_bytes() > 6000


MESSAGES = [*read("openmpi-messages", "sent"), *read("openmpi-messages-on-nodes", "sent")]
TREES = [*read("openmpi-trees", "trees"), *read("openmpi-trees-on-nodes", "trees")]
SEGMENTED = read("openmpi-segmented", "trees")
MPICH_MESSAGES = [case for case in read("mpich-messages", "sent") if not sends_nothing_needlessly(case[0])]
MPICH_MESSAGES_BETWEEN_NODES = read("mpich-messages-between-nodes", "sent")
MPICH_TREES = read("mpich-trees", "trees")
MPICH_TREES_ON_CLIQUES = read("mpich-trees-on-cliques", "trees")
INTEL_TREES = [case for case in read("impi-trees", "trees") if not goes_in_parts(case[0])]


@pytest.mark.parametrize("cases", _parameters(MESSAGES))
def test_messages_equal_those_of_open_mpi(cases: list[Recorded]) -> None:
    assert _different(cases, messages_here([case for case, _ in cases])) == []


@pytest.mark.parametrize("cases", _parameters(TREES))
def test_trees_equal_those_of_open_mpi(cases: list[Recorded]) -> None:
    assert _different(cases, reduced_here(trees_of, [case for case, _ in cases])) == []


def _known(here: list[list[int]], theirs: list[list[int | None]]) -> list[list[int | None]]:
    """Return the messages without the sizes that MPICH did not print."""
    unknown = {(sender, receiver) for sender, receiver, _, size in theirs if size is None}
    return [[*row[:3], None if (row[0], row[1]) in unknown else row[3]] for row in here]


def _test_mpich_messages(cases: list[Recorded], platform: str) -> None:
    here = messages_here([case for case, _ in cases], uses=1, mpi="mpich-5", platform=platform)
    known = [_known(ours, theirs) for ours, (_, theirs) in zip(here, cases, strict=True)]
    assert _different(cases, known) == []


@pytest.mark.parametrize("cases", _parameters(MPICH_MESSAGES))
def test_nonblocking_messages_equal_those_of_mpich_on_one_node(cases: list[Recorded]) -> None:
    _test_mpich_messages(cases, ONE_NODE)


@pytest.mark.parametrize("cases", _parameters(MPICH_MESSAGES_BETWEEN_NODES))
def test_nonblocking_messages_equal_those_of_mpich_between_nodes(cases: list[Recorded]) -> None:
    _test_mpich_messages(cases, f"flat:{cases[0][0].ranks}")


@pytest.mark.parametrize("cases", _parameters(MPICH_TREES))
def test_trees_equal_those_of_mpich(cases: list[Recorded]) -> None:
    assert _different(cases, reduced_here(trees_of, [case for case, _ in cases], "mpich-5")) == []


def test_trees_on_three_nodes_equal_those_of_mpich() -> None:
    hosts = [f"node-{node}" for node in (0, 0, 0, 1, 1, 2, 2)]
    here = reduced_here(
        trees_of, [case for case, _ in MPICH_TREES_ON_CLIQUES], "mpich-5", platform="flat:3:cores=24", hosts=hosts
    )
    assert _different(MPICH_TREES_ON_CLIQUES, here) == []


@pytest.mark.parametrize("cases", _parameters(INTEL_TREES))
def test_trees_equal_those_of_intel_mpi(cases: list[Recorded]) -> None:
    assert _different(cases, reduced_here(trees_of, [case for case, _ in cases], "impi-2021")) == []


def _programs_on(ranks: int) -> dict[str, list[list[int]]]:
    return {line["program"]: line["sent"] for line in read_lines("openmpi-programs") if line["ranks"] == ranks}


@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 8])
def test_messages_of_programs_equal_those_of_open_mpi(ranks: int) -> None:
    results: dict[str, list[list[int]]] = {run.__name__: [] for run in PROGRAMS}

    def program(results: dict[str, list[list[int]]]) -> None:
        from mpi4py import MPI

        for run in PROGRAMS:
            count_messages(functools.partial(run, MPI.COMM_WORLD), MPI.COMM_WORLD, results[run.__name__])

    _simulate(program, ranks, results, network_report=True)
    assert {name: sorted(rows) for name, rows in results.items()} == _programs_on(ranks)


def test_the_matrix_of_a_network_report_is_that_of_the_monitoring(pysmpirun: Any, tmp_path: pathlib.Path) -> None:
    run = pysmpirun(
        *("-np", "3", "--platform", "flat:1:cores=3", "--network-report=net", "program.py"),
        source=f"""
            import sys
            sys.path.insert(0, {str(HERE)!r})
            from mpi4py import MPI
            from openmpi_programs import PROGRAMS
            for run in PROGRAMS:
                run(MPI.COMM_WORLD)
        """,
    )
    assert run.returncode == 0, run.stderr
    total: collections.Counter[tuple[int, int, str]] = collections.Counter()
    for rows in _programs_on(3).values():
        for sender, receiver, messages, size in rows:
            total.update({(sender, receiver, "messages"): messages, (sender, receiver, "bytes"): size})
    with (tmp_path / "net" / "matrix.csv").open() as file:
        found = [
            ((int(row["sender"]), int(row["receiver"]), column), int(row[column]))
            for row in csv.DictReader(file)
            for column in ("messages", "bytes")
        ]
    assert dict(found) == dict(total)


@pytest.mark.parametrize("cases", _parameters(read("openmpi-bits", "bits")))
def test_bits_equal_those_of_open_mpi(cases: list[Recorded]) -> None:
    assert _different(cases, reduced_here(bits_of, [case for case, _ in cases])) == []


@pytest.mark.parametrize(
    "cases", _parameters([case for case in read("mpich-bits", "bits") if case[0].mode == MODES[0]])
)
def test_bits_equal_those_of_mpich(cases: list[Recorded]) -> None:
    assert _different(cases, reduced_here(bits_of, [case for case, _ in cases], "mpich-5")) == []


@pytest.mark.parametrize("cases", [pytest.param(part, id=f"{part[0][0].ranks}") for part in by_ranks(SEGMENTED)])
def test_segmented_trees_equal_those_of_open_mpi_4(cases: list[Recorded]) -> None:
    assert _different(cases, reduced_here(trees_of, [case for case, _ in cases], "openmpi-4.0")) == []
