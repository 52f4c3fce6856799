"""Local variables of compiled code as buffers: blocking calls copy them, other calls refuse them by name.

Ranks share one C stack. While a rank waits, its local variables hold another rank's data. (Code that ctypes calls has a
stack of its own if pysmpi sees that it calls MPI; here, a function of a library without MPI calls it.)
"""

import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import NativeCodeError

SOURCE = pathlib.Path(__file__).with_name("stack_memory.c")
HEADER = pathlib.Path(__file__).resolve().parents[2] / "pysmpi" / "native" / "mpi"
KEPT = re.findall(r"^KEPT\((\w+),", SOURCE.read_text(), re.MULTILINE)
RIGHT = re.findall(r"^int (right_\w+)\(", SOURCE.read_text(), re.MULTILINE)
CFG = {"smpi/simulate-computation": "no"}
RANKS = 4


THROUGH = "int through(int (*function)(int*), int* heap) { return function(heap); }\n"


@pytest.fixture(scope="module")
def through(tmp_path_factory: pytest.TempPathFactory, library: ctypes.CDLL) -> Any:
    """Return a function of a library without MPI, which calls another function."""
    folder = tmp_path_factory.mktemp("through")
    (folder / "through.c").write_text(THROUGH)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "through.so", folder / "through.c"], check=True)
    return ctypes.CDLL(str(folder / "through.so")).through


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, MPI: ModuleType) -> ctypes.CDLL:
    """Return the functions of stack_memory.c."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    shared = tmp_path_factory.mktemp("library") / "libstack.so"
    command = [compiler, "-O1", "-shared", "-fPIC", f"-I{HEADER}", "-o", shared, SOURCE]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(shared))


def call(MPI: ModuleType, through: Any, function: Any) -> int:
    heap = (ctypes.c_int * 256)()
    return int(through(function, heap))


def line_of_call() -> str:
    line = call.__code__.co_firstlineno + 2
    return f"test_stack_memory.py:{line}: rank "


@pytest.mark.parametrize("name", KEPT)
def test_calls_that_keep_a_local_variable_are_refused(
    MPI: ModuleType, library: ctypes.CDLL, through: Any, name: str
) -> None:
    """The error names the line of the program, the rank, the function and the library."""
    function = "MPI_" + name.removesuffix("_bottom").removesuffix("_inside").removesuffix("_of").removesuffix("_mixed")
    with pytest.raises(NativeCodeError) as caught:
        pysmpi.simulate(
            call, np=RANKS, platform="flat:4", cfg=CFG, args=(MPI, through, getattr(library, f"kept_{name}"))
        )
    text = str(caught.value)
    function = function.removesuffix("_in_place")
    assert line_of_call() in text and f": {function}, called by libstack.so: " in text
    assert "is a local variable of compiled code" in text


@pytest.mark.parametrize("name", RIGHT)
def test_calls_that_may_have_local_variables(
    run_ranks: Callable[..., list[Any]],
    library: ctypes.CDLL,
    through: Any,
    name: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_ranks(call, RANKS, through, getattr(library, name)) == [1] * RANKS


def test_memory_of_the_heap_under_an_unlimited_stack(tmp_path: pathlib.Path) -> None:
    """Without a limit of the stack (`ulimit -s unlimited`), the heap lies in the range in which the stack may grow."""
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy\nfrom mpi4py import MPI\nworld = MPI.COMM_WORLD\nbuffer = numpy.zeros(1 << 20)\n"
        "window = MPI.Win.Create(buffer, comm=world)\nwindow.Free()\nprint(world.bcast(1))\n"
    )
    command = f"ulimit -s unlimited && {sys.executable} -m pysmpi.cli.run -np 2 --platform flat:2 {program}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "1\n1\n", done.stderr
