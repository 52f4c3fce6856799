"""Tests of the what-if comparison, from Python and on the command line."""

import faulthandler
import os
import pathlib
import re
import signal
import subprocess
from collections.abc import Callable

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.errors import ConfigurationError, LaunchError, PlacementError, SimulationError
from pysmpi.platform import Cluster, Torus

Command = Callable[..., subprocess.CompletedProcess[str]]
CFG = {"smpi/simulate-computation": "no", "smpi/wtime": "0"}


def program() -> None:
    """Return a program with a second of computation and a broadcast."""
    pysmpi.execute(1.0)
    MPI.COMM_WORLD.Bcast(bytearray(10**6))


def test_what_if_from_python(capfd: pytest.CaptureFixture[str]) -> None:
    """Each switch has its time, its share of MPI and its speed-up; runs at once give the same as one by one."""
    switches = ["hosts*2", "links*0.1", "bcast=flattree", "smpi/bcast:NTSL"]
    results = [
        pysmpi.what_if(program, switches, np=4, platform=Cluster(4), cfg=CFG, parallel=parallel) for parallel in (1, 3)
    ]
    assert results[0] == results[1]
    found = results[0]
    as_it_is = found.variations[0]
    assert as_it_is.simulated_time == pysmpi.simulate(program, np=4, platform=Cluster(4), cfg=CFG).simulated_time
    assert found["hosts*2"].simulated_time == pytest.approx(as_it_is.simulated_time - 0.5)
    assert found["hosts*2"].in_mpi == pytest.approx(as_it_is.in_mpi)
    assert found["links*0.1"].in_mpi > 5 * as_it_is.in_mpi
    assert found.speed_up("hosts*2") == pytest.approx(as_it_is.simulated_time / (as_it_is.simulated_time - 0.5))
    lines = str(found).splitlines()
    assert lines[0].split() == ["what", "if", "simulated", "time", "speed-up", "in", "MPI,", "a", "rank"]
    assert [line.split("  ")[0] for line in lines[1:6]] == ["as it is", *switches]
    assert "hosts*2 is read as speed*2" in lines[6]
    assert lines[-1].startswith("nodes twice as fast: 2.0")
    assert lines[-1].endswith("the program is bound by the speed of its nodes")


def shared_work() -> int:
    """Share a second of computation, and exchange the results; return the number of ranks."""
    world = MPI.COMM_WORLD
    pysmpi.execute(1.0 / world.size)
    world.Allreduce(bytearray(10**6), bytearray(10**6))
    return world.size


def test_more_nodes_equal_the_larger_machine() -> None:
    """The run has as many times the ranks, as many on each node as before, on the machine of that size."""
    found = pysmpi.what_if(
        shared_work, ["nodes*2", "nodes/2", "nodes*2 speed*2"], np=8, platform=Torus([2, 4], cores=2), cfg=CFG
    )
    for switch, np, other in (("nodes*2", 16, Torus([4, 4], cores=2)), ("nodes/2", 4, Torus([2, 2], cores=2))):
        direct = pysmpi.simulate(shared_work, np=np, platform=other, cfg=CFG)
        each = found[switch]
        assert each.simulated_time == direct.simulated_time
        assert (each.ranks, each.nodes) == (np, np // 2)
    both = pysmpi.simulate(shared_work, np=8, platform=Torus([2, 4], cores=2), cfg=CFG, what_if="nodes*2 speed*2")
    assert both.values == [16] * 16
    assert both.simulated_time == found["nodes*2 speed*2"].simulated_time
    assert "nodes*2: 16 ranks on 8 nodes instead of 8 on 4" in str(found)
    assert str(found).splitlines()[-1].startswith("twice as many nodes: 1.")


def fixed_grid() -> None:
    if MPI.COMM_WORLD.size != 4:
        raise ValueError(f"a grid of 2 x 2 needs 4 ranks, not {MPI.COMM_WORLD.size}")


def test_more_nodes_that_cannot_be() -> None:
    """A program for a fixed number of ranks, and named hosts, give a failed row with the reason."""
    found = pysmpi.what_if(fixed_grid, ["nodes*2"], np=4, platform=Cluster(4), cfg=CFG)
    assert "ValueError: a grid of 2 x 2 needs 4 ranks, not 8" in found["nodes*2"].failure
    assert str(found).splitlines()[2].split() == ["nodes*2", "failed"]
    hosts = [f"node-{rank}" for rank in range(4)]
    with pytest.raises(PlacementError, match=r"nodes\*2: hosts= names the hosts of a fixed number of ranks"):
        pysmpi.simulate(fixed_grid, np=4, platform=Cluster(4), hosts=hosts, what_if="nodes*2")


def failing() -> None:
    begun = MPI.Wtime()
    pysmpi.execute(1.0)
    if MPI.Wtime() - begun < 0.9:
        raise ValueError("too fast")
    begun = MPI.Wtime()
    MPI.COMM_WORLD.Bcast(bytearray(10**7))
    if MPI.Wtime() - begun < 0.005:
        faulthandler.disable()  # which would tell of it in the tests' log
        os.abort()


def test_a_run_that_fails_is_told() -> None:
    found = pysmpi.what_if(
        failing, ["hosts*2", "links*100", "latency*2"], np=2, platform=Cluster(2, bandwidth=1e9), cfg=CFG
    )
    assert "rank 0 (host node-0) raised ValueError: too fast" in found["hosts*2"].failure
    assert "signal 6" in found["links*100"].failure
    assert not found["latency*2"].failure
    assert "links*100: the process ended unexpectedly: signal 6" in str(found)


def killed() -> None:
    """Kill the rank's own process if hosts are fast."""
    begun = MPI.Wtime()
    pysmpi.execute(1.0)
    if MPI.Wtime() - begun < 0.9 and MPI.COMM_WORLD.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_run_whose_rank_is_killed_is_told() -> None:
    found = pysmpi.what_if(killed, ["hosts*2", "links*2"], np=2, platform=Cluster(2), cfg=CFG)
    assert found["hosts*2"].failure == "the program ended with exit status 137" and found["hosts*2"].exit_status == 137
    assert not found["links*2"].failure


def test_errors() -> None:
    """Switches are checked before anything runs; a program that fails unchanged is an error."""
    with pytest.raises(ConfigurationError, match="did you mean 'links'"):
        pysmpi.what_if(program, ["hosts*2", "lnks*2"], np=1, platform=Cluster(1))
    with pytest.raises(LaunchError, match="pass a list of strings"):
        pysmpi.what_if(program, "links*2", np=1, platform=Cluster(1))  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match=r"the unchanged run failed: rank 0 .* raised ZeroDivisionError"):
        pysmpi.what_if(lambda: 1 / 0, ["links*2"], np=1, platform=Cluster(1))


