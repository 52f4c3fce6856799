"""Libraries with one state in the process: only one rank may use them."""

import ctypes
import pathlib
import shutil
import subprocess
from collections.abc import Callable
from types import ModuleType

import pytest

import pysmpi
from pysmpi.errors import NativeCodeError
from pysmpi.simulation.isolation.single_libraries import LIBRARIES

HEADER = pathlib.Path(__file__).resolve().parents[3] / "pysmpi" / "native" / "mpi"
SOURCE = """
#include <mpi.h>
void initialise(void) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Comm_free(&own);
}
int total(int value) {
  int sum = -1;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory, MPI: ModuleType) -> Callable[[str], ctypes.CDLL]:
    """Compile a library with the given file name."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "source.c").write_text(SOURCE)

    def make(name: str) -> ctypes.CDLL:
        command = [compiler, "-shared", "-fPIC", f"-I{HEADER}", "-o", folder / name, folder / "source.c"]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(folder / name))

    return make


def run(MPI: ModuleType, library: ctypes.CDLL, users: int) -> int:
    if MPI.COMM_WORLD.rank < users:
        library.initialise()
        return int(library.total(1)) if users == MPI.COMM_WORLD.size else 0
    return -1


@pytest.mark.parametrize("name", ["libcorenrnmech.so", "libEl.so.0.88", "libnestkernel.so"])
def test_a_second_rank_that_uses_such_a_library(
    MPI: ModuleType, build: Callable[[str], ctypes.CDLL], name: str
) -> None:
    library = build(name)
    assert pysmpi.simulate(run, np=3, platform="flat:3", args=(MPI, library, 1)).values == [0, -1, -1]
    with pytest.raises(NativeCodeError) as caught:
        pysmpi.simulate(run, np=3, platform="flat:3", args=(MPI, library, 2))
    text = str(caught.value)
    assert "test_single_libraries.py:" in text and "rank 1: MPI_" in text and f"called by {name}" in text
    assert "only one rank may use it. Rank 0 uses it already" in text


def test_a_library_without_such_a_state(MPI: ModuleType, build: Callable[[str], ctypes.CDLL]) -> None:
    assert pysmpi.simulate(run, np=3, platform="flat:3", args=(MPI, build("libplain.so"), 3)).values == [3, 3, 3]


def test_a_second_rank_that_imports_such_a_package(MPI: ModuleType, installed: Callable[[str, str], None]) -> None:
    installed("nest/__init__.py", "def init(): pass\n")
    installed("nest/kernel.py", "RANK = 0\n")

    def program(users: int) -> int:
        if MPI.COMM_WORLD.rank >= users:
            return -1
        from nest import kernel

        return int(kernel.RANK)

    assert pysmpi.simulate(program, np=2, platform="flat:2", args=(1,)).values == [0, -1]
    with pytest.raises(
        NativeCodeError, match=r"test_single_libraries\.py:\d+: rank 1: import nest: NEST keeps"
    ) as caught:
        pysmpi.simulate(program, np=2, platform="flat:2", args=(2,))
    assert "Rank 0 uses it already" in str(caught.value)


def test_a_module_of_the_program_with_the_same_name(
    lines_of: Callable[..., dict[int, list[str]]], own: Callable[[str, str], None]
) -> None:
    own("neuron.py", "STATE = 1\n")
    assert lines_of("import neuron\nprint(neuron.STATE)", 2) == {0: ["1"], 1: ["1"]}


def test_each_library_says_what_ranks_would_share() -> None:
    assert all(library.name and library.state and (library.files or library.packages) for library in LIBRARIES)
    names = [name for library in LIBRARIES for name in (*library.files, *library.packages)]
    assert len(set(names)) == len(names)
