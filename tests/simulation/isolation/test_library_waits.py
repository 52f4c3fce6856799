"""Waits of compiled code in ranks for something that another rank does: condition variables, semaphores, futexes."""

import ctypes
import pathlib
import shutil
import subprocess
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def shared_library(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Path of the compiled library_waits.cpp."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    library = tmp_path_factory.mktemp("libraries") / "libwaiting.so"
    source = HERE / "library_waits.cpp"
    command = [compiler, "-std=c++17", "-shared", "-fPIC", "-pthread", "-o", library, source]
    subprocess.run(command, check=True)
    return str(library)


def test_waits_for_another_rank(shared_library: str, run_ranks: Callable[..., list[Any]]) -> None:
    """A rank continues at the simulated time at which another rank wakes it, whichever function waits."""

    def program(MPI: ModuleType) -> list[float]:
        import time

        library, rank, times = ctypes.CDLL(shared_library), MPI.COMM_WORLD.rank, []
        for name in ("condition", "cpp", "futex", "future", "semaphore"):
            MPI.COMM_WORLD.Barrier()
            begun = MPI.Wtime()
            if rank == 1:
                time.sleep(2.0)
                for _ in range(2):
                    getattr(library, f"{name}_raise")(10)
                    if name != "semaphore":
                        break
            else:
                getattr(library, f"{name}_wait")(10, 0, 0)
            times.append(round(MPI.Wtime() - begun, 3))
        return times

    assert run_ranks(program, 3) == [[2.0] * 5] * 3


def test_waits_for_another_thread_of_the_rank(shared_library: str, run_ranks: Callable[..., list[Any]]) -> None:
    def program(MPI: ModuleType) -> int:
        library, world = ctypes.CDLL(shared_library), MPI.COMM_WORLD
        number = 20 + world.rank

        def work() -> None:
            world.Recv(bytearray(1), source=(world.rank + 1) % world.size)
            library.future_raise(number)

        thread = threading.Thread(target=work)
        thread.start()
        world.Send(bytes(1), dest=(world.rank - 1) % world.size)
        found = library.future_wait(number)
        thread.join()
        return int(found)

    assert run_ranks(program, 3) == [20, 21, 22]


def test_limits_of_time(shared_library: str, run_ranks: Callable[..., list[Any]]) -> None:
    """A wait with a limit ends at its simulated time; many short ones wait as long as a long one."""

    def program(MPI: ModuleType) -> list[Any]:
        import time

        library, rank, begun = ctypes.CDLL(shared_library), MPI.COMM_WORLD.rank, MPI.Wtime()
        if rank == 0:
            found = [library.cpp_wait(40, 50, 50), round(MPI.Wtime() - begun, 3)]
            return [*found, library.cpp_wait(40, 500, 1), round(MPI.Wtime() - begun, 3)]
        time.sleep(0.1)
        library.cpp_raise(40)
        return []

    assert run_ranks(program, 2)[0] == [0, 0.05, 1, 0.1]


def test_waits_for_threads_of_the_library(shared_library: str, run_ranks: Callable[..., list[Any]]) -> None:
    """No simulated time passes meanwhile if computation is not measured, and no other rank runs."""

    def program(MPI: ModuleType) -> tuple[int, float]:
        library, world = ctypes.CDLL(shared_library), MPI.COMM_WORLD
        world.Barrier()
        begun = MPI.Wtime()
        answer = library.ask_thread(5 + 10 * (world.rank % 2))
        return answer, round(MPI.Wtime() - begun, 5)

    assert run_ranks(program, 4) == [(5, 0.0), (15, 0.0), (5, 0.0), (15, 0.0)]


def test_a_thread_that_answers_later(shared_library: str, run_ranks: Callable[..., list[Any]]) -> None:
    """No event is pending, and a thread that another rank has started wakes the waiting ranks."""

    def program(MPI: ModuleType) -> int:
        library, rank = ctypes.CDLL(shared_library), MPI.COMM_WORLD.rank
        if rank == 2:
            library.raise_later(50, 20)
        library.condition_wait(50)
        return int(rank)

    assert run_ranks(program, 3) == [0, 1, 2]


def test_a_wait_that_nobody_ends(shared_library: str, pysmpirun: Any) -> None:
    """The report names the function and the library. The ranks are stopped, although their code cannot be left."""
    source = f"""
import ctypes
from mpi4py import MPI
library = ctypes.CDLL({shared_library!r})
try:
    if MPI.COMM_WORLD.rank < 2:
        library.condition_wait(1)
    else:
        MPI.COMM_WORLD.Recv(bytearray(1), source=0)
finally:
    print("left by", MPI.COMM_WORLD.rank)
"""
    run = pysmpirun("-np", "3", "program.py", source=source)
    assert run.returncode == 1, run.stderr
    assert "deadlock at" in run.stderr
    assert "3 ranks are blocked and no event is pending" in run.stderr
    assert "rank 1 (" in run.stderr
    assert "pthread_cond_wait, called by libwaiting.so, at program.py:7" in run.stderr
    assert run.stdout.splitlines() == ["left by 2"]
