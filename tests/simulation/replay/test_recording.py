"""Tests of recorded traces: a replay takes the run's own time, and traces are written completely or not at all."""

import os
import pathlib
from collections.abc import Callable

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.cli import run
from pysmpi.errors import DeadlockError, LaunchError, RankError
from pysmpi.simulation.instruments.ti_trace import RecordingError

HERE = pathlib.Path(__file__).parent
PLATFORM = "fattree:2/4,4/1,2/1,1:speed=1Gf:cores=2"
SETTINGS = ["smpi/cpu-threshold:1e9"]  # what is measured does not count, what is injected does


@pytest.mark.smpi  # traces do not tell apart all calls whose overheads differ; SMPI's overheads are zero
@pytest.mark.parametrize("settings", [(), ("smpi/coll-selector:ompi",), ("smpi/async-small-thresh:65536",)])
@pytest.mark.parametrize("ranks", [1, 2, 3, 8, 13])
def test_a_replay_takes_as_long_as_the_run(ranks: int, settings: tuple[str, ...], tmp_path: pathlib.Path) -> None:
    cfg = [*SETTINGS, *settings]
    # With a selector, duplicates cost messages that look for nodes, as SMPI's do, of which traces know nothing.
    words = [] if "smpi/coll-selector:ompi" in settings else ["duplicate"]
    trace = tmp_path / "trace"
    recorded = pysmpi.simulate(HERE / "recorded.py", np=ranks, platform=PLATFORM, cfg=cfg, args=words, trace_ti=trace)
    replayed = pysmpi.simulate_replay(tmp_path / "trace" / "index.txt", platform=PLATFORM, cfg=cfg)
    assert replayed.simulated_time == pytest.approx(recorded.simulated_time, rel=1e-12)
    assert replayed.counters.messages == recorded.counters.messages
    assert replayed.counters.bytes == recorded.counters.bytes


def test_recording_changes_nothing(tmp_path: pathlib.Path) -> None:
    without = pysmpi.simulate(HERE / "recorded.py", np=4, platform=PLATFORM, cfg=SETTINGS)
    with_it = pysmpi.simulate(HERE / "recorded.py", np=4, platform=PLATFORM, cfg=SETTINGS, trace_ti=tmp_path / "trace")
    assert with_it.simulated_time == without.simulated_time


def test_on_another_platform(tmp_path: pathlib.Path) -> None:
    """Computation is recorded in flops and messages in bytes, so a faster machine speeds up both runs equally."""
    pysmpi.simulate(HERE / "recorded.py", np=4, platform=PLATFORM, cfg=SETTINGS, trace_ti=tmp_path / "trace")
    index = tmp_path / "trace" / "index.txt"
    slow, fast = (
        pysmpi.simulate_replay(index, platform=f"flat:4:speed={speed}").simulated_time for speed in ("1Gf", "4Gf")
    )
    assert fast < slow


def test_a_trace_may_be_moved(tmp_path: pathlib.Path) -> None:
    pysmpi.simulate(HERE / "recorded.py", np=2, platform=PLATFORM, cfg=SETTINGS, trace_ti=tmp_path / "trace")
    index = (tmp_path / "trace" / "index.txt").read_text().splitlines()
    assert index == [f"{tmp_path}/trace/rank-{rank}.txt" for rank in range(2)]
    before = pysmpi.simulate_replay(tmp_path / "trace" / "index.txt", platform=PLATFORM).simulated_time
    (tmp_path / "trace").rename(tmp_path / "moved")
    assert pysmpi.simulate_replay(tmp_path / "moved" / "index.txt", platform=PLATFORM).simulated_time == before


def _barriers() -> None:
    for _ in range(5):
        MPI.COMM_WORLD.Barrier()


def test_thousands_of_ranks(tmp_path: pathlib.Path) -> None:
    recorded = pysmpi.simulate(_barriers, np=2000, platform="flat:2000", trace_ti=tmp_path / "trace", cfg=SETTINGS)
    assert len(list((tmp_path / "trace").iterdir())) == 2001
    replayed = pysmpi.simulate_replay(tmp_path / "trace" / "index.txt", platform="flat:2000")
    assert replayed.simulated_time == recorded.simulated_time


def _nonblocking() -> None:
    MPI.COMM_WORLD.Ibarrier().Wait()


def _in_a_part() -> None:
    MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2).Barrier()


def _one_sided() -> None:
    window = MPI.Win.Create(np.zeros(4), comm=MPI.COMM_WORLD)
    window.Fence()
    if MPI.COMM_WORLD.rank == 0:
        window.Put(np.ones(4), 1)
    window.Fence()
    window.Free()


def _synchronous() -> None:
    if MPI.COMM_WORLD.rank == 0:
        MPI.COMM_WORLD.Ssend(bytes(8), 1)
    if MPI.COMM_WORLD.rank == 1:
        MPI.COMM_WORLD.Recv(bytearray(8), 0)


