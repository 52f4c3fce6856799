"""Effects of a rank that ends early on other ranks. SIGKILL ends a rank as a failure of its host would."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.native import lib
from pysmpi.simulation.instruments.outcome import Counters, Ending, RankOutcome
from pysmpi.simulation.launch.basis import failure_notes
from pysmpi.simulation.launch.summary import summary

ERR_IN_STATUS = 17
PROC_FAILED = 101  # MPIX_ERR_PROC_FAILED of MPICH's ABI
LARGE, SMALL = 1_000_000, 1_000  # of 8 bytes: 8 and 0.008 ms within a host of the platform


def error_of(action: Callable[[], Any]) -> int:
    """Return the error class of an MPI call."""
    from mpi4py import MPI

    try:
        action()
    except MPI.Exception as error:
        return error.Get_error_class()
    return 0


def killed_at(seconds: float) -> bool:
    """End rank 1 after this time; the others continue at once."""
    from mpi4py import MPI

    if MPI.COMM_WORLD.rank != 1:
        return False
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGKILL)
    return True


@pytest.fixture
def values(platform_file: Path) -> Iterator[Callable[..., list[Any]]]:
    """Simulate a function, and return its result in each rank."""

    def run(program: Callable[..., Any], np: int = 2, args: tuple[Any, ...] = (), **cfg: Any) -> list[Any]:
        cfg = {"smpi/simulate-computation": False} | {name.replace("_", "/"): value for name, value in cfg.items()}
        return pysmpi.simulate(program, np=np, platform=platform_file, cfg=cfg, args=args).values

    yield run


def one_call(name: str, before: bool) -> tuple[int, bool] | None:
    """Make one call in rank 0 that needs rank 1, before or after its end; return the error, and whether time passed."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    large, small = np.zeros(LARGE), np.zeros(SMALL)
    if killed_at(1.0):
        return None
    calls: dict[str, Callable[[], Any]] = {
        "Recv": lambda: comm.Recv(large, 1),
        "Irecv": lambda: comm.Irecv(large, 1).Wait(),
        "Waitall": lambda: MPI.Request.Waitall([comm.Irecv(large, 1), comm.Irecv(small, 1)]),
        "Send": lambda: comm.Send(large, 1),
        "Ssend": lambda: comm.Ssend(small, 1),
        "Isend": lambda: comm.Isend(large, 1).Wait(),
        "Sendrecv": lambda: comm.Sendrecv(large, 1, 0, small, 0),
        "Recv_init": lambda: (request := comm.Recv_init(large, 1), request.Start(), request.Wait()),
        "Probe": lambda: comm.Probe(1),
        "Mprobe": lambda: comm.Mprobe(1),
        "Barrier": comm.Barrier,
        "Allreduce": lambda: comm.Allreduce(small, np.zeros(SMALL)),
        "Split": lambda: comm.Split(0),
    }
    if name == "Sendrecv":
        comm.Isend(small, 0)
    if not before:
        time.sleep(2.0)
    begun = MPI.Wtime()
    error = error_of(calls[name])
    return error, MPI.Wtime() - begun > 0.5


CALLS = ["Recv", "Irecv", "Waitall", "Send", "Ssend", "Isend", "Sendrecv", "Recv_init", "Probe", "Mprobe"]
CALLS += ["Barrier", "Allreduce", "Split"]


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_needs_a_failed_rank_fails(values: Callable[..., list[Any]], name: str, before: bool) -> None:
    """A waiting call fails when the rank does, a later one at once."""
    error, waited = values(one_call, args=(name, before))[0]
    assert (error, waited) == (ERR_IN_STATUS if name == "Waitall" else PROC_FAILED, before)


