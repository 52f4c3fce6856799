"""Hosts and links that fail and recover by their state profiles."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import PlacementError
from pysmpi.simulation.instruments.outcome import Ending

EXACT = {"smpi/simulate-computation": "no", "smpi/wtime": 0}
PROC_FAILED, OTHER = 101, 15  # error classes of MPICH's ABI
Outcome = tuple[float, int]


def exchange(size: int, pauses: Sequence[float]) -> list[Outcome]:
    """Send from rank 0 to rank 1 after each pause; return the end of each call, and its error."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    outcomes = []
    for pause in pauses:
        pysmpi.sleep(pause)
        message = [bytearray(size), MPI.BYTE]
        error = 0
        try:
            world.Send(message, dest=1) if world.rank == 0 else world.Recv(message, source=0)
        except MPI.Exception as exception:
            error = exception.Get_error_class()
        outcomes.append((MPI.Wtime(), error))
    return outcomes


@pytest.mark.parametrize("size", [10**8, 10**3])
def test_a_link_that_fails_under_way_and_comes_back(pair: Callable[..., Path], size: int) -> None:
    """Both ends of the message get an error at once; the next message arrives."""
    middle = 0.05 if size > 10**6 else 5e-6  # while its bytes move, and while its latency is paid
    platform = pair(link_state=f"{middle!r} 0\n1 1\n")
    cfg = EXACT | {"smpi/or": "0:0:0"}  # the receiver pays its overhead after the error, too
    result = pysmpi.simulate(exchange, args=[size, [0.0, 2.0]], np=2, platform=platform, hosts=["a", "b"], cfg=cfg)
    for rank, ((failed, error), (ended, later)) in enumerate(result.values):
        if size > 10**6 or rank == 1:  # the small message's sender does not wait for it
            assert (failed, error) == (middle, OTHER)
        assert later == 0
        assert ended >= 2.0
    assert all(outcome.ending is Ending.RETURNED for outcome in result.ranks)


def test_messages_over_a_link_that_is_off_fail_as_they_start(pair: Callable[..., Path]) -> None:
    """No time passes. A flow whose return path uses the link fails too."""
    platform = pair(link_state="0 0\n")
    result = pysmpi.simulate(exchange, args=[10**8, [1.0]], np=2, platform=platform, hosts=["a", "b"], cfg=EXACT)
    assert result.values == [[(1.0, OTHER)], [(1.0, OTHER)]]


def test_other_messages_share_what_a_failed_one_leaves(tmp_path: Path) -> None:
    """If one of two messages through a switch fails, the other gets the whole bandwidth."""
    links = '<link id="{0}" bandwidth="10GBps" latency="10us" state_file="{0}"/>'
    (tmp_path / "one").write_text("0.1 0\n")
    (tmp_path / "two").write_text("99 0\n")
    path = tmp_path / "switch.xml"
    path.write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="lab" routing="Full">
  <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
  {links.format("one")}{links.format("two")}
  <link id="switch" bandwidth="1GBps" latency="10us"/>
  <route src="a" dst="b"><link_ctn id="one"/><link_ctn id="switch"/></route>
  <route src="a" dst="c"><link_ctn id="two"/><link_ctn id="switch"/></route>
