"""pysmpi.simulation.compute inside simulated ranks."""

import pathlib
import subprocess
import sys

import pytest

import pysmpi

PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node-" suffix=".test" radical="0-3" speed="2Gf" bw="1GBps" lat="10us" core="1"/>
</platform>
"""


@pytest.fixture
def run(tmp_path: pathlib.Path):
    """Run a program's text, one rank per line of the hostfile, and return the lines it prints."""

    def simulate(program: str, *hosts: str) -> list[str]:
        (tmp_path / "platform.xml").write_text(PLATFORM)
        (tmp_path / "hosts").write_text("\n".join(hosts) + "\n")
        (tmp_path / "program.py").write_text(program)
        command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "-np", str(len(hosts))]
        command += ["--platform", "platform.xml", "--hostfile", "hosts", "program.py"]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (result.returncode, result.stderr) == (0, "")
        return sorted(result.stdout.splitlines())

    return simulate


def test_injected_time_passes_on_the_simulated_clock(run) -> None:
    """execute and sleep take the same time on any host; execute_flops depends on the host."""
    program = """
from mpi4py import MPI
import pysmpi
with pysmpi.untimed():
    for advance, amount in ((pysmpi.execute, 2.5), (pysmpi.execute_flops, 1e9), (pysmpi.sleep, 0.25)):
        start = MPI.Wtime()
        advance(amount)
        print(f"{MPI.Wtime() - start:.6f}")
"""
    assert run(program, "node-0.test") == ["0.250000", "0.500000", "2.500000"]


def test_what_is_computed_last_counts(tmp_path: pathlib.Path) -> None:
    """Time injected after the last MPI call still counts."""
    (tmp_path / "platform.xml").write_text(PLATFORM)
    program = "import pysmpi; from mpi4py import MPI; pysmpi.execute(3.0); pysmpi.execute(4.0)"
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", "2", "--cfg=smpi/simulate-computation:no"]
    command += ["--platform", str(tmp_path / "platform.xml"), "python", "-c", program]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "simulated time 7 s" in result.stderr


def test_ranks_share_a_core_for_computing_but_not_for_sleeping(run) -> None:
    """Two ranks on one core compute at half the speed each."""
    program = """
from mpi4py import MPI
import pysmpi
with pysmpi.untimed():
    pysmpi.execute(1.0)
    computed = MPI.Wtime()
    pysmpi.sleep(1.0)
    print(f"{computed:.6f} {MPI.Wtime():.6f}")
"""
    assert run(program, "node-0.test", "node-0.test") == ["2.000000 3.000000"] * 2


def test_computation_counts_from_the_first_call_of_mpi(run) -> None:
    """Computation before the first call, such as importing, takes no time."""
    program = """
sum(range(200_000))
from mpi4py import MPI
if FIRST:
    print(MPI.Wtime())
MPI.COMM_WORLD.Get_rank()
sum(range(200_000))
print(MPI.Wtime() > 1e-4)
"""
    assert run(program.replace("FIRST", "True"), "node-0.test") == ["0.0", "True"]
    assert run(program.replace("FIRST", "False"), "node-0.test") == ["True"]


def test_untimed_code_takes_no_time(run) -> None:
    program = """
from mpi4py import MPI
import pysmpi
def work():
    start = MPI.Wtime()
    sum(range(200_000))
    return MPI.Wtime() - start
outside = work()
with pysmpi.untimed():
    inside = work()
print(outside > 1e-4, inside < 1e-6, work() > 1e-4)
"""
    assert run(program, "node-0.test") == ["True True True"]


def test_host_is_the_simulated_one(run) -> None:
    program = "import pysmpi\nprint(pysmpi.is_simulated(), *pysmpi.host())"
    assert run(program, "node-3.test", "node-1.test") == [
        "True node-1.test 2000000000.0 1",
        "True node-3.test 2000000000.0 1",
    ]


