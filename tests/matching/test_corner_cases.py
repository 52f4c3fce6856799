"""Messages to oneself, and messages that outlive what they came through."""

from pathlib import Path

import numpy as np

import pysmpi


def to_oneself() -> tuple[int, bool]:
    """A message already waits; what Sendrecv sends has another tag."""
    from mpi4py import MPI

    comm = MPI.COMM_SELF
    got = np.zeros(1, int)
    first = comm.Isend(np.array([1]), 0, 5)
    comm.Sendrecv(np.array([2]), 0, 7, got, 0, 5)
    first.Wait()
    return int(got[0]), comm.Iprobe(0, 7)


def after_free() -> int | None:
    """A probed message is received when its communicator is gone."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD.Dup()
    got = np.zeros(1, int)
    if comm.rank == 0:
        comm.Send(np.array([3]), 1)
        comm.Free()
        return None
    message = comm.Mprobe(0)
    comm.Free()
    message.Recv(got)
    return int(got[0])


def test_sendrecv_to_oneself_gets_the_message_that_matches(platform_file: Path) -> None:
    """The earlier message with the tag asked for; its own waits on."""
    assert pysmpi.simulate(to_oneself, np=1, platform=platform_file).values == [(1, True)]


def test_a_probed_message_outlives_its_communicator(platform_file: Path) -> None:
    """MPI_Mrecv needs no communicator."""
    assert pysmpi.simulate(after_free, np=2, platform=platform_file).values == [None, 3]
