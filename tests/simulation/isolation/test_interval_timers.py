"""Interval timers of ranks ring on the simulated clock, in the rank that has set them."""

import subprocess
from collections.abc import Callable

Lines = Callable[..., dict[int, list[str]]]
Command = Callable[..., subprocess.CompletedProcess[str]]


def test_a_timer_rings_in_its_rank(lines_of: Lines) -> None:
    """After a blocking call, when a clock is read, and in a sleep, which then goes on."""
    lines = lines_of(
        """
        import signal, time
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        rung = []
        signal.signal(signal.SIGALRM, lambda *_: rung.append(round(MPI.Wtime(), 3)))
        if world.rank == 0:
            time.sleep(2)
            world.send(None, 1)
            print(rung)
        elif world.rank == 1:
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            world.recv(source=0)
            print(rung)
        else:
            signal.setitimer(signal.ITIMER_REAL, 0.5, 1)
            left = signal.getitimer(signal.ITIMER_REAL)
            time.sleep(3)
            print(rung, left, round(MPI.Wtime(), 3), signal.alarm(7), signal.alarm(0), signal.alarm(0))
        """
    )
    assert lines == {0: ["[]"], 1: ["[2.0]"], 2: ["[0.5, 1.5, 2.5] (0.5, 1.0) 3.0 1 7 0"]}


def test_a_handler_that_raises_ends_a_sleep(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import signal, time
        from mpi4py import MPI

        def ring(*_):
            raise TimeoutError("too late")

        signal.signal(signal.SIGALRM, ring)
        signal.alarm(2 + MPI.COMM_WORLD.rank)
        try:
            time.sleep(60)
        except TimeoutError as error:
            print(error, round(MPI.Wtime(), 3))
        """
    )
    assert lines == {rank: [f"too late {2.0 + rank}"] for rank in range(3)}


def test_a_timer_interrupts_a_computation(lines_of: Lines) -> None:
    """A loop that neither communicates nor reads a clock is interrupted, because its time is measured."""
    lines = lines_of(
        """
        import signal
        from mpi4py import MPI
        rung = []
        signal.signal(signal.SIGALRM, lambda *_: rung.append(MPI.COMM_WORLD.rank))
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        while not rung:
            pass
        print(rung)
        """,
        np=2,
        cfg={},
    )
    assert lines == {0: ["[0]"], 1: ["[1]"]}


def test_arguments_are_checked(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import signal
        for which, seconds in ((99, 1), (signal.ITIMER_REAL, -1)):
            try:
                signal.setitimer(which, seconds)
            except signal.ItimerError as error:
                print(error)
        """,
        np=1,
    )
    assert lines == {0: ["[Errno 22] Invalid argument"] * 2}


def test_a_timer_without_handler_ends_its_rank(pysmpirun: Command) -> None:
    """The watchdog of a loop rings although other ranks have run since it was set."""
    source = """
        import signal, time
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        if world.rank == 0:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
        begin = time.perf_counter()
        while world.rank and time.perf_counter() - begin < 0.1:
            pass
        world.Barrier()
        while world.rank == 0:
            pass
    """
    run = pysmpirun("-np", "3", "--quiet", "program.py", source=source)
    assert run.returncode == 128 + 14


def test_waits_for_signals(lines_of: Lines) -> None:
    """Signals of the rank's timers arrive at their simulated times; a limit is in simulated seconds."""
    lines = lines_of(
        """
        import signal, time
        signal.signal(signal.SIGALRM, lambda *_: print("handler"))
        signal.alarm(100)
        signal.pause()
        print(round(time.time()))
        signal.setitimer(signal.ITIMER_REAL, 50, 10)
        print(signal.sigwait([signal.SIGALRM]).name, round(time.time()))
        print(signal.sigwaitinfo([signal.SIGALRM]).si_signo == signal.SIGALRM, round(time.time()))
        print(signal.sigtimedwait([signal.SIGALRM], 3), round(time.time()))
        signal.alarm(0)
        print(signal.sigtimedwait([signal.SIGUSR2], 0.25), round(time.time(), 2))
        """,
        np=2,
    )
    expected = ["handler", "100", "SIGALRM 150", "True 160", "None 163", "None 163.25"]
    assert lines == dict.fromkeys(range(2), expected)
