"""Simulations from Python."""

import functools
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import BindingError, ConfigurationError, DeadlockError, LaunchError, PlacementError, RankError

counter = 0
seen: list[int] = []


def ring(values: list[int], scale: int = 1) -> int:
    global counter
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    counter += comm.rank
    received: int = comm.sendrecv(
        values[comm.rank], dest=(comm.rank + 1) % comm.size, source=(comm.rank - 1) % comm.size
    )
    assert counter == comm.rank
    return received * scale


def test_a_function(platform_file: pathlib.Path) -> None:
    result = pysmpi.simulate(ring, np=3, platform=platform_file, args=([5, 6, 7],), kwargs={"scale": 10})
    assert result.values == [70, 50, 60]
    assert [outcome.host for outcome in result.ranks] == ["node0"] * 3
    assert {outcome.ending.value for outcome in result.ranks} == {"returned"}
    assert result.exit_status == 0
    assert result.counters.messages == 3
    assert result.simulated_time > 0
    assert counter == 0


class Ring:
    """Can be called like the function."""

    def __call__(self, *arguments: Any) -> int:
        return ring(*arguments)


def test_anything_that_can_be_called(platform_file: pathlib.Path) -> None:
    """Functions with arguments bound, objects, and functions in C; globals are each rank's own where there are any."""
    values = [5, 6, 7]
    for program in (functools.partial(functools.partial(ring, values), 1), functools.partial(Ring(), values)):
        assert pysmpi.simulate(program, np=3, platform=platform_file).values == [7, 5, 6]
    assert pysmpi.simulate(sum, np=2, platform=platform_file, args=([1, 2],)).values == [3, 3]


def test_any_number_of_times(platform_file: pathlib.Path) -> None:
    """Simulations in one process are equal without measured computation; outside, MPI has a world of one rank."""
    from mpi4py import MPI

    settings = {"smpi/simulate-computation": False}
    results = [
        pysmpi.simulate(ring, np=np, platform=platform_file, args=([1] * np,), cfg=settings) for np in (1, 5, 3, 5)
    ]
    assert [len(result.ranks) for result in results] == [1, 5, 3, 5]
    assert results[1].simulated_time == results[3].simulated_time != results[2].simulated_time
    assert (MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank, MPI.COMM_WORLD.allreduce(4)) == (1, 0, 4)


