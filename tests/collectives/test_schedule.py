"""pysmpi.Schedule: messages and times equal those of the corresponding MPI calls."""

import itertools
import pathlib
import subprocess
import sys

import pytest

from pysmpi.errors import DeadlockError, RankError, SimulationError

MPIEXEC = pathlib.Path(sys.executable).parent / "mpiexec"
OVERHEADS = {"smpi/os": "0:1e-6:1e-9", "smpi/ois": "0:2e-6:1e-9", "smpi/or": "0:3e-6:0"}


def _rounds(handed_over, ranks_apart, count):
    """Shift data around the ranks, by calls or by a schedule; return the elapsed time and the data."""
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    rank, size = comm.rank, comm.size
    mine = np.arange(count, dtype=float) + 1000 * rank
    received = np.full((len(ranks_apart), count), -1.0)
    comm.Barrier()
    begin = MPI.Wtime()
    schedule = pysmpi.Schedule(comm)
    for number, apart in enumerate(ranks_apart):
        source, dest = (rank - apart) % size, (rank + apart) % size
        if handed_over:
            schedule.receive(received[number], source, number)
            schedule.send(mine, dest, number)
            if number % 3 == 2:
                schedule.wait()
        else:
            if number % 3 == 0:
                requests = []
            requests.append(comm.Irecv(received[number], source, number))
            requests.append(comm.Isend(mine, dest, number))
            if number % 3 == 2 or number == len(ranks_apart) - 1:
                MPI.Request.Waitall(requests)
    if handed_over:
        schedule.run()
    for number, apart in enumerate(ranks_apart):
        assert np.array_equal(received[number], np.arange(count) + 1000.0 * ((rank - apart) % size))
    return MPI.Wtime() - begin


@pytest.mark.parametrize("cfg", [{}, OVERHEADS], ids=["no overheads", "overheads"])
@pytest.mark.parametrize("count", [0, 1, 1000, 100_000])
@pytest.mark.parametrize("ranks", [1, 2, 7])
def test_times_are_those_of_the_calls(run, ranks, count, cfg):
    """Rounds of shifts are eager and rendezvous, with and without the costs of calls."""
    apart = [1, 2, 3, 1, 5]
    assert run(_rounds, ranks, True, apart, count, cfg=cfg).values == pytest.approx(
        run(_rounds, ranks, False, apart, count, cfg=cfg).values, rel=1e-12
    )


def _blocking(handed_over, synchronous):
    """Exchange with both neighbours in turn: MPI_Irecv, MPI_Send, MPI_Wait, or MPI_Issend, MPI_Recv, MPI_Wait."""
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    rank, size = comm.rank, comm.size
    mine, theirs = np.full(100_000, float(rank)), np.zeros(100_000)
    comm.Barrier()
    begin = MPI.Wtime()
    for turn in range(4):
        peer = (rank + (1 if (rank + turn) % 2 else -1)) % size
        if handed_over:
            schedule = pysmpi.Schedule(comm)
            if synchronous:
                schedule.send(mine, peer, synchronous=True)
                schedule.receive(theirs, peer, blocking=True)
            else:
                schedule.receive(theirs, peer)
                schedule.send(mine, peer, blocking=True)
            schedule.wait()
            schedule.send(mine[:10], peer, synchronous=True, blocking=rank < peer)
            schedule.receive(theirs[:10], peer, blocking=rank > peer)
            schedule.run()
        else:
            if synchronous:
                request = comm.Issend(mine, peer)
                comm.Recv(theirs, peer)
            else:
                request = comm.Irecv(theirs, peer)
                comm.Send(mine, peer)
            request.Wait()
            if rank < peer:
                comm.Ssend(mine[:10], peer)
                comm.Irecv(theirs[:10], peer).Wait()
            else:
                request = comm.Issend(mine[:10], peer)
                comm.Recv(theirs[:10], peer)
                request.Wait()
        assert (theirs == peer).all()
    return MPI.Wtime() - begin


@pytest.mark.parametrize("cfg", [{}, OVERHEADS], ids=["no overheads", "overheads"])
@pytest.mark.parametrize("synchronous", [False, True])
def test_blocking_steps_take_as_long_as_blocking_calls(run, synchronous, cfg):
    handed_over, called = (run(_blocking, 6, each, synchronous, cfg=cfg).values for each in (True, False))
    assert handed_over == pytest.approx(called, rel=1e-12)