SOURCE = """
    import sys
    import pysmpi
    from mpi4py import MPI
    pysmpi.execute(float(sys.argv[1]))
    MPI.COMM_WORLD.barrier()
    print("rank", MPI.COMM_WORLD.rank, sys.stdin.readline().strip())
"""


def test_on_the_command_line(pysmpirun: Command) -> None:
    """Only the unchanged run prints; the table comes last, with energy if a switch meters it."""
    run = pysmpirun(
        "-np", "2", "--quiet", "--what-if", "hosts*2", "--what-if=link:c_link_1*0.5 latency*2", "--parallel", "2",
        "--slow-host", "node0:0.5", "--cfg=smpi/simulate-computation:no", "--cfg=smpi/wtime:0", "program.py", "1.0",
        source=SOURCE, stdin="asked\n",
    )  # fmt: skip
    assert (run.returncode, sorted(run.stdout.splitlines())) == (0, ["rank 0 asked", "rank 1 "])
    table = [line for line in run.stderr.splitlines() if line.startswith("pysmpi: ")]
    assert [line.split("  ")[0] for line in table[:4]] == [
        "pysmpi: what if", "pysmpi: as it is", "pysmpi: hosts*2", "pysmpi: link:c_link_1*0.5 latency*2",
    ]  # fmt: skip
    assert "2.0000" in table[1] and "1.0000" in table[2] and "2.000×" in table[2]


def test_more_nodes_on_the_command_line(pysmpirun: Command) -> None:
    """Hosts of the larger machine may be named; a program for a fixed number of ranks gives a failed row."""
    run = pysmpirun(
        "-np", "32", "--quiet", "--what-if", "nodes*2 host:node15*0.5", "--what-if", "nodes/2", "program.py",
        source="""
            from mpi4py import MPI
            assert MPI.COMM_WORLD.size > 16, "too few"
        """,
    )  # fmt: skip
    lines = run.stderr.splitlines()
    assert run.returncode == 1
    assert "pysmpi: nodes/2: rank 0 raised AssertionError: too few" in lines
    assert "pysmpi: nodes*2 host:node15*0.5: 64 ranks on 4 nodes instead of 32 on 2" in lines


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--what-if", "nodes*0.3"], "nodes*0.3: {platform}: 8 hosts times 0.3 is not a whole number"),
        (["--what-if", "nodes*2", "--hostfile", "program.py"], "the hostfile program.py names the hosts of a fixed"),
        (["--what-if", "nodes*2 host:node16*2"], "no host is called 'node16'"),
        (["--what-if", "nodes/2", "--slow-host", "node5:0.5"], "no host is called 'node5'"),
        (["--what-if", "nodes*2", "program.py", ":", "-np", "1"], "'nodes*2' multiplies -np, but there are 2 programs"),
    ],
)
def test_numbers_of_nodes_that_cannot_be(
    pysmpirun: Command, platform_file: pathlib.Path, words: list[str], what: str
) -> None:
    """Errors come before the unchanged run."""
    run = pysmpirun("-np", "2", *words, "program.py", source=SOURCE)
    assert run.returncode == 2 and what.format(platform=platform_file) in run.stderr and not run.stdout


