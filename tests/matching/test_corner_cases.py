"""Messages to oneself, and messages that outlive their sender, communicator or buffer."""

import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

import pysmpi
from pysmpi.errors import DeadlockError


def to_oneself() -> tuple[int, bool]:
    """Exchange with oneself while a message with another tag waits."""
    from mpi4py import MPI

    comm = MPI.COMM_SELF
    got = np.zeros(1, int)
    first = comm.Isend(np.array([1]), 0, 5)
    comm.Sendrecv(np.array([2]), 0, 7, got, 0, 5)
    first.Wait()
    return int(got[0]), comm.Iprobe(0, 7)


def after_free() -> int | None:
    """Receive a probed message after its communicator was freed."""
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
    """The receive gets the earlier message with its tag; the sent message keeps waiting."""
    assert pysmpi.simulate(to_oneself, np=1, platform=platform_file).values == [(1, True)]


def test_a_probed_message_outlives_its_communicator(platform_file: Path) -> None:
    assert pysmpi.simulate(after_free, np=2, platform=platform_file).values == [None, 3]


def test_a_rank_that_has_ended_receives_nothing(lines_of: Callable[..., dict[int, list[str]]]) -> None:
    """The buffers are gone, so the pending receive takes no message."""
    lines = lines_of(
        """
        import time
        import numpy as np
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        if comm.rank == 1:
            comm.Irecv(np.zeros(1_000_000), 0)
        else:
            time.sleep(1)
            print(comm.Isend(np.ones(1_000_000), 1).Test())
        """,
        np=2,
    )
    assert lines == {0: ["False"]}


def test_a_large_message_outlives_its_sender(lines_of: Callable[..., dict[int, list[str]]]) -> None:
    """The sender ends or frees the request before the message is received."""
    lines = lines_of(
        """
        import time
        import numpy as np
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        if comm.rank == 1:
            twos, threes = np.full(1_000_000, 2.0), np.full(1_000_000, 3.0)
            comm.Isend(twos, 0, 1)
            comm.Isend(threes, 0, 2)
            comm.isend(bytes(1_000_000), 0, 3).Free()
        else:
            probed = comm.Mprobe(1, 2)
            time.sleep(1)
            got = np.zeros(1_000_000)
            comm.Recv(got, 1, 1)
            print(got.min(), got.max())
            probed.Recv(got)
            print(got.min(), got.max())
            print(len(comm.recv(source=1, tag=3)))
        """,
        np=2,
    )
    assert lines == {0: ["2.0 2.0", "3.0 3.0", "1000000"]}


def test_nobody_touches_a_message_whose_memory_is_gone(lines_of: Callable[..., dict[int, list[str]]]) -> None:
    """The sender released the buffer and ended: received data is undefined, the time is not."""
    lines = lines_of(
        """
        import time
        import numpy as np
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        if comm.rank == 1:
            comm.Isend(np.ones(10_000_000), 0)
        else:
            time.sleep(1)
            comm.Recv(np.zeros(10_000_000), 1)
            print("received")
        """,
        np=2,
    )
    assert lines == {0: ["received"]}


def test_a_stopped_thread_takes_its_receive_along(lines_of: Callable[..., dict[int, list[str]]]) -> None:
    """A daemon thread waits in MPI_Recv when its rank ends."""
    lines = lines_of(
        """
        import threading
        import time
        import numpy as np
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        if comm.rank == 1:
            threading.Thread(target=lambda: comm.Recv(np.zeros(1_000_000), 0), daemon=True).start()
            time.sleep(0.1)
        else:
            time.sleep(1)
            print(comm.Isend(np.ones(1_000_000), 1).Test())
        """,
        np=2,
    )
    assert lines == {0: ["False"]}