def _polled(handed_over, late, computed):
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    data = np.zeros(3)
    if comm.rank == 1:
        pysmpi.sleep(late)
        comm.Send(np.ones(3), 0, 5)
    elif handed_over:
        schedule = pysmpi.Schedule(comm)
        schedule.poll(1, 5)
        schedule.execute(computed)
        schedule.receive(data, 1, 5)
        schedule.run()
    else:
        while not comm.Iprobe(1, 5):
            pass
        pysmpi.execute(computed)
        comm.Recv(data, 1, 5)
    assert comm.rank == 1 or data.all()
    return MPI.Wtime()


def test_polling_takes_as_long_as_probes(run):
    handed_over, by_calls = (run(_polled, 2, how, 0.01, 0).values for how in (True, False))
    assert handed_over == pytest.approx(by_calls, rel=1e-12)


def test_polls_wait_where_they_take_no_time(run):
    """With smpi/iprobe:0 too, the step after a poll comes after the message."""
    cfg = {"smpi/iprobe": 0}
    handed_over, by_calls = (run(_polled, 2, how, 1, 1, cfg=cfg).values for how in (True, False))
    assert handed_over == pytest.approx(by_calls, rel=1e-12)
    assert handed_over[0] > 2


def _polled_for_a_failed_rank():
    import os
    import signal

    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        schedule = pysmpi.Schedule(comm)
        schedule.poll(1)
        try:
            schedule.run()
        except MPI.Exception as error:
            return error.Get_error_class(), MPI.Wtime()
    elif comm.rank == 1:
        pysmpi.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)
        comm.Barrier()
    else:
        pysmpi.execute(100)
    return None


@pytest.mark.parametrize("cost", [0, 1e-4])
def test_a_poll_for_a_failed_rank_ends(run, cost):
    """The poll ends with MPI_Iprobe's error while another rank still runs."""
    assert run(_polled_for_a_failed_rank, 3, cfg={"smpi/iprobe": cost}).values[0] == (101, pytest.approx(1, rel=0.1))


def _polled_by_many(handed_over, pause):
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        for turn in range(3):
            pysmpi.execute(pause)
            for dest in range(1, comm.size):
                pysmpi.sleep(0.001 * dest)
                comm.Send(np.ones(turn), (dest * 3) % comm.size, turn)
        return None
    data, looks = np.zeros(3), []
    for turn in range(3):
        if handed_over:
            schedule = pysmpi.Schedule(comm)
            schedule.poll(0, MPI.ANY_TAG if comm.rank == 2 else turn)
            schedule.run()
        else:
            while not comm.Iprobe(0, MPI.ANY_TAG if comm.rank == 2 else turn):
                pass
        looks.append(MPI.Wtime())
        comm.Recv(data, 0, turn)
    return looks


@pytest.mark.smpi
@pytest.mark.parametrize("nodes", [range(7), [0, 1, 2, 0, 1, 2, 0], [0] * 7], ids=["apart", "together", "on one host"])
def test_polls_of_many_ranks_lengthen_each_other(run, nodes):
    """Thousands of polls, on separate and shared hosts, take as long as the calls."""
    handed_over, by_calls = (run(_polled_by_many, 7, how, 0.3, nodes=nodes) for how in (True, False))
    assert handed_over.values == by_calls.values
    assert handed_over.counters.failed_probes == by_calls.counters.failed_probes > 100


def test_polls_by_calls_become_longer_but_little(run):
    """Polls that the engine repeats keep their length; a loop of calls ends at most 0.01 % of the wait later."""
    handed_over, by_calls = (run(_polled_by_many, 7, how, 0.005).values[1:] for how in (True, False))
    for exact, late in zip(itertools.chain(*handed_over), itertools.chain(*by_calls), strict=True):
        assert exact <= late <= exact + 1e-4 * 0.03 + 2.5e-7  # a turn takes 0.026 s
    assert handed_over != by_calls


def _mixed_with_calls():
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    data, both = np.full(4, float(comm.rank)), np.zeros(4)
    if comm.rank == 0:
        schedule = pysmpi.Schedule(comm)
        schedule.receive(data)  # from any rank, with any tag
        schedule.wait()
        schedule.copy(data, both)
        schedule.send(both, 1, 3)
        schedule.send(both, MPI.PROC_NULL)
        schedule.receive(both, MPI.PROC_NULL)
        for turn in range(1, 4):
            schedule.run()
            assert (both == turn).all()
    else:
        for turn in range(1, 4):
            comm.Send(np.full(4, float(turn)), 0, turn)
            comm.Recv(data, 0, 3)
            assert (data == turn).all()