def transfer(sends: bool) -> tuple[int, float] | None:
    """Cut off a transfer of 8 ms in the middle."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    data = np.zeros(LARGE)
    if comm.rank == 1:
        request = comm.Irecv(data, 0) if sends else comm.Isend(data, 0)
        killed_at(0.004)
        request.Wait()
        return None
    error = error_of(lambda: comm.Send(data, 1) if sends else comm.Recv(data, 1))
    return error, MPI.Wtime()


@pytest.mark.smpi
@pytest.mark.parametrize("sends", [True, False])
def test_a_transfer_ends_with_its_rank(values: Callable[..., list[Any]], sends: bool) -> None:
    error, ended = values(transfer, args=(sends,))[0]
    assert error == PROC_FAILED
    assert ended == pytest.approx(0.004, abs=1e-9)


def eager(probed: bool) -> list[int] | None:
    """Send three messages from rank 1: at its end one has arrived, one is in transit and one is unmatched."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 1:
        comm.Send(np.zeros(1), 0, 1)
        time.sleep(1.0)
        requests = [comm.Isend(np.zeros(LARGE), 0, 2), comm.Isend(np.zeros(1_000_000), 0, 3)]
        killed_at(0.004)
        return [len(requests)]
    messages = [comm.Mprobe(1, tag) for tag in (1, 2, 3)] if probed else []
    time.sleep(2.0)
    into = np.zeros(LARGE)
    if probed:
        return [error_of(lambda each=each: each.Recv(into)) for each in messages]
    return [error_of(lambda tag=tag: comm.Recv(into, 1, tag)) for tag in (1, 2, 3)]


@pytest.mark.parametrize("probed", [True, False])
def test_only_what_has_arrived_can_be_received(values: Callable[..., list[Any]], probed: bool) -> None:
    """All messages are sent before they are received, with and without matched probes."""
    settings = {"smpi_async-small-thresh": 1 << 30, "smpi_send-is-detached-thresh": 100}
    assert values(eager, args=(probed,), **settings)[0] == [0, PROC_FAILED, PROC_FAILED]


def survivors() -> tuple[list[int], float] | None:
    """Call collectives with a missing member, and then among the remaining ranks."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    one, total = np.ones(1), np.zeros(1)
    if killed_at(1.0):
        return None
    errors = [error_of(lambda: comm.Allreduce(one, total)), error_of(comm.Barrier)]
    rest = comm.Create_group(comm.group.Excl([1]))
    rest.Allreduce(one, total)
    errors.append(error_of(lambda: comm.Split(comm.rank % 2)))
    return errors, float(total[0])


@pytest.mark.parametrize("ranks", [2, 3, 5, 8, 13])
def test_no_rank_gets_a_result_that_lacks_another(values: Callable[..., list[Any]], ranks: int) -> None:
    """A collective fails at each rank that needs the failed one; the others can continue among themselves."""
    outcome = values(survivors, ranks)
    expected = ([PROC_FAILED] * 3, ranks - 1.0)
    assert outcome == [None if rank == 1 else expected for rank in range(ranks)]


def broadcast() -> int | None:
    """Broadcast when the root and all inner ranks live, but one leaf has failed."""
    from mpi4py import MPI

    if killed_at(1.0):
        return None
    data = np.full(4, MPI.COMM_WORLD.rank)
    time.sleep(2.0)
    error = error_of(lambda: MPI.COMM_WORLD.Bcast(data, 0))
    return error or int(data.sum())


@pytest.mark.smpi
def test_a_collective_succeeds_where_nothing_is_missing(values: Callable[..., list[Any]]) -> None:
    """The root's message to the failed rank fails; the others have all data."""
    assert values(broadcast, 4) == [PROC_FAILED, None, 0, 0]


def any_source() -> int:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    data = np.zeros(1, int)
    if comm.rank == 0:
        comm.Recv(data)
    elif not killed_at(1.0):
        time.sleep(2.0)
        comm.Send(np.array([comm.rank]), 0)
    return int(data[0])


def test_a_receive_from_any_source_waits_for_the_others(values: Callable[..., list[Any]]) -> None:
    """The failed rank does not end the receive."""
    assert values(any_source, 3) == [2, None, 0]