def test_a_lambda_and_a_script(platform_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    from mpi4py import MPI

    assert pysmpi.simulate(lambda: MPI.COMM_WORLD.rank, np=2, platform=str(platform_file)).values == [0, 1]
    script = tmp_path / "script.py"
    script.write_text("import sys\nsys.exit(int(sys.argv[1]))\n")
    result = pysmpi.simulate(script, np=2, platform=platform_file, args=[3])
    assert [(outcome.ending.value, outcome.status) for outcome in result.ranks] == [("exited", 3)] * 2
    assert result.exit_status == 3


def test_classes_and_helpers_see_the_ranks_globals(platform_file: pathlib.Path) -> None:
    """Functions and methods of the module that the function calls see what the rank has assigned."""
    assert pysmpi.simulate(use_helpers, np=3, platform=platform_file).values == [
        [rank, rank, rank] for rank in range(3)
    ]
    assert not hasattr(sys.modules[__name__], "made_by_rank")


class Helper:
    """Reads a global in a method."""

    def read(self) -> int:
        return made_by_rank  # type: ignore[name-defined]


def read_it() -> int:
    return made_by_rank  # type: ignore[name-defined]


def use_helpers() -> list[int]:
    """Assigns a new global and reads it in three ways."""
    global made_by_rank
    from mpi4py import MPI

    made_by_rank = MPI.COMM_WORLD.rank
    MPI.COMM_WORLD.barrier()
    return [made_by_rank, read_it(), Helper().read()]


def test_hosts(platform_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Ranks can be placed by name or by a hostfile; a platform may be given ready made."""
    from mpi4py import MPI

    from pysmpi.platform import load

    platform = load(str(platform_file))
    named = pysmpi.simulate(MPI.Get_processor_name, np=2, platform=platform, hosts=["node7", "node1"])
    assert named.values == ["node7", "node1"]
    (tmp_path / "hosts").write_text("node2:3\n")
    assert pysmpi.simulate(MPI.Get_processor_name, np=2, platform=platform, hosts=tmp_path / "hosts").values == [
        "node2",
        "node2",
    ]
    with pytest.raises(PlacementError, match="unknown host 'node9'; did you mean 'node"):
        pysmpi.simulate(MPI.Get_processor_name, np=1, platform=platform, hosts=["node9"])
    with pytest.raises(PlacementError, match="2 ranks, but the list of hosts has 1 entry"):
        pysmpi.simulate(MPI.Get_processor_name, np=2, platform=platform, hosts=["node1"])


def test_settings(platform_file: pathlib.Path) -> None:
    from mpi4py import MPI

    def wait() -> float:
        return MPI.Wtime() - MPI.Wtime()

    off = "smpi/simulate-computation"
    for cfg in ({"smpi/wtime": 0.5, off: "no"}, ["smpi/wtime:500ms", f"{off}:no"]):
        assert pysmpi.simulate(wait, np=1, platform=platform_file, cfg=cfg).values == [-0.5]
    with pytest.raises(ConfigurationError, match="cfg: unknown option 'smpi/wtme'; did you mean 'smpi/wtime'"):
        pysmpi.simulate(wait, np=1, platform=platform_file, cfg={"smpi/wtme": 1})
    with pytest.raises(LaunchError, match="np = 0 is not valid; give a whole number, 1 or more"):
        pysmpi.simulate(wait, np=0, platform=platform_file)


def test_what_a_rank_raises_is_the_cause(platform_file: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exception of the rank is the cause of the one that simulate raises; the next simulation is not affected."""

    def fail() -> None:
        from mpi4py import MPI

        if MPI.COMM_WORLD.rank == 1:
            raise KeyError("nothing")
        MPI.COMM_WORLD.barrier()

    with pytest.raises(RankError, match=r"rank 1 \(host node0\) raised KeyError: 'nothing'") as caught:
        pysmpi.simulate(fail, np=3, platform=platform_file)
    assert isinstance(caught.value.__cause__, KeyError)
    assert capsys.readouterr().err.count("Traceback") == 1
    assert pysmpi.simulate(ring, np=2, platform=platform_file, args=([1, 2],)).values == [2, 1]


def test_abort_and_deadlock(platform_file: pathlib.Path) -> None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    with pytest.raises(RankError, match=r"rank 1 \(host node0\) called MPI_Abort\(4\)"):
        pysmpi.simulate(lambda: comm.Abort(4) if comm.rank == 1 else comm.barrier(), np=3, platform=platform_file)
    with pytest.raises(
        DeadlockError, match=r"(?s)3 ranks are blocked and no event is pending.*rank 2 waits for itself"
    ):
        pysmpi.simulate(lambda: comm.recv(source=comm.rank), np=3, platform=platform_file)
    assert pysmpi.simulate(ring, np=2, platform=platform_file, args=([1, 2],)).values == [2, 1]


def test_a_simulation_inside_a_rank(platform_file: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RankError, match="a simulation is under way in this process"):
        pysmpi.simulate(lambda: pysmpi.simulate(ring, np=1, platform=platform_file), np=1, platform=platform_file)
    assert "SimulationError" in capsys.readouterr().err


def exit_in_operation() -> None:
    """mpi4py aborts when a reduction operation raises, sys.exit included."""
    import numpy as np
    from mpi4py import MPI

    operation = MPI.Op.Create(lambda a, b, kind: sys.exit(5), commute=True)
    MPI.COMM_WORLD.Allreduce(np.ones(1), np.zeros(1), operation)


def raise_in_copy_function() -> None:
    """mpi4py prints the traceback and has MPI fail."""
    from mpi4py import MPI

    def copy(comm: MPI.Comm, key: int, value: int) -> int:
        raise ValueError("not copied")

    key = MPI.Comm.Create_keyval(copy_fn=copy)
    duplicate = MPI.COMM_WORLD.Dup()
    duplicate.Set_attr(key, 1)
    duplicate.Dup()


def exit_while_pickling() -> None:
    """One rank leaves a pickled collective that the others wait in."""
    from mpi4py import MPI

    MPI.COMM_WORLD.allreduce(1, op=lambda a, b: sys.exit(6))


@pytest.mark.parametrize(
    ("program", "kind", "message"),
    [
        (exit_in_operation, RankError, r"rank \d \(host node0\) called MPI_Abort\(1\)"),
        (raise_in_copy_function, RankError, r"rank 0 \(host node0\) raised Exception: MPI_ERR_OTHER"),
        (exit_while_pickling, DeadlockError, r"COMM_WORLD.allreduce .* waiting for rank 0, at .*test_simulate\.py:\d+"),
    ],
)
def test_errors_inside_mpi_functions_written_in_python(
    platform_file: pathlib.Path, program: Callable[[], None], kind: type[Exception], message: str
) -> None:
    """sys.exit and exceptions inside functions that MPI calls end the simulation, and the next one is not affected."""
    with pytest.raises(kind, match=message):
        pysmpi.simulate(program, np=3, platform=platform_file)
    assert pysmpi.simulate(ring, np=2, platform=platform_file, args=([1, 2],)).values == [2, 1]


def test_ctrl_c(platform_file: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    def spin() -> None:
        while True:
            pass

    def sleep() -> None:
        while True:
            time.sleep(1e-3)

    for program in (spin, sleep):
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            pysmpi.simulate(program, np=3, platform=platform_file)
        assert "simulated time" in capsys.readouterr().err
    assert pysmpi.simulate(ring, np=2, platform=platform_file, args=([1, 2],)).values == [2, 1]


def test_a_real_mpi_in_the_process(platform_file: pathlib.Path) -> None:
    source = f"""
from mpi4py import MPI
import pysmpi
assert "MPICH" in MPI.Get_library_version()
try:
    pysmpi.simulate(print, np=2, platform={str(platform_file)!r})
except pysmpi.PysmpiError as error:
    print(type(error).__name__, error)
"""
    run = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout.startswith(BindingError.__name__ + " mpi4py is bound to a real MPI, not to the simulator: "), run
    assert "libmpi.so" in run.stdout and "MPICH" in run.stdout and "Start a new process" in run.stdout


def real_mpi() -> str:
    """The library of PyPI's mpich."""
    import sysconfig

    path = pathlib.Path(sysconfig.get_path("data")) / "lib" / "libmpi.so.12"
    if not path.exists():
        pytest.skip("PyPI's mpich is not installed")
    return str(path)


def preloaded_with(library: str) -> str:
    return f"{os.environ.get('LD_PRELOAD', '')} {library}".strip()


@pytest.mark.parametrize("variable", ["LD_PRELOAD", "LD_LIBRARY_PATH", "MPI4PY_LIBMPI", "MPI4PY_MPIABI"])
def test_a_real_mpi_in_the_environment(
    pysmpirun: Callable[..., subprocess.CompletedProcess[str]], variable: str
) -> None:
    library = real_mpi()
    value = {
        "LD_PRELOAD": preloaded_with(library),
        "LD_LIBRARY_PATH": str(pathlib.Path(library).parent),
        "MPI4PY_LIBMPI": library,
        "MPI4PY_MPIABI": "openmpi",
    }[variable]
    source = "from mpi4py import MPI\nprint(MPI.COMM_WORLD.rank, MPI.Get_library_version()[:6])"
    run = pysmpirun("-np", "2", "--quiet", "program.py", source=source, environment={variable: value})
    assert (run.returncode, run.stdout) == (0, "0 pysmpi\n1 pysmpi\n"), run.stderr
    assert (run.stderr == "") == (variable != "LD_PRELOAD")


def test_a_preloaded_real_mpi_is_named(platform_file: pathlib.Path) -> None:
    source = f"""
import pysmpi
try:
    pysmpi.simulate(print, np=2, platform={str(platform_file)!r})
except pysmpi.PysmpiError as error:
    print(error)
"""
    library = real_mpi()
    run = subprocess.run(
        [sys.executable, "-c", source],
        env=os.environ | {"LD_PRELOAD": preloaded_with(library)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "mpi4py is bound to a real MPI, not to the simulator" in run.stdout, run
    assert "libmpi.so" in run.stdout and "LD_PRELOAD is " in run.stdout


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Unspeakable(), r"raised Unspeakable: <exception str\(\) failed>$"),
        (KeyboardInterrupt(), "raised KeyboardInterrupt$"),
    ],
)
def test_errors_without_a_text(error: BaseException, said: str) -> None:
    """An error whose text cannot be made, or is empty, is named all the same."""

    def program() -> None:
        raise error

    with pytest.raises(RankError, match=said) as caught:
        pysmpi.simulate(program, np=1)
    assert caught.value.__cause__ is error


def test_options_of_the_command(platform_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Options of pysmpirun are arguments, also those of instruments; others are refused with the nearest name."""
    from mpi4py import MPI

    (tmp_path / "hosts").write_text("node2:3\n")
    named = pysmpi.simulate(
        MPI.Get_processor_name, np=2, platform=platform_file, hostfile=tmp_path / "hosts", network_report=True
    )
    assert named.values == ["node2", "node2"]
    assert named.network is not None and named.requirements is None
    with pytest.raises(DeadlockError):
        pysmpi.simulate(
            lambda: MPI.COMM_WORLD.send(0, 1 - MPI.COMM_WORLD.rank), np=2, platform=platform_file,
            all_sends_synchronous=True,
        )  # fmt: skip
    with pytest.raises(LaunchError, match="unknown argument 'netwrk_report'; did you mean 'network_report'"):
        pysmpi.simulate(MPI.Get_processor_name, np=2, platform=platform_file, netwrk_report=True)
    with pytest.raises(LaunchError, match=r"'replicas' is no argument of simulate; use pysmpi.replicate"):
        pysmpi.simulate(MPI.Get_processor_name, np=2, platform=platform_file, replicas=3)
    with pytest.raises(AttributeError, match="unknown attribute of Result 'netwrk'; did you mean 'network'"):
        _ = named.netwrk