def test_what_a_killed_rank_had_not_sent_yet_is_lost(pysmpirun: Callable[..., CompletedProcess[str]]) -> None:
    """The large message is lost, and the receiver waits forever."""
    done = pysmpirun(
        "-np",
        "2",
        "program.py",
        source="""
        import os
        import signal
        import time
        import numpy as np
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        pids = comm.allgather(os.getpid())
        if comm.rank == 1:
            comm.Sendrecv_replace(np.ones(1_000_000), 0, source=0)
        time.sleep(1)
        os.kill(pids[1], signal.SIGTERM)
        time.sleep(1)
        comm.Recv(np.zeros(1_000_000), 1)
        """,
    )
    assert done.returncode == 1
    assert "rank 0 waits for rank 1, which has ended" in done.stderr


def test_elements_may_go_backwards(lines_of: Callable[..., dict[int, list[str]]]) -> None:
    """Elements with a negative extent, and with a negative stride, are exchanged in place."""
    lines = lines_of(
        """
        import numpy as np
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        other = 1 - comm.rank
        backwards = MPI.DOUBLE.Create_resized(0, -8).Commit()
        vector = MPI.DOUBLE.Create_vector(3, 1, -2).Commit()
        for count, datatype in ((3, backwards), (1, vector)):
            data = np.arange(8.0) + 10 * comm.rank
            from_the_sixth = MPI.memory.fromaddress(data.ctypes.data + 40, 24)
            comm.Sendrecv_replace([from_the_sixth, count, datatype], other, source=other)
            print(*data.astype(int))
        """,
        np=2,
    )
    assert lines[0] == ["0 1 2 13 14 15 6 7", "0 11 2 13 4 15 6 7"]
    assert lines[1] == ["10 11 12 3 4 5 16 17", "10 1 12 3 14 5 16 17"]


def attach() -> None:
    """Attach a buffer and never detach it."""
    from mpi4py import MPI

    MPI.Attach_buffer(bytearray(1_000))


def test_an_attached_buffer_goes_with_its_rank(platform_file: Path) -> None:
    """Ranks of the next simulation have no attached buffer."""
    for _ in range(2):
        pysmpi.simulate(attach, np=2, platform=platform_file)


def probe_at_length(forever: bool) -> float | None:
    """Poll in rank 0 for a message that comes after a second, or never."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0 or forever:
        comm.Probe(1 - comm.rank)
        return MPI.Wtime()
    time.sleep(1)
    comm.Send(np.zeros(1), 0)
    return None


def test_polls_of_a_simulation_are_not_those_of_the_next(platform_file: Path) -> None:
    """After a deadlock of probes, a probe in the next simulation takes the usual time."""
    settings = {"smpi/simulate-computation": False, "smpi/iprobe": 0.3}

    def simulate(forever: bool) -> list[float | None]:
        return pysmpi.simulate(probe_at_length, np=2, platform=platform_file, cfg=settings, args=(forever,)).values

    before = simulate(False)
    with pytest.raises(DeadlockError):
        simulate(True)
    assert simulate(False) == before


def truncated_after_free(all_free: bool) -> int | None:
    """Wait for a message that is too long after its communicator was freed, by this rank or by all."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD.Dup()
    if comm.rank == 0:
        comm.Send(np.zeros(2), 1)
        if all_free:
            comm.Free()
        MPI.COMM_WORLD.Barrier()
        return None
    request = comm.Irecv(np.zeros(1), 0)
    comm.Free()
    MPI.COMM_WORLD.Barrier()
    try:
        request.Wait()
    except MPI.Exception as error:
        return error.Get_error_class()
    return None


@pytest.mark.parametrize("all_free", [True, False])
def test_an_error_on_a_freed_communicator_goes_to_the_handler_of_self(platform_file: Path, all_free: bool) -> None:
    """mpi4py raises it, and the program goes on."""
    truncated = 14  # MPI_ERR_TRUNCATE
    got = pysmpi.simulate(truncated_after_free, np=2, platform=platform_file, args=(all_free,)).values
    assert got == [None, truncated]
