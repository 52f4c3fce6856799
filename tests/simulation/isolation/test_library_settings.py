"""Settings that compiled libraries keep in the process: each rank has its own."""

import ctypes
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import NativeCodeError
from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.library_settings import LibrarySettings

HEADER = pathlib.Path(__file__).resolve().parents[3] / "pysmpi" / "native" / "mpi"


class Counter:
    """Library with one setting."""

    def __init__(self) -> None:
        self.value = 5
        self.busy = ""

    def leave(self) -> int:
        return self.value

    def enter(self, settings: int) -> None:
        self.value = settings

    def begin(self, rank: int) -> None:
        self.value = 5

    def refusal(self) -> str | None:
        return self.busy or None


@pytest.fixture
def counter() -> Iterator[Counter]:
    """A library whose settings are exchanged."""
    library, settings = Counter(), LibrarySettings()
    settings.add(library, -1)
    functions = settings.exchange, settings.refusal
    lib.pysmpi_watch_library_settings(*(ffi.cast("void *", id(each)) for each in functions))
    yield library
    lib.pysmpi_watch_library_settings(ffi.NULL, ffi.NULL)
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


def test_a_refusal_ends_the_simulation(counter: Counter, MPI: ModuleType) -> None:
    def program() -> None:
        if MPI.COMM_WORLD.rank == 1:
            counter.busy = "counter: busy"
            MPI.COMM_WORLD.Barrier()
            counter.busy = ""
        else:
            MPI.COMM_WORLD.Barrier()

    with pytest.raises(NativeCodeError, match=r"test_library_settings\.py:\d+: rank 1: counter: busy$"):
        pysmpi.simulate(program, np=3, platform="flat:3")
    counter.busy = ""


def test_one_rank_has_no_refusal(counter: Counter, run_ranks: Callable[..., list[Any]]) -> None:
    def program(MPI: ModuleType) -> int:
        counter.busy = "counter: busy"
        MPI.COMM_WORLD.Barrier()
        counter.busy = ""
        return 1

    assert run_ranks(program, 1) == [1]


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


TORCH = """
import torch
from mpi4py import MPI
world = MPI.COMM_WORLD
rank = world.rank
weights = torch.ones(2, requires_grad=True)
if rank == 0:
    with torch.no_grad():
        world.Barrier()
        print(torch.is_grad_enabled(), (weights * 2).requires_grad)
else:
    world.Barrier()
    print(torch.is_grad_enabled(), (weights * 2).requires_grad)
if rank == 1:
    with torch.inference_mode():
        world.Barrier()
        print((weights * 2).is_inference())
else:
    world.Barrier()
    print((weights * 2).is_inference())
torch.manual_seed(rank)
world.Barrier()
same = torch.Generator().manual_seed(rank)
print(torch.equal(torch.rand(3), torch.rand(3, generator=same)))
torch.set_default_dtype(torch.float64 if rank == 2 else torch.float32)
with torch.device("meta" if rank == 0 else "cpu"), torch.autocast("cpu", enabled=rank == 1):
    world.Barrier()
    print(torch.ones(1).dtype, torch.ones(1).device, torch.is_autocast_enabled("cpu"))
"""
HOOK = """
import torch
from mpi4py import MPI
value = torch.ones(2, requires_grad=True)
product = value * 2
product.register_hook(lambda gradient: gradient * MPI.COMM_WORLD.allreduce(1))
product.sum().backward()
"""
JAX = """
import jax
import jax.numpy as jnp
from mpi4py import MPI
world = MPI.COMM_WORLD
rank = world.rank
jax.config.update("jax_enable_x64", rank == 1)
with jax.default_matmul_precision("highest" if rank == 0 else "bfloat16"):
    world.Barrier()
    print(jnp.ones(1).dtype, jax.config.jax_default_matmul_precision)
print(jax.grad(lambda x: x * x * (rank + 1))(2.0))
"""
GRAD = """
import jax
from mpi4py import MPI

def square(x):
    MPI.COMM_WORLD.Barrier()
    return x * x

print(jax.grad(square)(2.0))
"""
CALLBACK = """
import jax
import jax.numpy as jnp
from mpi4py import MPI

def wait(x):
    MPI.COMM_WORLD.Barrier()
    return x

print(jax.pure_callback(wait, jax.ShapeDtypeStruct((1,), jnp.float32), jnp.ones(1)))
"""


def has(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


def run(program: str, folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(textwrap.dedent(program))
    command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "--label", "-np", "3", "--platform", "flat:3"]
    return subprocess.run([*command, "program.py"], cwd=folder, capture_output=True, text=True, check=False)


@has("torch")
def test_settings_of_torch(tmp_path: pathlib.Path) -> None:
    done = run(TORCH, tmp_path)
    last = ["torch.float32 meta False", "torch.float32 cpu True", "torch.float64 cpu False"]
    for rank, text in enumerate(last):
        lines = [line.split("] ", 1)[-1] for line in done.stdout.splitlines() if line.startswith(f"[{rank}]")]
        own = "False False" if rank == 0 else "True True"
        assert lines == [own, str(rank == 1), "True", text], done.stderr


@has("jax")
def test_settings_of_jax(tmp_path: pathlib.Path) -> None:
    done = run(JAX, tmp_path)
    for rank in range(3):
        lines = [line.split("] ", 1)[-1] for line in done.stdout.splitlines() if line.startswith(f"[{rank}]")]
        kind = "float64" if rank == 1 else "float32"
        assert lines == [f"{kind} {'highest' if rank == 0 else 'bfloat16'}", f"{4.0 * (rank + 1)}"], done.stderr


@pytest.mark.parametrize(
    ("program", "line", "what"),
    [
        pytest.param(HOOK, 6, "torch: a backward pass is in progress", marks=has("torch")),
        pytest.param(GRAD, 6, "jax: a transformation or a compilation", marks=has("jax")),
        pytest.param(CALLBACK, 7, "jax: a compiled function is running, and has called Python", marks=has("jax")),
    ],
)
def test_a_library_at_work_is_refused(tmp_path: pathlib.Path, program: str, line: int, what: str) -> None:
    done = run(program, tmp_path)
    assert done.returncode == 1
    assert f"program.py:{line}: rank 0: {what}" in done.stderr
