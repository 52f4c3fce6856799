"""Frames of suspended ranks, and the memory that the interpreter keeps them in."""

import pathlib
import subprocess
import sys
import textwrap

import pytest

import pysmpi


def mappings() -> int:
    return len(pathlib.Path("/proc/self/maps").read_text().splitlines())


def test_ranks_that_end_in_any_order_leave_no_holes() -> None:
    """When every second of 3,000 ranks has ended, there are hardly more mappings than when none had."""

    def program() -> tuple[int, int]:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        world.Barrier()
        before = mappings() if world.rank == 0 else 0
        if world.rank % 2 == 0:
            pysmpi.sleep(1 if world.rank == 0 else 2)
        return before, mappings() if world.rank == 0 else 0

    result = pysmpi.simulate(program, np=3000, platform="flat:3000")
    before, after = result.values[0]
    assert after < before + 300


def test_calls_go_deeper_than_ranks_were_blocked_before() -> None:
    """Each of 300 ranks blocks at the depth of its program, then at ever greater ones, and returns from all of them."""

    def program() -> int:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        world.Barrier()

        def depth(left: int) -> int:
            if left % 10 == 0:
                world.Barrier()
            return 1 + depth(left - 1) if left else 0

        return sum(depth(10 * rounds) for rounds in range(1, 6)) + world.rank

    result = pysmpi.simulate(program, np=300, platform="flat:300")
    assert result.values == [150 + rank for rank in range(300)]


# Source of a process that measures ranks. In the tests' process, pages which earlier tests gave back would count again
# when they are used.
MEASURED = """
import pathlib
import pysmpi

def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

{program}

few, many = (pysmpi.simulate(program, np=ranks, platform=f"flat:{{ranks}}").values[-1] for ranks in (100, 3100))
print((many - few) / 3000)
"""


def bytes_of_a_rank(program: str) -> float:
    """Return the resident memory of each of 3,000 more ranks of a program, whose last rank returns the process's."""
    source = MEASURED.format(program=textwrap.dedent(program))
    command = [sys.executable, "-c", source]
    ended = subprocess.run(command, timeout=100, check=True, capture_output=True, text=True)
    return float(ended.stdout)


@pytest.mark.memory
def test_a_blocked_rank_takes_few_kilobytes() -> None:
    """3,000 more ranks that are all blocked take less than 10 KB each, in whatever calls they were blocked before."""
    program = """
    def program():
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        data = bytearray(8)
        for _ in range(3):
            world.Sendrecv(b"12345678", (world.rank + 1) % world.size, 0, data, (world.rank - 1) % world.size)
            world.Barrier()
        if world.rank == world.size - 1:
            pysmpi.sleep(1)
        world.Barrier()
        return resident() if world.rank == world.size - 1 else 0
    """
    assert bytes_of_a_rank(program) < 10_000


@pytest.mark.memory
def test_functions_that_block_deeper_take_no_page_of_frames() -> None:
    """3,000 more ranks that block in a function, then in deeper ones, take less than 11 KB each."""
    program = """
    def program():
        from mpi4py import MPI

        read(MPI.COMM_WORLD)
        return run(MPI.COMM_WORLD)

    def read(world):
        world.Barrier()

    def run(world):
        first, second, third, fourth = (float(world.rank) for _ in range(4))
        return sweep(world, first, second, third, fourth)

    def sweep(world, first, second, third, fourth):
        if world.rank == world.size - 1:
            pysmpi.sleep(1)
        world.Barrier()
        return resident() if world.rank == world.size - 1 else int(first + second + third + fourth)
    """
    assert bytes_of_a_rank(program) < 11_000


def test_tracemalloc_may_stop_after_a_first_simulation() -> None:
    program = (
        "import tracemalloc; tracemalloc.start()\n"
        "import pysmpi\n"
        "pysmpi.simulate(lambda: None, np=2, platform='flat:2')\n"
        "kept = [[i] * i for i in range(60, 900)]\n"
        "tracemalloc.stop()\n"
        "del kept\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=100, check=False).returncode == 0