def test_a_failed_rank_does_nothing_any_more(pysmpirun: Callable[..., CompletedProcess[str]]) -> None:
    """No `finally:` clause, exit handler or thread runs; the exit status is that of a killed process."""
    done = pysmpirun(
        "-np",
        "3",
        "program.py",
        source="""
        import atexit
        import os
        import signal
        import threading
        import time
        from mpi4py import MPI

        class Last:
            def __del__(self):
                print("deleted")

        def tick():
            while True:
                print("tick", flush=True)
                time.sleep(1)

        comm = MPI.COMM_WORLD
        pids = comm.allgather(os.getpid())
        if comm.rank == 0:
            time.sleep(1.5)
            os.kill(pids[1], signal.SIGKILL)
            time.sleep(3)
        elif comm.rank == 1:
            last = Last()
            atexit.register(print, "exit handler")
            threading.Thread(target=tick).start()
            try:
                comm.Recv(bytearray(1), 2)
            finally:
                print("finally")
        """,
    )
    assert done.stdout == "tick\ntick\n"
    assert "pysmpi: questionable: rank 1 (host node0) failed at 1.5" in done.stderr
    assert done.returncode == 137


def test_the_error_names_the_rank_and_its_host(lines_of: Callable[..., dict[int, list[str]]]) -> None:
    """mpi4py raises it through the communicator's error handler."""
    lines = lines_of(
        """
        import os
        import signal
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        half = comm.Split(comm.rank % 2)
        if comm.rank == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        elif comm.rank == 1:
            try:
                half.Recv(bytearray(1), 1)
            except MPI.Exception as error:
                print(error)
        """,
        np=4,
    )
    text = "MPI_Recv: rank 3 of MPI_COMM_WORLD (host node0) has failed (MPIX_ERR_PROC_FAILED)"
    assert lines == {1: [text]}


def test_the_example_of_the_documentation(pysmpirun: Callable[..., CompletedProcess[str]]) -> None:
    """The example is in docs/failures.md."""
    text = (Path(__file__).parents[2] / "docs" / "failures.md").read_text()
    source = text.partition("```python\n")[2].partition("```")[0]
    done = pysmpirun("-np", "3", "--cfg=smpi/simulate-computation:no", "program.py", source=source)
    error = "MPI_Barrier: rank 1 of MPI_COMM_WORLD (host node0) has failed (MPIX_ERR_PROC_FAILED)"
    assert sorted(done.stdout.splitlines()) == [f"1.000 s: {error}"] * 2 + ["2 ranks go on"] * 2
    assert done.returncode == 137


def test_results_tell_who_failed(platform_file: Path) -> None:
    result = pysmpi.simulate(killed_at, np=3, platform=platform_file, args=(1.5,))
    assert [outcome.ending for outcome in result.ranks] == [Ending.RETURNED, Ending.FAILED, Ending.RETURNED]
    assert result.ranks[1].failed_at == pytest.approx(1.5, abs=1e-3)
    assert result.values == [False, None, False]
    assert result.exit_status == 137


def killed_in_any_state() -> int | None:
    """Kill rank 1 from a thread while its first one computes, rank 2 before it has begun, and both twice."""
    import threading

    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    me = os.getpid()
    if comm.rank == 0:
        os.kill(me + 2, signal.SIGKILL)
        os.kill(me + 2, signal.SIGKILL)
        return error_of(lambda: comm.Recv(np.zeros(1), 2)) + error_of(lambda: comm.Recv(np.zeros(1), 1))
    threading.Timer(1.0, lambda: os.kill(me, signal.SIGKILL)).start()
    pysmpi.execute(5.0)
    comm.Barrier()
    return None


def test_ranks_fail_in_any_state(platform_file: Path) -> None:
    """No part of them continues, and each is reported once."""
    cfg = {"smpi/simulate-computation": False}
    result = pysmpi.simulate(killed_in_any_state, np=3, platform=platform_file, cfg=cfg)
    assert result.values == [2 * PROC_FAILED, None, None]
    assert [outcome.failed_at for outcome in result.ranks] == [None, 1.0, 0.0]


