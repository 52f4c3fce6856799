"""Thread-local variables of compiled libraries: each rank, and each thread of a rank, has its own."""

import _ctypes
import ctypes
import pathlib
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

HERE = pathlib.Path(__file__).parent
HEADER = HERE.parents[2] / "pysmpi" / "native" / "mpi"
FIXED = ("-DFIXED",)  # variables in the thread's own record


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., pathlib.Path]:
    """Function that compiles thread_variables.cpp into a library of its own, which no test has loaded yet."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")

    def compiled(name: str, *options: str) -> pathlib.Path:
        library = tmp_path_factory.mktemp("libraries") / f"lib{name}.so"
        source = HERE / "thread_variables.cpp"
        subprocess.run([compiler, "-shared", "-fPIC", f"-I{HEADER}", *options, "-o", library, source], check=True)
        return library

    return compiled


@pytest.mark.parametrize("options", [(), FIXED], ids=["allocated", "fixed"])
def test_each_rank_has_its_own(build: Callable[..., pathlib.Path], run_ranks: Any, options: tuple[str, ...]) -> None:
    """Variables, keys of pthread_getspecific, errno and the locale; a rank begins with the first values."""
    path = str(build("own", *options))

    def program(MPI: ModuleType) -> list[int]:
        library, rank = ctypes.CDLL(path), MPI.COMM_WORLD.rank
        return [library.sum(), library.add(rank), library.add(rank)]

    first = 7 if options else 107
    assert run_ranks(program, 5) == [[first, first + 5 * rank, first + 10 * rank] for rank in range(5)]


def test_destructors_are_called_when_a_rank_ends(build: Callable[..., pathlib.Path], run_ranks: Any) -> None:
    """With the rank's values. The values outside ranks stay as they are."""
    library = ctypes.CDLL(str(build("destructors")))
    assert library.sum() == 107

    def program(MPI: ModuleType) -> int:
        rank = MPI.COMM_WORLD.rank
        library.assign(10 * rank)
        if rank == 0:
            time.sleep(1.0)
        return int(library.destructors())

    assert run_ranks(program, 4)[0] == 60
    assert library.sum() == 107


def test_libraries_that_are_loaded_and_unloaded_meanwhile(build: Callable[..., pathlib.Path], run_ranks: Any) -> None:
    """A library that is loaded after another one has been unloaded gets its number."""
    paths = [str(build(f"late{number}", "-DPLAIN")) for number in range(4)]

    def program(MPI: ModuleType) -> list[int]:
        world, values = MPI.COMM_WORLD, []
        for turn, path in enumerate(paths):
            world.Barrier()
            if turn % world.size != world.rank:
                continue
            library = ctypes.CDLL(path)
            library.assign(10 * turn)
            world.Barrier()
            values.append(library.sum())
            _ctypes.dlclose(library._handle)
        for _ in range(len(paths) - len(values)):
            world.Barrier()
        return [*values, ctypes.CDLL(paths[0]).sum()]

    assert run_ranks(program, 3) == [[0, 60, 7], [20, 7], [40, 7]]


def test_threads_of_a_rank_have_their_own(build: Callable[..., pathlib.Path], run_ranks: Any) -> None:
    path = str(build("threads"))

    def program(MPI: ModuleType) -> list[int]:
        library, rank, found = ctypes.CDLL(path), MPI.COMM_WORLD.rank, []

        def work() -> None:
            library.assign(50 + rank)
            MPI.COMM_WORLD.Send(bytes(1), dest=rank)
            found.append(library.sum())

        library.assign(rank)
        thread = threading.Thread(target=work)
        thread.start()
        MPI.COMM_WORLD.Recv(bytearray(1), source=rank)
        thread.join()
        return [library.sum(), *found]

    assert run_ranks(program, 3) == [[2 * rank, 100 + 2 * rank] for rank in range(3)]


def test_a_library_that_ranks_share(build: Callable[..., pathlib.Path], pysmpirun: Any) -> None:
    source = f"""
import ctypes
from mpi4py import MPI
library = ctypes.CDLL({str(build("shared"))!r})
library.assign(MPI.COMM_WORLD.rank)
MPI.COMM_WORLD.Barrier()
print(library.sum())
"""
    own = pysmpirun("-np", "3", "-v", "--share-threads", "sharde", "program.py", source=source)
    assert sorted(own.stdout.split()) == ["0", "2", "4"]
    assert "pysmpirun: thread-local variables of libshared.so (" in own.stderr
    assert (
        "pysmpirun: --share-threads sharde: no loaded library with thread-local variables has this name; "
        "did you mean 'shared'?" in own.stderr
    )
    shared = pysmpirun("-np", "3", "-v", "--share-threads", "shared.so", "program.py", source=source)
    assert shared.stdout.split() == ["4"] * 3
    assert "bytes): shared by all ranks (--share-threads)" in shared.stderr


def test_a_fixed_block_of_a_library_with_threads(build: Callable[..., pathlib.Path], pysmpirun: Any) -> None:
    """The library is refused, because its threads may hold pointers to variables that are copied at a switch."""
    path = build("threaded", *FIXED, "-DTHREADS")
    source = f"""
import ctypes
from mpi4py import MPI
library = ctypes.CDLL({str(path)!r})
MPI.COMM_WORLD.Barrier()
"""
    run = pysmpirun("-np", "2", "program.py", source=source)
    assert run.returncode != 0
    assert (
        "libthreaded.so: its thread-local variables are compiled for libraries that are loaded at start" in run.stderr
    )
    assert pysmpirun("-np", "1", "program.py", source=source).returncode == 0
    assert pysmpirun("-np", "2", "--share-threads", "threaded", "program.py", source=source).returncode == 0