def test_messages_match_those_of_calls(run):
    """A schedule runs several times, and matches ordinary sends and receives."""
    run(_mixed_with_calls, 2)


def _answered(handed_over):
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    sent, answer = np.ones(3), np.zeros(3)
    if comm.rank == 1:
        comm.Recv(answer, 0)
        comm.Send(answer, 0)
    elif comm.rank == 2:
        pysmpi.sleep(0.01)
    elif handed_over:
        schedule = pysmpi.Schedule(comm)
        schedule.send(sent, 1)
        schedule.poll(1)
        schedule.receive(answer, 1)
        schedule.run()
    else:
        request = comm.Isend(sent, 1)
        while not comm.Iprobe(1):
            pass
        MPI.Request.Waitall([request, comm.Irecv(answer, 1)])
    return MPI.Wtime()


@pytest.mark.parametrize("cfg", [{}, OVERHEADS], ids=["no overheads", "overheads"])
def test_what_is_sent_before_a_poll_is_on_its_way(run, cfg):
    """The poll is for the answer to a message that has not been waited for."""
    assert run(_answered, 3, True, cfg=cfg).values == pytest.approx(run(_answered, 3, False, cfg=cfg).values, rel=1e-12)


def _on_other_communicators():
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    half = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2)
    for comm in (half, half.Dup(), MPI.COMM_SELF):
        data = np.full(3, -1.0)
        schedule = pysmpi.Schedule(comm)
        schedule.receive(data, (comm.rank - 1) % comm.size)
        schedule.send(np.full(3, float(comm.rank)), (comm.rank + 1) % comm.size)
        schedule.run()
        assert (data == (comm.rank - 1) % comm.size).all()
    freed = half.Dup()
    schedule = pysmpi.Schedule(freed)
    freed.Free()
    with pytest.raises(MPI.Exception, match=r"has been freed \(MPI_ERR_COMM\)"):
        schedule.run()


def test_it_runs_on_any_communicator(run):
    """This includes communicators of the program, whose handles are negative, but no freed ones."""
    run(_on_other_communicators, 5)


def _with_steps_of_its_own():
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    pattern = pysmpi.Schedule()
    pattern.execute(1)
    first, second = pattern.on(comm), pattern.on(comm)
    first.execute(10)
    second.execute(100)
    assert [len(each) for each in (pattern, first, second)] == [1, 2, 2]
    begin = MPI.Wtime()
    second.run()
    return MPI.Wtime() - begin


def test_steps_added_on_a_communicator_are_its_own(run):
    """The original schedule and others made from it do not get them."""
    assert run(_with_steps_of_its_own, 2).values == pytest.approx([101, 101])


def _with_sizes(handed_over):
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    other = 1 - comm.rank
    seconds = [0.001, 0.0, 0.003]
    lengths = [10, 99_999, 0]
    out, into = np.arange(100_000, dtype=float), np.zeros(100_000)
    pattern = pysmpi.Schedule(sizes=2)  # valid for any communicator
    pattern.execute(-0.0005, per=(1 + comm.rank, 0))
    pattern.receive(None, other, amount=8, per=(0, 8))
    pattern.send(out, other, synchronous=comm.rank == 0, amount=8, per=(0, 8))
    pattern.wait()
    assert len(pattern) == 4
    schedule = pattern.on(comm, into)
    if handed_over == "by run":
        for sizes in zip(seconds, lengths, strict=True):
            schedule.run(*sizes)
    elif handed_over:
        copy = pysmpi.Schedule(comm)
        copy.copy(into, into.copy())
        sizes = [size for both in zip(seconds, lengths, strict=True) for size in both]
        pysmpi.Schedule.run_in_turn([schedule] * 3 + [copy], sizes)
    else:
        for time, count in zip(seconds, lengths, strict=True):
            pysmpi.execute(max(time * (1 + comm.rank) - 0.0005, 0.0))
            request = comm.Irecv(into[: count + 1], other)
            send = comm.Issend if comm.rank == 0 else comm.Isend
            MPI.Request.Waitall([request, send(out[: count + 1], other)])
    assert (into == out).all()
    return MPI.Wtime()