def test_folded_arrays_share_memory_and_messages_leave_the_receiver_alone(run) -> None:
    """A message from a folded array takes the usual time, but writes nothing."""
    program = """
from mpi4py import MPI
import numpy as np
import pysmpi
world = MPI.COMM_WORLD
folded = pysmpi.folded_empty((1000, 100), order="F")
other = pysmpi.folded_empty(7, np.int8)
other.view(np.ndarray)[0] = 5
assert np.shares_memory(folded, other) and folded.view(np.ndarray)[:, 0].view(np.int8)[0] == 5
with pysmpi.untimed():
    times = []
    for source in (np.ones(100_000), folded.reshape(-1, order="F")):
        target = np.zeros(100_000)
        world.Barrier()
        start = MPI.Wtime()
        if world.rank == 0:
            world.Send(source, 1)
        else:
            world.Recv(target, 0)
            print(target.sum())
        times.append(MPI.Wtime() - start)
assert abs(times[0] - times[1]) < 1e-9 and times[0] > 8e-4, times
"""
    assert run(program, "node-0.test", "node-1.test") == ["0.0", "100000.0"]


def test_folded_arrays_and_their_views_are_told_from_others(run) -> None:
    program = """
import numpy as np
import pysmpi
folded = pysmpi.folded_empty((20, 30))
views = (folded, folded[3:, 1], folded.T, np.asarray(folded), folded.view(np.ndarray))
print(all(map(pysmpi.is_folded, views)), any(map(pysmpi.is_folded, (np.empty(5), 3, "text", None))))
"""
    assert run(program, "node-0.test") == ["True False"]


def test_folded_arrays_of_objects_are_refused(run) -> None:
    program = """
import pysmpi
try:
    pysmpi.folded_empty(3, object)
except pysmpi.FoldedMemoryError as error:
    print(error.slug, error)
"""
    (line,) = run(program, "node-0.test")
    assert line == "folded-memory items of type object are Python objects, which cannot be folded; use numpy.empty"


def test_every_second_has_a_source(tmp_path: pathlib.Path) -> None:
    """Injected, sampled, slept and waited seconds are distinguished, and add up to the ranks' time."""
    (tmp_path / "platform.xml").write_text(PLATFORM)

    def program() -> None:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        if world.rank == 0:
            pysmpi.execute(3.0)
            pysmpi.execute_flops(2e9)  # takes 1 s on this host
            pysmpi.sleep(1.0)
            for _ in pysmpi.sample(1000, count=1):
                sum(range(1000))
        world.Barrier()

    settings = {"smpi/simulate-computation": "no", "smpi/cpu-threshold": 0, "smpi/wtime": 0}
    result = pysmpi.simulate(program, np=2, platform=tmp_path / "platform.xml", cfg=settings)
    spent = result.time_spent
    assert (round(spent.injected, 9), round(spent.asleep, 9), spent.measured, spent.modelled) == (4.0, 1.0, 0.0, 0.0)
    assert spent.sampled > 0 and spent.free_stretches > 0
    assert spent.in_mpi == pytest.approx(result.simulated_time, abs=1e-3)  # rank 1 has waited for rank 0
    assert spent.total == pytest.approx(2 * result.simulated_time, abs=1e-3)
    measured = pysmpi.simulate(program, np=2, platform=tmp_path / "platform.xml").time_spent
    assert measured.measured > 0


@pytest.mark.parametrize(("clock", "waits_count"), [("wall", True), ("processor", False)])
def test_computation_is_measured_by_the_clock_that_is_said(
    tmp_path: pathlib.Path, clock: str, waits_count: bool
) -> None:
    """0.3 s without a processor count only on the wall clock; computation counts on both clocks."""
    (tmp_path / "platform.xml").write_text(PLATFORM)
    program = """
import ctypes
from mpi4py import MPI
start = MPI.Wtime()
ctypes.CDLL(None).usleep(300_000)
MPI.COMM_WORLD.Barrier()
waited = MPI.Wtime()
while MPI.Wtime() - waited < 0.02:
    sum(range(1000))
    MPI.COMM_WORLD.Barrier()
print(waited - start)
"""
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "-np", "1", f"--cfg=smpi/computation-clock:{clock}"]
    command += ["--platform", str(tmp_path / "platform.xml"), "program.py"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (float(result.stdout) >= 0.3) == waits_count
