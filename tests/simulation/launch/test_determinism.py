"""Two runs of one program are identical to the bit, whatever the order of Python's sets."""

from collections.abc import Callable

import pytest

# Messages from anyone, probes, collectives, sub-communicators, random numbers nobody seeds, sets of strings, and a
# computation of declared length: what could tell two runs apart. Times are printed to the last bit.
PROGRAM = """
    import random
    from mpi4py import MPI
    import numpy as np
    import pysmpi

    world = MPI.COMM_WORLD
    rank, ranks = world.rank, world.size
    names = {f"name {i}" for i in range(20)}
    for step in range(3):
        pysmpi.execute_flops(random.random() * 1e6)
        for other in range(ranks):
            if other != rank:
                world.isend(sorted(names)[: rank + step], other, tag=step)
        for _ in range(ranks - 1):
            status = MPI.Status()
            while not world.iprobe(MPI.ANY_SOURCE, step, status):
                pass
            world.recv(None, status.source, step)
            print(rank, step, status.source, MPI.Wtime().hex())
        part = world.Split(rank % 3, -rank)
        total = np.array([0.0])
        part.Allreduce(np.random.random(1), total)
        print(rank, part.rank, float(total[0]).hex(), world.allreduce(rank, op=MPI.MAX), MPI.Wtime().hex())
"""


@pytest.mark.parametrize("platform", ["platforms/two_clusters.xml", "platforms/fattree_small.xml"])
def test_two_runs_are_the_same(pysmpirun: Callable, request: pytest.FixtureRequest, platform: str) -> None:
    """Output, its order and every simulated time do not depend on PYTHONHASHSEED."""
    outputs = {
        seed: pysmpirun(
            "-np", "7", "--label", "--quiet", "--cfg=smpi/simulate-computation:no", "program.py",
            source=PROGRAM, platform=str(request.config.rootpath / platform), environment={"PYTHONHASHSEED": seed},
        )
        for seed in ("0", "1", "2718", "random")
    }  # fmt: skip
    assert all(run.returncode == 0 and run.stderr == "" for run in outputs.values())
    first = outputs["0"].stdout
    assert len(first.splitlines()) == 7 * 3 * 7
    assert all(run.stdout == first for run in outputs.values())
