"""Settings that compiled libraries keep in the process: each rank has its own."""

import ctypes
import importlib.util
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.library_settings import LibrarySettings

HERE = pathlib.Path(__file__).parent
HEADER = pathlib.Path(__file__).resolve().parents[3] / "pysmpi" / "native" / "mpi"


class Counter:
    """Library with one setting."""

    def __init__(self) -> None:
        self.value = 5

    def leave(self) -> int:
        return self.value

    def enter(self, settings: int) -> None:
        self.value = settings

    def begin(self, rank: int) -> None:
        self.value = 5


@pytest.fixture
def counter() -> Iterator[Counter]:
    """A library whose settings are exchanged."""
    library, settings = Counter(), LibrarySettings()
    settings.add(library, -1)
    exchange = settings.exchange
    lib.pysmpi_watch_library_settings(ffi.cast("void *", id(exchange)))
    yield library
    lib.pysmpi_watch_library_settings(ffi.NULL)
    settings.end()


def test_each_rank_has_its_own_settings(counter: Counter, run_ranks: Callable[..., list[Any]]) -> None:
    """A rank begins with the settings outside ranks, also after a rank that has changed them and ended."""

    def program(MPI: ModuleType) -> list[int]:
        world, seen = MPI.COMM_WORLD, [counter.value]
        if world.rank != 2:
            counter.value = 10 * world.rank
            world.Barrier()
            seen.append(counter.value)
            counter.value += 1
        else:
            world.Barrier()
            seen.append(counter.value)
        world.Barrier()
        return [*seen, counter.value]

    assert run_ranks(program, 4) == [[5, 0, 1], [5, 10, 11], [5, 5, 5], [5, 30, 31]]


def test_exceptions_of_compiled_code(run_ranks: Callable[..., list[Any]], tmp_path: pathlib.Path) -> None:
    """A rank that waits in a catch block, or in a destructor while an exception is thrown, finds its own exception."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    source, shared = pathlib.Path(__file__).with_name("exceptions.cpp"), tmp_path / "libexceptions.so"
    subprocess.run([compiler, "-shared", "-fPIC", f"-I{HEADER}", "-o", shared, source], check=True)
    library = ctypes.CDLL(str(shared))

    def program(MPI: ModuleType) -> tuple[int, int]:
        rank = MPI.COMM_WORLD.rank
        return int(library.in_catch(rank)), int(library.while_thrown(int(rank == 1)))

    assert run_ranks(program, 3) == [(0, 0), (1, 1), (2, 0)]


def has(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


@pytest.mark.parametrize("package", [pytest.param("torch", marks=has("torch")), pytest.param("jax", marks=has("jax"))])
def test_programs_of_packages(package: str) -> None:
    """Settings that are held across a blocking call: each rank prints what it prints as a process of its own.

    The expected output was recorded on three processes of MPICH 5.0.2, with torch 2.13.0 and jax 0.10.2.
    """
    program = HERE / "packages" / f"{package}_program.py"
    command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "-np", "3", "--platform", "flat:3", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert sorted(done.stdout.splitlines()) == program.with_suffix(".txt").read_text().splitlines(), done.stderr


@has("torch")
def test_two_profilers(tmp_path: pathlib.Path, pysmpirun: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    source = """
    import torch
    from mpi4py import MPI
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        MPI.COMM_WORLD.Barrier()
    """
    run = pysmpirun("-np", "2", "program.py", source=source)
    assert run.returncode != 0
    assert "torch's profiler is in use by rank" in run.stderr