@pytest.mark.parametrize("handed_over", ["by run", "in turn"])
def test_amounts_grow_with_sizes(run, handed_over):
    """Each run has other amounts of computation and data; the times equal those of calls."""
    expected = run(_with_sizes, 2, None).values
    assert run(_with_sizes, 2, handed_over).values == pytest.approx(expected, rel=1e-12)


def _in_turn(handed_over):
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    world = MPI.COMM_WORLD
    row, column = world.Split(world.rank // 3), world.Split(world.rank % 3)
    data = np.zeros((3, 2, 50))
    shift = [pysmpi.Schedule(comm) for comm in (row, column, row)]
    for comm, schedule, (out, into) in zip((row, column, row), shift, data, strict=True):
        out[:] = world.rank
        schedule.receive(into, (comm.rank - 1) % comm.size)
        schedule.send(out, (comm.rank + 1) % comm.size)
    if handed_over:
        pysmpi.Schedule.run_in_turn(shift)
        pysmpi.Schedule.run_in_turn([])
    else:
        for schedule in shift:
            schedule.run()
    before = world.rank - 1 if row.rank else world.rank + 2
    assert (data[::2, 1] == before).all()
    assert (data[1, 1] == (world.rank - 3) % world.size).all()
    return MPI.Wtime()


def test_schedules_of_several_communicators_run_in_turn(run):
    """Schedules along rows and columns of a grid, submitted together, run as if one by one."""
    assert run(_in_turn, 6, True).values == run(_in_turn, 6, False).values


@pytest.mark.smpi
def test_polls_go_on_while_another_rank_has_not_looked(run):
    """Only polls are active while a panel waits for a rank that polls seldom; ranks behind it keep polling."""

    def ring():
        import numpy as np
        from mpi4py import MPI

        import pysmpi

        comm = MPI.COMM_WORLD
        data = np.zeros(100_000)
        schedule = pysmpi.Schedule(comm)
        if comm.rank:
            schedule.poll(comm.rank - 1)
            schedule.receive(data, comm.rank - 1)
            schedule.wait()
        if comm.rank < comm.size - 1:
            schedule.send(data, comm.rank + 1)
        schedule.run()
        return MPI.Wtime()

    def by_calls():
        import numpy as np
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        data = np.zeros(100_000)
        if comm.rank:
            while not comm.Iprobe(comm.rank - 1):
                pass
            comm.Recv(data, comm.rank - 1)
        if comm.rank < comm.size - 1:
            comm.Isend(data, comm.rank + 1).Wait()
        return MPI.Wtime()

    assert run(ring, 6).values == pytest.approx(run(by_calls, 6).values, rel=1e-12)


ERRORS = [
    "rank", "tag=-3", "tag=2147483648", "1.5 is not a whole number", "contiguous", "writable", "use equal sizes",
    "Schedule.run: a message was longer than the buffer", "more than its buffer holds",
    "1 sizes are given; the steps need 0", "per=(1,) has 1 numbers", "duration",
    "a finite number", "no communicator", "have no buffer", "a step uses rank 2, but the communicator has only 2 ranks",
]  # fmt: skip


def _wrong(what):
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    schedule = pysmpi.Schedule(MPI.COMM_WORLD)
    if what == "rank":
        schedule.send(np.zeros(1), 2)
    elif what == "tag=-3":
        schedule.send(np.zeros(1), 0, -3)
    elif what == "tag=2147483648":
        schedule.poll(0, 2**31)
    elif what == "1.5 is not a whole number":
        schedule.receive(np.zeros(1), 1.5)
    elif what == "contiguous":
        schedule.send(np.zeros((4, 4))[:, 1], 0)
    elif what == "writable":
        schedule.receive(b"constant", 0)
    elif what == "use equal sizes":
        schedule.copy(np.zeros(2), np.zeros(3))
    elif what == "more than its buffer holds":
        schedule.send(np.zeros(3), MPI.COMM_WORLD.rank, amount=25)
        schedule.run()
    elif what == "1 sizes are given; the steps need 0":
        schedule.wait()
        schedule.run(1.0)
    elif what == "per=(1,) has 1 numbers":
        schedule.execute(0.0, per=(1,))
    elif what == "no communicator":
        pysmpi.Schedule().run()
    elif what == "have no buffer":
        schedule.send(None, MPI.COMM_WORLD.rank)
        schedule.run()
    elif what == "a step uses rank 2, but the communicator has only 2 ranks":
        pattern = pysmpi.Schedule()
        pattern.poll(2)
        pattern.on(MPI.COMM_WORLD)
    elif what == "duration":
        schedule.execute(-1.0)
    elif what == "a finite number":
        schedule.execute(float("inf"))
    else:
        schedule.send(np.zeros(3), MPI.COMM_WORLD.rank)
        schedule.receive(np.zeros(1), MPI.COMM_WORLD.rank)
        schedule.run()


@pytest.mark.parametrize("what", ERRORS)
def test_errors_say_what_is_wrong(run, what):
    """Errors are raised when a step is added, or when the schedule runs."""
    with pytest.raises(RankError) as error:
        run(_wrong, 2, what)
    assert what in str(error.value.__cause__) or what in str(error.value)


def _never(polls):
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    schedule = pysmpi.Schedule(MPI.COMM_WORLD)
    source = (MPI.COMM_WORLD.rank + 1) % MPI.COMM_WORLD.size
    if polls:
        schedule.poll(source)
    schedule.receive(np.zeros(1), source)
    schedule.run()


@pytest.mark.parametrize("polls", [False, True])
def test_a_deadlock_is_told(run, polls):
    """The report names the call and the awaited ranks, also for polls that take no time."""
    with pytest.raises(DeadlockError, match=r"pysmpi\.Schedule\.run on MPI_COMM_WORLD, waiting for rank 1"):
        run(_never, 3, polls, cfg={"smpi/iprobe": 0})


def _polled_in_vain(receives):
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    schedule = pysmpi.Schedule(comm)
    if receives:
        schedule.receive(np.zeros(1), (comm.rank + 2) % comm.size, 7)
    schedule.poll((comm.rank + 1) % comm.size)
    schedule.run()


@pytest.mark.parametrize("receives", [False, True])
@pytest.mark.parametrize("cost", [0, 1e-4])
def test_polls_in_vain_are_a_deadlock(run, cost, receives):
    """The report names the polled rank, not that of an earlier receive."""
    with pytest.raises(DeadlockError, match=r"rank 0 .*pysmpi\.Schedule\.run on MPI_COMM_WORLD, waiting for rank 1"):
        run(_polled_in_vain, 4, receives, cfg={"smpi/iprobe": cost})


def _freed_meanwhile():
    import threading

    import numpy as np
    from mpi4py import MPI

    import pysmpi

    world = MPI.COMM_WORLD
    comms = [world.Dup(), world.Dup()]
    other = 1 - world.rank
    received = np.zeros((2, 1))
    schedules = []
    for number, comm in enumerate(comms):
        schedule = pysmpi.Schedule(comm)
        if world.rank == 0:
            schedule.execute(1.0)
            schedule.send(np.full(1, 5.0 + number), other)
        else:
            schedule.receive(received[number], other)
        schedules.append(schedule)

    def free():
        pysmpi.sleep(0.5)
        for comm in comms:
            comm.Free()
        world.Dup()  # takes the place of one of them, if that is free

    freeing = threading.Thread(target=free)
    freeing.start()
    pysmpi.Schedule.run_in_turn(schedules)
    freeing.join()
    return received.ravel().tolist()


def test_a_communicator_that_another_thread_frees_stays_until_the_end(run):
    assert run(_freed_meanwhile, 2).values[1] == [5.0, 6.0]


def _computed_for(seconds):
    from mpi4py import MPI

    import pysmpi

    schedule = pysmpi.Schedule(MPI.COMM_WORLD, sizes=1)
    schedule.execute(0.0, per=(1.0,))
    schedule.run(seconds)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), float("-inf")])
