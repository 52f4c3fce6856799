"""Thread pools that a shared module keeps."""

from collections.abc import Callable

import pytest

Lines = Callable[..., dict[int, list[str]]]

LAZY = """
from concurrent.futures import ThreadPoolExecutor
pool = None
def get():
    global pool
    if pool is None:
        pool = ThreadPoolExecutor(2)
    return pool
"""
AT_IMPORT = """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(2)
def get():
    return pool
"""
DERIVED = """
import functools
from concurrent.futures import ThreadPoolExecutor
class Pool(ThreadPoolExecutor):
    def __init__(self):
        self.calls = []
        super().__init__(max_workers=2)
    def submit(self, function, *arguments):
        self.calls.append(function)
        return super().submit(function, *arguments)
@functools.cache
def get():
    return Pool()
"""


@pytest.mark.parametrize("source", [LAZY, AT_IMPORT, DERIVED])
def test_each_rank_has_its_own_workers(lines_of: Lines, installed: Callable[[str, str], None], source: str) -> None:
    """The rank that has created the pool ends first."""
    installed("pool_keeper.py", source)
    lines = lines_of(
        """
        import threading, time
        import pool_keeper
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        def task(number):
            time.sleep(1)
            return world.rank + number
        print(list(pool_keeper.get().map(task, range(4))), threading.active_count(), MPI.Wtime() >= 2)
        time.sleep(5 * world.rank)
        print(pool_keeper.get().submit(task, 7).result())
        """
    )
    assert lines == {rank: [f"{list(range(rank, rank + 4))} 3 True", str(rank + 7)] for rank in range(3)}


def test_a_rank_shuts_down_its_own_workers(lines_of: Lines, installed: Callable[[str, str], None]) -> None:
    installed("pool_keeper.py", LAZY)
    lines = lines_of(
        """
        import pool_keeper
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        print(pool_keeper.get().submit(int, 1).result())
        if world.rank != 1:
            pool_keeper.get().shutdown()
        world.Barrier()
        try:
            print(pool_keeper.get().submit(int, 2).result())
        except RuntimeError:
            print("shut down")
        """
    )
    assert lines == {0: ["1", "shut down"], 1: ["1", "2"], 2: ["1", "shut down"]}


def test_the_interpreter_does_not_join_workers_of_ranks(pysmpirun, installed: Callable[[str, str], None]) -> None:
    """The module keeps the pool with its threads after the simulation."""
    installed("pool_keeper.py", LAZY)
    run = pysmpirun(
        "-np",
        "2",
        "--quiet",
        "program.py",
        source="import pool_keeper\nprint(pool_keeper.get().submit(int).result())\n",
    )
    assert (run.stdout, run.stderr) == ("0\n0\n", "")
