"""Where the interpreter keeps the frames of suspended ranks."""

import pathlib

import pysmpi


def mappings() -> int:
    """How many the process has; the kernel allows 65,530."""
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