def test_sizes_that_make_no_number_of_seconds_are_refused(run, seconds):
    with pytest.raises(RankError) as error:
        run(_computed_for, 1, seconds)
    assert "the amount of step 0 is not a number of seconds" in str(error.value.__cause__)


@pytest.mark.skipif(not MPIEXEC.exists(), reason="no mpiexec beside this interpreter: pip install mpich")
def test_in_a_real_run_it_makes_the_calls(tmp_path):
    """Messages, polls and copies run under a real MPI."""
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, pysmpi\n"
        "from mpi4py import MPI\n"
        "comm = MPI.COMM_WORLD\n"
        "data, copy = np.zeros(3), np.zeros(3)\n"
        "schedule = pysmpi.Schedule(comm)\n"
        "schedule.send(np.full(3, 1.0 + comm.rank), 1 - comm.rank, 1)\n"
        "schedule.poll(1 - comm.rank, 1)\n"
        "schedule.receive(data, 1 - comm.rank, 1, blocking=True)\n"
        "schedule.send(data, comm.rank, 2)\n"
        "schedule.receive(copy, comm.rank, 2)\n"
        "schedule.wait()\n"
        "schedule.copy(data, copy)\n"
        "schedule.run()\n"
        "pattern = pysmpi.Schedule(sizes=1)\n"
        "pattern.execute(0.0, per=(1,))\n"
        "pattern.send(np.full(3, 1.0 + comm.rank), 1 - comm.rank, per=(8,))\n"
        "pattern.receive(None, 1 - comm.rank, per=(8,))\n"
        "last = np.zeros(3)\n"
        "pysmpi.Schedule.run_in_turn([pattern.on(comm, last)] * 2, [2, 1])\n"
        "assert last.tolist() == [2.0 - comm.rank] * 2 + [0]\n"
        "assert (copy == 2.0 - comm.rank).all()\n"
        "nobody = pysmpi.Schedule(comm)\n"
        "nobody.look(MPI.PROC_NULL)\n"
        "nobody.copy(np.zeros(3), copy)\n"
        "assert pysmpi.Schedule.run_in_turn([schedule, nobody, schedule]) == 1\n"
        "assert (copy == 2.0 - comm.rank).all()\n"
    )
    subprocess.run([MPIEXEC, "-n", "2", sys.executable, program], check=True, timeout=100)