def test_traces_have_a_fixed_number_of_ranks(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    (tmp_path / "actions").write_text("0 init\n0 finalize\n")
    (tmp_path / "traces").write_text("actions\n")
    run = pysmpirun("-np", "1", "--what-if", "nodes*2", "--replay", "traces")
    assert run.returncode == 2
    assert "--what-if 'nodes*2': a trace has the actions of a fixed number of ranks" in run.stderr


def test_the_profile_is_that_of_the_unchanged_run(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    exact = ["-np", "2", "--cfg=smpi/simulate-computation:no", "--cfg=smpi/wtime:0"]
    words = ["--what-if", "links*2", f"--profile={tmp_path / 'p.json'}"]
    run = pysmpirun(*exact, *words, "program.py", "1.0", source=SOURCE)
    assert run.returncode == 0 and "links*2" in run.stderr
    alone = pysmpirun(*exact, f"--profile={tmp_path / 'alone.json'}", "program.py", "1.0", source=SOURCE)
    assert alone.returncode == 0 and alone.stderr.count("profile") == run.stderr.count("profile") > 0
    assert (tmp_path / "p.json").read_bytes() == (tmp_path / "alone.json").read_bytes()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--what-if", "links*2", "--trace-ti", "here"], "--trace-ti is for one run"),
        (["--what-if", "links*2", "--network-report"], "--network-report is for one run"),
        (["--what-if", "host:nod1*2"], "did you mean 'node1'"),
        (["--what-if", "lnks*2"], "did you mean 'links'"),
        (["--slow-host", "node1"], "slow host 'node1' is not valid; write NAME:FACTOR"),
        (["--slow-host", "node9:0.5"], "no host is called 'node9'"),
        (["--parallel", "0", "--what-if", "links*2"], "'0' is too small (valid: 1 or more)"),
    ],
)
def test_command_lines_that_cannot_be(pysmpirun: Command, words: list[str], what: str) -> None:
    run = pysmpirun("-np", "2", *words, "program.py", source=SOURCE)
    assert run.returncode == 2 and what in run.stderr and not run.stdout


def test_a_program_that_fails_as_it_is(pysmpirun: Command) -> None:
    run = pysmpirun("-np", "2", "--quiet", "--what-if", "links*2", "program.py", source="import sys\nsys.exit(3)\n")
    assert run.returncode == 3 and "the unchanged run failed: the exit status is 3" in run.stderr
    assert "speed-up" not in run.stderr


CLOCK = """
    import ctypes, os, random
    import numpy as np
    import pysmpi
    from mpi4py import MPI
    from pysmpi.native import ffi, lib

    draws = random.Random(os.getpid())  # another one in each process

    @ffi.callback("void(int32_t, const char *, double *, double *)")
    def clock(thread, call, seconds, wall):
        seconds[0] = wall[0] = 0.1 * (1 + 0.2 * draws.random())

    world = MPI.COMM_WORLD
    if world.rank == 0:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(clock))  # other ranks use it when this one has ended
        lib.pysmpi_invent_intervals(clock)
    for step in range(20):
        world.Allreduce(np.zeros(10), np.empty(10))
"""


def test_variants_take_over_the_measured_computation(pysmpirun: Command) -> None:
    """A program that only computes gains nothing from the network, whatever the measured times are."""
    words = ["--what-if", "links*2", "--what-if", "latency/2", "--what-if", "speed*2", "--what-if", "nodes*2"]
    tables = []
    for parallel in ("1", "4"):
        run = pysmpirun("-np", "4", "--quiet", *words, "--parallel", parallel, "program.py", source=CLOCK)
        assert run.returncode == 0, run.stderr
        lines = [line.removeprefix("pysmpi: ") for line in run.stderr.splitlines()]
        tables.append({line.split("  ")[0]: line.split()[3:] for line in lines[1:6]})
        assert (
            "links twice as fast: 1.00 times; latency halved: 1.00 times; nodes twice as fast: 2.00 times" in lines[-1]
        )
        more = r"; twice as many nodes: (0\.9|1\.0)\d ± 0\.\d\d times \(not distinguishable from no effect\); "
        assert re.search(more, lines[-1])
        assert any(line.startswith("nodes*2: computation was measured again, ") for line in lines)
    assert all("1.000×" in table["links*2"] for table in tables)


def test_measured_computation_from_python() -> None:
    """The runs share their intervals in forked processes, also in parallel."""

    def body() -> None:
        sum(range(20_000))
        MPI.COMM_WORLD.Barrier()
        sum(range(50_000))
        MPI.COMM_WORLD.Barrier()

    switches = ["latency*1", "links*1", "nodes*2"]
    found = pysmpi.what_if(body, switches, np=4, platform=Cluster(4), parallel=3)
    base = found.variations[0]
    assert base.intervals is not None and base.intervals.measured >= 8
    for switch in switches[:2]:
        each = found[switch]
        assert each.simulated_time == base.simulated_time and found.speed_up(switch) == 1 and found.margin(switch) == 0
        assert each.intervals is not None and each.intervals.reused == base.intervals.measured
    more = found["nodes*2"].intervals
    assert more is not None and more.reused == 0 and more.measured == 2 * base.intervals.measured
    with pytest.raises(LaunchError, match="intervals is not valid here"):
        pysmpi.what_if(body, switches, np=4, platform=Cluster(4), intervals="file")
