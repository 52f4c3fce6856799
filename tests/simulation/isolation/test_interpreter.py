"""Interpreter state that each rank has for itself: hooks, warnings, logging, random numbers, the clock."""

import logging
import sys
import time
import warnings
from collections.abc import Callable

import pytest

import pysmpi

Lines = Callable[..., dict[int, list[str]]]


def test_hooks(lines_of: Lines) -> None:
    before = sys.excepthook, sys.getrecursionlimit()
    lines = lines_of(
        """
        import sys
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        if comm.rank == 1:
            sys.excepthook = print
            sys.ours = "rank 1"
            del sys.copyright
        comm.Barrier()
        print(sys.excepthook is print, getattr(sys, "ours", None), hasattr(sys, "copyright"))
        """
    )
    assert lines == {0: ["False None True"], 1: ["True rank 1 False"], 2: ["False None True"]}
    assert (sys.excepthook, sys.getrecursionlimit()) == before
    assert hasattr(sys, "copyright") and not hasattr(sys, "ours")


def test_the_exception_hook_is_called(platform_file, capsys: pytest.CaptureFixture[str]) -> None:
    def program() -> None:
        sys.excepthook = lambda kind, value, trace: print("hook:", kind.__name__, value, file=sys.stderr)
        raise ValueError("wrong")

    with pytest.raises(pysmpi.errors.RankError, match=r"rank 0 \(host node0\) raised ValueError: wrong"):
        pysmpi.simulate(program, np=2, platform=platform_file)
    errors = capsys.readouterr().err
    assert "hook: ValueError wrong" in errors
    assert "Traceback" not in errors


def test_warnings(lines_of: Lines) -> None:
    before = list(warnings.filters)
    lines = lines_of(
        """
        import warnings
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        warnings.resetwarnings() if comm.rank == 2 else None
        if comm.rank == 0:
            warnings.simplefilter("error")
        if comm.rank == 1:
            warnings.showwarning = lambda message, *rest: print("shown:", message)
            warnings.simplefilter("always")
        comm.Barrier()
        try:
            with warnings.catch_warnings(record=True) as caught:
                if comm.rank == 2:
                    warnings.simplefilter("always")
                    comm.Barrier()
                    warnings.warn("one")
                    print("caught", len(caught))
                else:
                    comm.Barrier()
            comm.Barrier()
            if comm.rank < 2:
                warnings.warn("one")
        except UserWarning:
            print("raised")
        """
    )
    assert lines == {0: ["raised"], 1: ["shown: one"], 2: ["caught 1"]}
    assert list(warnings.filters) == before


def test_logging_with_the_rank(lines_of: Lines) -> None:
    handlers = list(logging.root.handlers)
    lines = lines_of(
        """
        import logging, sys
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        logging.basicConfig(stream=sys.stdout, level=logging.INFO if comm.rank else logging.ERROR,
                            format=f"rank {comm.rank}: %(name)s %(message)s", force=True)
        log = logging.getLogger("solver")
        if comm.rank == 2:
            log.setLevel(logging.DEBUG)
        comm.Barrier()
        log.debug("debug")
        log.info("info")
        comm.Barrier()
        logging.error("error")
        print(len(logging.root.handlers), logging.getLogger("solver") is log)
        """
    )
    assert lines == {
        0: ["rank 0: root error", "1 True"],
        1: ["rank 1: solver info", "rank 1: root error", "1 True"],
        2: ["rank 2: solver debug", "rank 2: solver info", "rank 2: root error", "1 True"],
    }
    assert logging.root.handlers == handlers
    assert logging.getLogger("solver").level == logging.NOTSET


RANDOM = """
    import random, secrets, uuid
    import numpy as np
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    {seeding}
    first = [random.random(), np.random.rand(), int(np.random.default_rng({generator}).integers(10**9))]
    comm.Barrier()
    print(first + [random.randint(0, 10**6), float(np.random.normal())])
    print(secrets.token_hex(4), uuid.uuid4())
    """


def test_seeded_random_streams(lines_of: Lines) -> None:
    """Ranks with equal seeds draw equal numbers, however their calls interleave."""
    import random

    import numpy

    before = random.getstate(), numpy.random.get_state()[1].tolist()
    lines = lines_of(RANDOM.format(seeding="random.seed(7); np.random.seed(7)", generator=7))
    assert lines[0][0] == lines[1][0] == lines[2][0]
    alone = random.Random(7)
    assert lines[0][0].startswith(f"[{alone.random()}, {numpy.random.RandomState(7).rand()}, ")
    assert (random.getstate(), numpy.random.get_state()[1].tolist()) == before


def test_unseeded_random_streams(lines_of: Lines) -> None:
    """Ranks draw different numbers, equal in each run, and different with another --seed."""
    source = RANDOM.format(seeding="", generator="")
    lines = lines_of(source)
    assert len({tuple(lines[rank]) for rank in range(3)}) == 3
    assert lines == lines_of(source)
    other = lines_of(source, seed=1)
    assert all(lines[rank][0] != other[rank][0] and lines[rank][1] != other[rank][1] for rank in range(3))


def test_the_clock_is_simulated(lines_of: Lines) -> None:
    """time.sleep advances the simulated clock, which every clock shows; a loop that waits for a time ends."""
    real = time.monotonic()
    lines = lines_of(
        """
        import time
        from time import perf_counter, sleep
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        sleep(3600 * comm.rank)
        before = MPI.Wtime()
        clocks = time.time, time.monotonic, perf_counter
        print([round(clock() / 3600, 6) for clock in clocks], time.time_ns() // 10**9)
        time.sleep(0.5)
        print(round(MPI.Wtime() - before, 6))
        end = time.perf_counter() + 1e-6
        count = 0
        while time.perf_counter() < end:
            count += 1
        print(90 < count <= 100, time.localtime(0) == time.gmtime(0) or True, time.gmtime().tm_year)
        """,
        np=2,
    )
    assert lines == {
        0: ["[0.0, 0.0, 0.0] 0", "0.5", "True True 1970"],
        1: ["[1.0, 1.0, 1.0] 3600", "0.5", "True True 1970"],
    }
    assert time.monotonic() - real < 3600


def test_outside_ranks_nothing_has_changed(lines_of: Lines) -> None:
    import os
    import random

    def seen() -> list[object]:
        of_time = [time.time, time.sleep]
        of_system = [os.getpid, os.environ.__class__, random.random, logging.Logger.__dict__.get("level")]
        return [*of_time, *of_system, type(sys), sys.meta_path[0], sys.stdout, sys.argv]

    before = seen()
    lines_of("from mpi4py import MPI")
    assert all(one is other for one, other in zip(before, seen(), strict=True))