def _looked(handed_over, sent_at):
    """Compute in pieces until a message has come; return the number of pieces and the time."""
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        pysmpi.sleep(sent_at)
        comm.Send(bytearray(8), 1, 5)
        return None
    if handed_over:
        piece, look = pysmpi.Schedule(comm, sizes=1), pysmpi.Schedule(comm)
        piece.execute(0.0, per=(1,))
        look.look(0, 5)
        found = pysmpi.Schedule.run_in_turn([look, *[piece, look] * 9, piece], [0.1] * 10)
        pieces = 10 if found is None else found // 2
    else:
        pieces = 0
        while pieces < 10 and not comm.Iprobe(0, 5):
            pysmpi.execute(0.1)
            pieces += 1
    time = MPI.Wtime()
    comm.Recv(bytearray(8), 0, 5)
    return pieces, time


@pytest.mark.parametrize("sent_at", [0.0, 0.05, 0.35, 0.85, 5.0])
def test_a_look_ends_the_run_when_a_message_has_come(run, sent_at):
    """The rank computes no piece after that; it is resumed once."""
    handed_over, by_calls = (run(_looked, 2, how, sent_at).values[1] for how in (True, False))
    assert handed_over[0] == by_calls[0]
    assert handed_over[1] == pytest.approx(by_calls[1], abs=0.01)


def _looked_for_nobody():
    from mpi4py import MPI

    import pysmpi

    schedule = pysmpi.Schedule(MPI.COMM_WORLD)
    schedule.execute(1.0)
    schedule.look(MPI.PROC_NULL)
    schedule.execute(1.0)
    assert schedule.run()
    with pytest.raises(SimulationError, match=r"a schedule for replay must not contain look\(\)"):
        schedule.native_steps()
    return MPI.Wtime()


def test_a_look_for_nobody_ends_the_run(run):
    assert run(_looked_for_nobody, 1).values == [1.0]


def _looked_for_a_failed_rank():
    import os
    import signal

    from mpi4py import MPI

    import pysmpi

    if MPI.COMM_WORLD.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
        MPI.COMM_WORLD.Barrier()
    schedule = pysmpi.Schedule(MPI.COMM_WORLD)
    schedule.execute(1.0)
    schedule.look(1)
    schedule.execute(1.0)
    try:
        schedule.run()
    except MPI.Exception as error:
        return error.Get_error_class(), round(MPI.Wtime(), 2)
    return None


def test_a_look_for_a_failed_rank_is_an_error(run):
    assert run(_looked_for_a_failed_rank, 2).values[0] == (101, 1.0)


def test_schedules_are_made_without_an_mpi_library() -> None:
    """A simulation may follow in the same process, which must load its own library first."""
    code = "import sys, pysmpi; schedule = pysmpi.Schedule(); schedule.receive(None, 0, amount=8); "
    code += "schedule.send(None, 0, 5, amount=8); pysmpi.simulate_replay([schedule], platform='flat:1'); "
    code += "print('mpi4py.MPI' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