def reduce_by_hand() -> int:
    """Fail a rank during a collective with a program's own operation."""
    import threading

    from mpi4py import MPI

    operation = MPI.Op.Create(lambda _in, _inout, _type: None, commute=False)
    if MPI.COMM_WORLD.rank == 1:
        threading.Timer(0.012, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
    return error_of(lambda: MPI.COMM_WORLD.Allreduce(np.ones(LARGE), np.ones(LARGE), operation))


def test_a_rank_fails_in_the_midst_of_a_reduction(values: Callable[..., list[Any]]) -> None:
    """No code runs in its name afterwards."""
    assert values(reduce_by_hand, 4) == [PROC_FAILED, None, PROC_FAILED, PROC_FAILED]


def test_a_summary_of_thousands_of_failures_is_short() -> None:
    """Sixteen ranks are named."""
    ranks = [RankOutcome(rank, "host", Ending.FAILED, 137, failed_at=1.0) for rank in range(4096)]
    (note,) = failure_notes(ranks)
    lines = note.text.splitlines()
    assert lines[15] == "rank 15 (host host) failed at 1 s"
    assert lines[16:] == ["… and 4,080 more"]
    result = pysmpi.Result(1.0, 1.0, 1, Counters(), ranks, notes=[note])
    assert "pysmpi: questionable: 4,096 ranks failed; " in summary(result)
    assert "\npysmpi: … and 4,080 more" in summary(result, verbose=True)


def ends_together(fails: bool) -> None:
    """Let rank 0 wait for rank 2; later its computation ends together with rank 1's, which starts the next one
    first."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    nothing = np.zeros(0)
    if comm.rank == 2:
        time.sleep(1.0)
        if fails:
            os.kill(os.getpid(), signal.SIGKILL)
        comm.Send(nothing, 0)
    if comm.rank == 0:
        with contextlib.suppress(MPI.Exception):
            comm.Recv(nothing, 2)
    if comm.rank < 2:
        pysmpi.sleep(2.0 - lib.pysmpi_now())
        pysmpi.execute(1.0)
        comm.Isend(nothing, MPI.PROC_NULL).Wait()
        if comm.rank == 0:
            comm.Isend(nothing, MPI.PROC_NULL).Wait()
        pysmpi.execute(1.0)
        comm.Isend(nothing, MPI.PROC_NULL).Wait()
        print(comm.rank)


@pytest.mark.parametrize("fails", [False, True])
def test_a_wait_that_fails_leaves_its_host_as_others_do(
    platform_file: Path, capsys: pytest.CaptureFixture[str], fails: bool
) -> None:
    """The order of two computations that end together does not depend on the failure."""
    cfg = {"smpi/simulate-computation": False}
    hosts = ["node0", "node1", "node2", "node0", "node1"]
    pysmpi.simulate(ends_together, np=5, platform=platform_file, hosts=hosts, cfg=cfg, args=(fails,))
    assert capsys.readouterr().out.split() == ["1", "0"]


def probed_across(probe: str) -> int | None:
    """Probe in rank 0 for a message of the other group's second rank, which has ended; return the error."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    own = world.Split(world.rank // 2)
    between = own.Create_intercomm(0, world, 2 - world.rank // 2 * 2)
    if world.rank == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(1.0)
    return error_of(lambda: getattr(between, probe)(1)) if world.rank == 0 else None


@pytest.mark.parametrize("probe", ["Iprobe", "Improbe"])
def test_probes_across_an_intercommunicator_look_at_the_other_group(
    values: Callable[..., list[Any]], probe: str
) -> None:
    """The failed rank is that of the other group, not the own rank with that number."""
    assert values(probed_across, np=4, args=(probe,))[0] == PROC_FAILED


def probed_on_a_freed_communicator(probe: str) -> int | None:
    """Free the communicator in another thread, and create one of other ranks, before the sender has ended."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    probed = world.Dup()

    def free() -> None:
        pysmpi.sleep(0.5)
        probed.Free()
        world.Split(0, -world.rank)

    freeing = threading.Thread(target=free)
    freeing.start()
    error = None
    if world.rank == 0:
        error = error_of(lambda: getattr(MPI.Comm.fromhandle(probed.handle), probe)(1))
    freeing.join()
    if world.rank == 1:
        time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGKILL)
    return error


@pytest.mark.parametrize("probe", ["Probe", "Mprobe"])
def test_a_probe_goes_on_when_its_communicator_is_freed(values: Callable[..., list[Any]], probe: str) -> None:
    """The probe ends as if the communicator still existed."""
    assert values(probed_on_a_freed_communicator, np=2, args=(probe,))[0] == PROC_FAILED
