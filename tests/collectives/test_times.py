"""Simulated times of collectives, if they follow from SMPI's sequence of MPI calls."""

import pytest

pytestmark = pytest.mark.smpi


def _elapsed(operation, count):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    a, b = np.zeros(count), np.zeros(count * comm.size)
    begin = MPI.Wtime()
    {
        "barrier": lambda: comm.Barrier(),
        "bcast": lambda: comm.Bcast(a),
        "pipeline": lambda: comm.Bcast(a),
        "reduce": lambda: comm.Reduce(a, b[:count] if comm.rank == 0 else None),
        "gather": lambda: comm.Gather(a, b),
        "allreduce": lambda: comm.Allreduce(a, b[:count]),
    }[operation]()
    return MPI.Wtime() - begin


def _by_hand(operation, count):
    """Carry out the collective by MPI's point-to-point calls, as SMPI's algorithms do."""
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    a, b = np.zeros(count), np.zeros((ranks, count))

    def gather():
        if rank:
            comm.Isend(a, 0).Wait()
        else:
            MPI.Request.Waitall([comm.Irecv(b[i], i) for i in range(1, ranks)])

    def bcast():
        distance = 1
        while distance < ranks and not rank & distance:
            distance *= 2
        if rank:
            comm.Recv(a, rank - distance)
        while distance > 1:
            distance //= 2
            if rank + distance < ranks:
                comm.Send(a, rank + distance)

    def barrier():
        if rank:
            comm.Send(b"", 0)
            comm.Recv(bytearray(0), 0)
        else:
            MPI.Request.Waitall([comm.Irecv(bytearray(0), i) for i in range(1, ranks)])
            MPI.Request.Waitall([comm.Isend(b"", i) for i in range(1, ranks)])

    def pipeline():
        segments = [a[i : i + 1024] for i in range(0, count - 1023, 1024)]
        receives = [comm.Irecv(segment, rank - 1) for segment in segments] if rank else []
        sends = []
        for i, segment in enumerate(segments):
            if rank:
                receives[i].Wait()
            if rank + 1 < ranks:
                sends.append(comm.Isend(segment, rank + 1))
        MPI.Request.Waitall(sends)

    begin = MPI.Wtime()
    for step in {"barrier": [barrier], "bcast": [bcast], "reduce": [gather], "gather": [gather],
                 "allreduce": [gather, bcast], "pipeline": [pipeline]}[operation]:  # fmt: skip
        step()
    return MPI.Wtime() - begin


OVERHEADS = {"smpi/os": "0:3e-6:1e-9", "smpi/ois": "0:2e-6:1e-9", "smpi/or": "0:5e-6:2e-9"}


@pytest.mark.parametrize("cfg", [{}, OVERHEADS], ids=["free", "overheads"])
@pytest.mark.parametrize("count", [0, 1, 1000, 8191, 8192, 100_000])
@pytest.mark.parametrize("operation", ["barrier", "bcast", "reduce", "gather", "allreduce"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 8, 13])
def test_times_equal_those_of_the_messages(run, ranks, operation, count, cfg):
    """A schedule takes as long as the corresponding MPI calls, with and without the costs of calls."""
    schedule = run(_elapsed, ranks, operation, count, cfg=cfg).values
    calls = run(_by_hand, ranks, operation, count, cfg=cfg).values
    assert schedule == pytest.approx(calls, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("cfg", [{}, OVERHEADS], ids=["free", "overheads"])
@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_times_of_a_pipeline(run, ranks, cfg):
    """Segments are passed on one by one, each after the costs of the calls before it."""
    schedule = run(_elapsed, ranks, "pipeline", 10 * 1024, cfg={**cfg, "smpi/bcast": "NTSL"}).values
    calls = run(_by_hand, ranks, "pipeline", 10 * 1024, cfg=cfg).values
    assert schedule == pytest.approx(calls, rel=1e-12, abs=1e-15)


def test_runs_are_identical(run):
    """Two runs of one program give the same times to the bit."""
    first = run(_elapsed, 13, "allreduce", 1000).values
    assert run(_elapsed, 13, "allreduce", 1000).values == first
