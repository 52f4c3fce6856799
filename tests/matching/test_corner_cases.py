"""Messages to oneself, and messages that outlive what they came through."""

import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

import pysmpi
from pysmpi.errors import DeadlockError


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


def test_a_rank_that_has_ended_receives_nothing(lines_of: Callable[..., dict[int, list[str]]]) -> None:
    """Its buffers are gone: a receive that it left behind takes no message."""
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
    """The sender has ended, or freed the request, before the message is received or the probed message is."""
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
    """Its sender let go of the buffer and ended: what is received is undefined, how long it takes is not."""
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
    """A daemon thread that waits in MPI_Recv when its rank ends."""
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
    """Its large message has gone with it, and the receiver waits for ever."""
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
    """An exchange in place of elements with a negative extent, and of one with a negative stride."""
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
    """A program that attaches a buffer and never detaches it."""
    from mpi4py import MPI

    MPI.Attach_buffer(bytearray(1_000))


def test_an_attached_buffer_goes_with_its_rank(platform_file: Path) -> None:
    """The next simulation's ranks have none."""
    for _ in range(2):
        pysmpi.simulate(attach, np=2, platform=platform_file)


def probe_at_length(forever: bool) -> float | None:
    """Rank 0 polls for a message that comes after a second, or never."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0 or forever:
        comm.Probe(1 - comm.rank)
        return MPI.Wtime()
    time.sleep(1)
    comm.Send(np.zeros(1), 0)
    return None


def test_polls_of_a_simulation_are_not_those_of_the_next(platform_file: Path) -> None:
    """After one that ended in a deadlock of probes, a probe takes as long as before."""
    settings = {"smpi/simulate-computation": False, "smpi/iprobe": 0.3}

    def simulate(forever: bool) -> list[float | None]:
        return pysmpi.simulate(probe_at_length, np=2, platform=platform_file, cfg=settings, args=(forever,)).values

    before = simulate(False)
    with pytest.raises(DeadlockError):
        simulate(True)
    assert simulate(False) == before


def truncated_after_free(all_free: bool) -> int | None:
    """A message that is too long is waited for when its communicator is gone, for this rank or for all."""
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
    """It is raised, as mpi4py has it, and does not end the program."""
    truncated = 14  # MPI_ERR_TRUNCATE
    got = pysmpi.simulate(truncated_after_free, np=2, platform=platform_file, args=(all_free,)).values
    assert got == [None, truncated]