def _schedule() -> None:
    schedule = pysmpi.Schedule(MPI.COMM_WORLD)
    schedule.execute(1e-6)
    schedule.run()


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (_nonblocking, "MPI_Ibarrier"),
        (_in_a_part, "MPI_Barrier on a communicator other than MPI_COMM_WORLD"),
        (_one_sided, "one-sided communication"),
        (_synchronous, "a short synchronous send"),
        (_schedule, "pysmpi.Schedule.run"),
    ],
)
def test_what_has_no_words_leaves_no_trace(program: Callable[[], None], what: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(RecordingError, match=f"time-independent traces cannot express {what}"):
        pysmpi.simulate(program, np=4, platform=PLATFORM, trace_ti=tmp_path / "trace")
    assert list(tmp_path.iterdir()) == []


def _fails() -> None:
    MPI.COMM_WORLD.Barrier()
    if MPI.COMM_WORLD.rank == 1:
        raise ValueError("a mistake")


def _hangs() -> None:
    MPI.COMM_WORLD.Recv(bytearray(1), MPI.ANY_SOURCE)


@pytest.mark.parametrize(("program", "error"), [(_fails, RankError), (_hangs, DeadlockError)])
def test_a_run_that_fails_leaves_no_trace(
    program: Callable[[], None], error: type[Exception], tmp_path: pathlib.Path
) -> None:
    with pytest.raises(error):
        pysmpi.simulate(program, np=3, platform=PLATFORM, trace_ti=tmp_path / "trace")
    assert list(tmp_path.iterdir()) == []
    pysmpi.simulate(_barriers, np=3, platform=PLATFORM, trace_ti=tmp_path / "trace")
    assert (tmp_path / "trace" / "rank-2.txt").read_text().count("barrier") == 5


def test_a_name_that_no_directory_can_have(tmp_path: pathlib.Path) -> None:
    with pytest.raises(LaunchError, match="n: cannot create the directory: File name too long"):
        pysmpi.simulate(_barriers, np=2, platform=PLATFORM, trace_ti=tmp_path / ("n" * 300))


def test_what_a_killed_run_has_left_is_in_no_ones_way(tmp_path: pathlib.Path) -> None:
    (tmp_path / f".trace.{os.getpid()}").mkdir()
    pysmpi.simulate(_barriers, np=2, platform=PLATFORM, trace_ti=tmp_path / "trace")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f".trace.{os.getpid()}", "trace"]


def _leaves_requests_and_fails() -> None:
    comm = MPI.COMM_WORLD
    left = [comm.Irecv(bytearray(1), comm.rank, tag) for tag in range(3)]
    comm.Barrier()
    raise ValueError(f"{len(left)} requests are left")


def _waits_for_all() -> None:
    comm = MPI.COMM_WORLD
    MPI.Request.Waitall([comm.Irecv(bytearray(1), comm.rank, 0), comm.Isend(bytes(1), comm.rank, 0)])


def test_requests_of_a_run_that_has_failed_are_forgotten(tmp_path: pathlib.Path) -> None:
    with pytest.raises(RankError):
        pysmpi.simulate(_leaves_requests_and_fails, np=2, platform=PLATFORM, trace_ti=tmp_path / "failed")
    pysmpi.simulate(_waits_for_all, np=2, platform=PLATFORM, cfg=SETTINGS, trace_ti=tmp_path / "trace")
    assert (tmp_path / "trace" / "rank-0.txt").read_text().splitlines()[-2:] == ["0 waitall", "0 finalize"]


def test_a_directory_that_holds_something(tmp_path: pathlib.Path) -> None:
    (tmp_path / "kept").write_text("something")
    with pytest.raises(LaunchError, match="already exists and is not an empty directory"):
        pysmpi.simulate(_barriers, np=1, platform=PLATFORM, trace_ti=tmp_path)
    (tmp_path / "empty").mkdir()
    pysmpi.simulate(_barriers, np=1, platform=PLATFORM, trace_ti=tmp_path / "empty")
    assert (tmp_path / "empty" / "index.txt").exists()


def test_on_the_command_line(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both pysmpirun --trace-ti DIR and smpirun's spelling work; a trace that cannot be written makes the run fail."""
    words = ["-np", "2", "-platform", "flat:2", "--quiet", "-trace-ti", str(tmp_path / "trace")]
    assert run.main([*words, str(HERE / "recorded.py")]) == 0
    assert run.main(["--replay", str(tmp_path / "trace" / "index.txt"), "--platform", "flat:2", "--quiet"]) == 0
    program = tmp_path / "program.py"
    program.write_text("from mpi4py import MPI\nMPI.COMM_WORLD.Ibarrier().Wait()\n")
    words[-1] = str(tmp_path / "other")
    capsys.readouterr()
    assert run.main([*words, str(program)]) == 1
    assert "no trace is left" in capsys.readouterr().err
    assert run.main(["--replay", "x", *words]) == 2
    assert "--replay and --trace-ti do not go together" in capsys.readouterr().err
