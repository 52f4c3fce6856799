"""Pools of processes: mpi4py.futures."""

import pathlib
import subprocess
import sys

import pytest

PLATFORM = pathlib.Path(__file__).resolve().parents[3] / "platforms" / "cluster.xml"

POOL = """
from mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor

class Number:
    def __init__(self, value):
        self.value = value

def square(number):
    return Number(number.value**2), MPI.COMM_WORLD.size, __name__

if __name__ == "__main__":
    with MPIPoolExecutor(3) as executor:
        results = list(executor.map(square, map(Number, range(10))))
    print([number.value for number, _, _ in results], {tuple(rest) for _, *rest in results})
"""

SPLIT = """
from mpi4py import MPI
from mpi4py.futures import MPICommExecutor

with MPICommExecutor(MPI.COMM_WORLD, root=1) as executor:
    if executor is not None:
        print(sum(executor.map(abs, range(-100, 0), chunksize=7)))
"""


def run(tmp_path: pathlib.Path, source: str, *command: str, ranks: int) -> str:
    """Return the output of a program."""
    script = tmp_path / "program.py"
    script.write_text(source)
    words = [sys.executable, "-m", "pysmpi.cli.run", "-np", str(ranks), "--platform", str(PLATFORM), "--quiet"]
    done = subprocess.run([*words, *command, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def test_pool_of_spawned_processes(tmp_path: pathlib.Path) -> None:
    """Workers run the master's program under another module name, and return objects of its classes."""
    printed = run(tmp_path, POOL, ranks=1)
    assert printed == f"{[number**2 for number in range(10)]} {{(3, '__worker__')}}\n"


@pytest.mark.parametrize("ranks", [2, 5])
def test_pool_of_the_other_ranks(tmp_path: pathlib.Path, ranks: int) -> None:
    """With -m mpi4py.futures, rank 0 runs the program and the others are its workers."""
    printed = run(tmp_path, POOL, "-m", "mpi4py.futures", ranks=ranks)
    assert printed == f"{[number**2 for number in range(10)]} {{({ranks}, '__worker__')}}\n"


@pytest.mark.parametrize("ranks", [2, 7])
def test_pool_of_a_communicator(tmp_path: pathlib.Path, ranks: int) -> None:
    """One rank of a communicator is the master of the others."""
    assert run(tmp_path, SPLIT, ranks=ranks) == "5050\n"
