"""Settings of the standard library that a program makes once in a process."""

import csv
import multiprocessing
from collections.abc import Callable

Lines = Callable[..., dict[int, list[str]]]


def test_the_start_method_is_the_ranks_own(lines_of: Lines) -> None:
    before = multiprocessing.get_start_method(allow_none=True)
    lines = lines_of(
        """
        import multiprocessing
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        if world.rank:
            multiprocessing.set_start_method(("spawn", "forkserver")[world.rank - 1])
        world.Barrier()
        try:
            multiprocessing.set_start_method("fork")
        except RuntimeError:
            print("set before")
        print(multiprocessing.get_start_method())
        """
    )
    assert lines == {0: ["fork"], 1: ["set before", "spawn"], 2: ["set before", "forkserver"]}
    assert multiprocessing.get_start_method(allow_none=True) == before


def test_dialects_are_the_ranks_own(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import csv
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        csv.register_dialect("own", delimiter=";:,"[world.rank])
        world.Barrier()
        print(*csv.reader(["1;2:3,4"], "own"))
        csv.unregister_dialect("own")
        world.Barrier()
        print(*csv.list_dialects())
        """
    )
    rows = [["1", "2:3,4"], ["1;2", "3,4"], ["1;2:3", "4"]]
    assert lines == {rank: [str(rows[rank]), "excel excel-tab unix"] for rank in range(3)}
    assert csv.list_dialects() == ["excel", "excel-tab", "unix"]