</zone></platform>
""")

    def scatter() -> float:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        requests = [world.Irecv([bytearray(10**8), MPI.BYTE], source=0)] if world.rank else []
        requests = requests or [world.Isend([bytearray(10**8), MPI.BYTE], dest=rank) for rank in (1, 2)]
        for request in requests:
            try:
                request.Wait()
            except MPI.Exception as error:
                assert error.Get_error_class() == OTHER
        return MPI.Wtime()

    cfg = EXACT | {"network/model": "CM02", "network/crosstraffic": 0, "network/TCP-gamma": 1e15}
    result = pysmpi.simulate(scatter, np=3, platform=path, hosts=["a", "b", "c"], cfg=cfg)
    assert result.values[1] == 0.1
    assert result.values[2] == pytest.approx(0.1 + (10**8 - 0.05e9) / 1e9 + 1e-5, rel=1e-6)


def test_a_host_that_fails_takes_its_ranks_along(pair: Callable[..., Path]) -> None:
    """Ranks of the host end at once; ranks that wait for them get an error and continue."""
    platform = pair(host_state="0.25 0\n0.5 1\n")
    reached = []

    def work() -> tuple[float, int]:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        try:
            if world.rank == 1:
                pysmpi.execute_flops(1e12)
                MPI.Wtime()
            elif world.rank == 2:
                time.sleep(10.0)
            elif world.rank == 3:
                world.recv(source=0, tag=7)
            else:
                world.recv(source=1)
        except MPI.Exception as exception:
            return MPI.Wtime(), exception.Get_error_class()
        finally:
            reached.append(world.rank)
        world.Barrier()
        reached.append(world.rank)
        return 0.0, 0

    hosts = ["a", "b", "b", "b"]
    result = pysmpi.simulate(work, np=4, platform=platform, hosts=hosts, cfg=EXACT)
    assert result.values == [(0.25, PROC_FAILED), None, None, None]
    assert [(outcome.ending, outcome.failed_at) for outcome in result.ranks[1:]] == [(Ending.FAILED, 0.25)] * 3
    assert reached == [0]
    assert result.simulated_time == 0.25  # a host that recovers has no ranks, so nothing waits for it
    assert result.exit_status == 137


def test_computations_of_a_failed_host_leave_the_others_alone(pair: Callable[..., Path]) -> None:
    """Other computations keep their speed, and messages to the host end."""
    platform = pair(host_state="0.25 0\n")

    def work() -> list[Outcome]:
        from mpi4py import MPI

        outcomes = exchange(10**9, [0.0])
        pysmpi.execute_flops(1e9)
        return [*outcomes, (MPI.Wtime(), 0)]

    result = pysmpi.simulate(work, np=2, platform=platform, hosts=["a", "b"], cfg=EXACT)
    assert result.values == [[(0.25, PROC_FAILED), (1.25, 0)], None]


def test_memory_traffic_ends_with_its_host(tmp_path: Path) -> None:
    """The rank of the other host, which has the memory of its own, goes on, and so do later ones."""
    (tmp_path / "state").write_text("0.25 0\n")
    memory = '<prop id="memory_bandwidth" value="10GBps"/>'
    hosts = "".join(
        f'<host id="{name}" speed="1Gf" {state}>{memory}</host>'
        for name, state in (("a", ""), ("b", f'state_file="{tmp_path}/state"'))
    )
    link = '<link id="l" bandwidth="1GBps" latency="1us"/><route src="a" dst="b"><link_ctn id="l"/></route>'
    platform = tmp_path / "platform.xml"
    platform.write_text(f'<platform version="4.1"><zone id="z" routing="Full">{hosts}{link}</zone></platform>')

    def work() -> float:
        from mpi4py import MPI

        for _ in range(3):
            pysmpi.execute_flops(1e6, memory_bytes=2e9)
            MPI.Wtime()
        return MPI.Wtime()

    cfg = {**EXACT, "smpi/memory-bandwidth": 4e9}
    result = pysmpi.simulate(work, np=2, platform=platform, hosts=["a", "b"], smpi=False, cfg=cfg)
    assert result.values == [pytest.approx(1.5), None]


def test_a_host_without_ranks_may_fail(pair: Callable[..., Path]) -> None:
    platform = pair(host_state="PERIODICITY 0.2\n0 1\n0.1 0\n")

    def work() -> float:
        from mpi4py import MPI

        pysmpi.execute_flops(1e9)
        return MPI.Wtime()

    result = pysmpi.simulate(work, np=2, platform=platform, hosts=["a", "a"], cfg=EXACT)
    assert result.values == [2.0, 2.0]


def test_all_hosts_fail(pair: Callable[..., Path]) -> None:
    """The simulation ends with the last rank, even if profiles continue and messages are in transit."""
    platform = pair(host_state="0.25 0\n", speed="PERIODICITY 0.1\n0 1\n0.05 0.5\n")

    def work() -> None:
        from mpi4py import MPI

        MPI.COMM_WORLD.Isend([bytearray(60_000), MPI.BYTE], dest=1)
        pysmpi.sleep(100.0)

    result = pysmpi.simulate(work, np=2, platform=platform, hosts=["b", "b"], cfg=EXACT)
    assert [outcome.failed_at for outcome in result.ranks] == [0.25, 0.25]
    assert result.simulated_time == 0.25


def test_ranks_on_a_host_that_is_off_from_the_beginning(pair: Callable[..., Path]) -> None:
    """Ranks cannot be placed there, as in SimGrid, even if the host is turned on later."""
    platform = pair(host_state="0 0\n1 1\n")
    with pytest.raises(PlacementError, match="rank 1 is placed on host b, which is off when the simulation begins"):
        pysmpi.simulate(exchange, args=[8, [0.0]], np=2, platform=platform, hosts=["a", "b"], cfg=EXACT)
    assert pysmpi.simulate(lambda: 1, np=2, platform=platform, hosts=["a", "a"], cfg=EXACT).values == [1, 1]


def test_the_command_tells_who_was_lost(
    pair: Callable[..., Path], pysmpirun: Callable[..., Any], tmp_path: Path
) -> None:
    """The summary names ranks, hosts and times; the exit status is that of a killed process."""
    program = """
        import time
        from mpi4py import MPI
        print("begun", flush=True)
        if MPI.COMM_WORLD.rank:
            time.sleep(9)
        print("over")
    """
    platform = str(pair(host_state="1.5 0\n"))
    (tmp_path / "hosts").write_text("a\nb:2\n")
    done = pysmpirun("-np", "3", "--hostfile", "hosts", "-v", "program.py", source=program, platform=platform)
    assert done.returncode == 137, done.stderr
    first, *lines = (line for line in done.stderr.splitlines() if "failed" in line)
    assert first.startswith("pysmpi: questionable: 2 ranks failed; ")
    assert lines == [
        "pysmpi: rank 1 (host b) failed at 1.5 s",
        "pysmpi: rank 2 (host b) failed at 1.5 s",
    ]
    assert sorted(done.stdout.split()) == ["begun"] * 3 + ["over"]


def test_two_runs_with_failures_are_equal(pair: Callable[..., Path]) -> None:
    """Times are equal to the bit."""
    platform = pair(link_state="LOOPAFTER 0.01\n0.03 0\n0.04 1\n", bandwidth="LOOPAFTER 0.007\n0.005 3e8\n0.01 1e9\n")
    runs = [
        pysmpi.simulate(exchange, args=[10**7, [0.003] * 30], np=2, platform=platform, hosts=["a", "b"], cfg=EXACT)
        for _ in range(2)
    ]
    assert runs[0].values == runs[1].values
    assert {error for _, error in runs[0].values[1]} == {0, OTHER}
