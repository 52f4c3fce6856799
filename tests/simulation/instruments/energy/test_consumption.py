"""Tests of the energy of hosts and ranks against SimGrid's, and against the integral of power."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.errors import SimulationError
from pysmpi.simulation.instruments.energy import lines

HERE = Path(__file__).parent
PLATFORM = HERE / "energy.xml"
EXACT = {"smpi/simulate-computation": "no", "plugin": "host_energy"}
CASES = [json.loads(line) for line in (HERE / "simgrid.jsonl").read_text().splitlines()]
HOSTS = [f"n{rank // 4}" for rank in range(16)]
SPEEDS = (10e9, 5e9)
WATTS = ((90.0, 105.0, 180.0), (80.0, 90.0, 120.0))


def twin(program: str, flops: float) -> None:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    MPI.Wtime()
    if program == "even":
        pysmpi.execute_flops(flops)
    if program == "skew":
        pysmpi.execute_flops(flops * (world.rank + 1))
    if program == "one" and world.rank == 0:
        pysmpi.execute_flops(flops)
    if program == "comm":
        payload = np.zeros(4_000_000, "b")
        for _ in range(10):
            world.Bcast(payload)
    if program == "probe" and world.rank == 0:
        for _ in range(50):
            assert not world.Iprobe(1, 0)
    byte = np.zeros(1, "b")
    if program == "test" and world.rank == 0:
        request = world.Irecv(byte, 1, 0)
        while not request.Test():
            pass
    if program == "test" and world.rank == 1:
        pysmpi.execute_flops(flops)
        world.Send(byte, 0, 0)
    world.Allreduce(np.ones(1), np.zeros(1))
    MPI.Wtime()


@pytest.mark.smpi
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['program']}-{case['ranks']}-{case['iprobe_usage']}")
def test_joules_are_simgrids(case: dict[str, Any]) -> None:
    result = pysmpi.simulate(
        twin,
        np=case["ranks"],
        platform=PLATFORM,
        hosts=HOSTS[: case["ranks"]],
        cfg={**EXACT, "smpi/iprobe-cpu-usage": case["iprobe_usage"]},
        args=(case["program"], case["flops"]),
    )
    energy = result.energy
    assert energy is not None
    assert energy.total == pytest.approx(case["total"], rel=1e-6, abs=1e-6)
    assert energy.of_used_hosts == pytest.approx(case["used"], rel=1e-6, abs=1e-6)
    assert energy.of_unused_hosts == pytest.approx(case["total"] - case["used"], rel=1e-6, abs=2e-6)
    assert energy.hosts == pytest.approx(case["hosts"], rel=1e-6, abs=1e-6)


Step = tuple[str, float]


def act(steps: Sequence[Sequence[Step]]) -> None:
    from mpi4py import MPI

    for kind, amount in steps[MPI.COMM_WORLD.rank]:
        if kind == "compute":
            pysmpi.execute_flops(amount)
            MPI.Wtime()
        elif kind == "sleep":
            pysmpi.sleep(amount)
        else:
            pysmpi.host().pstate = int(amount)


def integral(steps: Sequence[Sequence[Step]]) -> tuple[float, float]:
    """Return when four cores have done the steps of their ranks, and the host's joules until then, by a plain model."""
    todo = [list(each) for each in steps]
    left: list[float] = [0.0] * len(todo)
    doing: list[str | None] = [None] * len(todo)
    now = joules = 0.0
    pstate = 0
    while True:
        for rank, rest in enumerate(todo):
            while doing[rank] is None and rest:
                kind, amount = rest.pop(0)
                if kind == "pstate":
                    pstate = int(amount)
                elif amount > 0.0:
                    doing[rank], left[rank] = kind, amount
        busy = sum(each == "compute" for each in doing)
        if not any(doing):
            return now, joules
        idle, epsilon, full = WATTS[pstate]
        rate = SPEEDS[pstate] * min(1.0, 4 / busy) if busy else 0.0
        rates = [rate if each == "compute" else 1.0 for each in doing]
        step = min(left[rank] / rates[rank] for rank, each in enumerate(doing) if each)
        joules += step * (epsilon + min(1.0, busy / 4) * (full - epsilon) if busy else idle)
        now += step
        for rank, each in enumerate(doing):
            left[rank] -= step * rates[rank]
            if each and left[rank] <= 1e-9 * rates[rank]:
                doing[rank] = None


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("compute"), st.integers(1, 50).map(lambda n: n * 1e8)),
        st.tuples(st.just("sleep"), st.integers(1, 300).map(lambda n: n * 1e-3)),
        st.tuples(st.just("pstate"), st.sampled_from([0.0, 1.0])),
    ),
    max_size=5,
)


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(STEPS, min_size=1, max_size=6))
def test_energy_is_the_integral_of_power(steps: list[list[Step]]) -> None:
    cfg = {**EXACT, "smpi/wtime": 0}
    result = pysmpi.simulate(
        act, np=len(steps), platform=PLATFORM, hosts=["n1"] * len(steps), cfg=cfg, args=(_at_different_times(steps),)
    )
    seconds, joules = integral(_at_different_times(steps))
    assert result.simulated_time == pytest.approx(seconds, abs=1e-8)
    assert result.energy is not None
    assert result.energy.of("n1") == pytest.approx(joules, rel=1e-6, abs=1e-5)
    assert result.energy.hosts[[0, 2, 3]] == pytest.approx(90.0 * seconds, rel=1e-6, abs=1e-5)


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(STEPS, min_size=1, max_size=9), hosts=st.lists(st.integers(0, 3), min_size=9, max_size=9))
def test_ranks_and_hosts_without_ranks_add_up_to_the_whole(steps: list[list[Step]], hosts: list[int]) -> None:
    names = [f"n{host}" for host in hosts[: len(steps)]]
    result = pysmpi.simulate(act, np=len(steps), platform=PLATFORM, hosts=names, cfg=EXACT, args=(steps,))
    energy = result.energy
    assert energy is not None
    empty = [joules for name, joules in zip(energy.host_names, energy.hosts, strict=True) if name not in names]
    assert energy.ranks.sum() + sum(empty) == pytest.approx(energy.total, rel=1e-9)
    assert energy.of_used_hosts + energy.of_unused_hosts == pytest.approx(energy.total, rel=1e-12)


def _at_different_times(steps: list[list[Step]]) -> list[list[Step]]:
    """Give each rank another start time, since the order of simultaneous changes of state is not defined."""
    return [[("sleep", 1e-4 * 2**-rank), *each] for rank, each in enumerate(steps)]


def test_who_computes_pays_for_it() -> None:
    steps = [[("compute", 10e9)], []]
    result = pysmpi.simulate(act, np=2, platform=PLATFORM, hosts=["n0"] * 2, cfg=EXACT, args=(steps,))
    assert result.energy is not None
    beyond = 105.0 + 0.25 * 75.0 - 90.0
    assert result.energy.ranks == pytest.approx([45.0 + beyond, 45.0], rel=1e-6)


def test_a_rank_reads_what_its_host_has_consumed() -> None:
    def program() -> tuple[float, float]:
        before = pysmpi.host().joules
        pysmpi.execute_flops(10e9)
        return before, pysmpi.host().joules

    (seen,) = pysmpi.simulate(program, np=1, platform=PLATFORM, cfg=EXACT).values
    assert seen == pytest.approx((0.0, 105.0 + 0.25 * 75.0))
    plain = pysmpi.simulate(program, np=1, platform=PLATFORM, cfg={"smpi/simulate-computation": "no"})
    assert plain.values == [(0.0, 0.0)]
    assert plain.energy is None
    assert pysmpi.host().joules == 0.0


def test_a_host_that_is_off_takes_what_its_platform_says(tmp_path: Path) -> None:
    (tmp_path / "off.txt").write_text("1 0\n")
    (tmp_path / "two.xml").write_text(
        '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">'
        '<zone id="z" routing="Full">'
        '<host id="a" speed="1Gf" state_file="off.txt"><prop id="wattage_per_state" value="100:200"/>'
        '<prop id="wattage_off" value="7"/></host>'
        '<host id="b" speed="1Gf"><prop id="wattage_per_state" value="100:200"/></host>'
        '<link id="l" bandwidth="1GBps" latency="1us"/><route src="a" dst="b"><link_ctn id="l"/></route>'
        "</zone></platform>"
    )
    steps = [[("compute", 4e9)], [("compute", 4e9)]]
    result = pysmpi.simulate(act, np=2, platform=tmp_path / "two.xml", cfg=EXACT, args=(steps,))
    assert result.energy is not None
    # Idle:AllCores has no step: SimGrid takes the first for a load of almost nothing, too.
    assert result.energy.hosts == pytest.approx([200.0 + 3 * 7.0, 4 * 200.0], rel=1e-6)
    assert result.energy.ranks.sum() == pytest.approx(result.energy.total)


def test_spawned_ranks_have_their_share() -> None:
    def program() -> None:
        import sys

        from mpi4py import MPI

        pysmpi.execute_flops(1e9)
        MPI.COMM_SELF.Spawn(
            sys.executable, ["-c", "from mpi4py import MPI; import pysmpi; pysmpi.execute_flops(2e9)"], 2
        )

    result = pysmpi.simulate(program, np=1, platform=PLATFORM, cfg=EXACT)
    energy = result.energy
    assert energy is not None
    assert len(energy.ranks) == 3
    assert (energy.ranks > 0).all()
    with_ranks = {outcome.host for outcome in result.ranks}
    empty = sum(energy.of(name) for name in energy.host_names if name not in with_ranks)
    assert energy.ranks.sum() + empty == pytest.approx(energy.total, rel=1e-9)


def test_carbon_follows_from_joules(tmp_path: Path) -> None:
    """100 grams a kWh: 3.6 MJ are 100 g, and the whole is printed."""
    text = PLATFORM.read_text().replace(
        '<prop id="wattage_off"', '<prop id="carbon_intensity" value="100"/><prop id="wattage_off"'
    )
    (tmp_path / "carbon.xml").write_text(text)
    result = pysmpi.simulate(act, np=1, platform=tmp_path / "carbon.xml", cfg=EXACT, args=([[("sleep", 1000.0)]],))
    energy = result.energy
    assert energy is not None
    assert energy.carbon == pytest.approx([90.0 * 1000.0 / 3.6e6 * 100.0] * 4)
    assert list(lines(energy, None))[-1] == "Total carbon footprint: 10.000000 grams of CO2"


def test_replays_consume_energy() -> None:
    schedule = pysmpi.Schedule()
    schedule.execute(1.0)
    result = pysmpi.simulate_replay([schedule] * 2, platform=PLATFORM, hosts=["n0", "n1"], cfg=EXACT)
    beyond = 105.0 + 0.25 * 75.0 - 90.0
    assert result.energy is not None
    assert result.energy.hosts == pytest.approx([90.0 + beyond, 90.0 + beyond, 90.0, 90.0])
    assert result.energy.ranks == pytest.approx([90.0 + beyond] * 2)


def test_an_unknown_host_is_named_with_the_nearest() -> None:
    energy = pysmpi.simulate(act, np=1, platform=PLATFORM, cfg=EXACT, args=([[]],)).energy
    assert energy is not None
    with pytest.raises(SimulationError, match="n3"):
        energy.of("n33")


def waits_for_the_other() -> None:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    if world.rank == 0:
        pysmpi.execute_flops(SPEEDS[0])
        world.send(None, 1)
    else:
        world.recv(source=0)


def sleeps() -> None:
    from mpi4py import MPI

    if MPI.COMM_WORLD.rank:
        time.sleep(1.0)
    else:
        pysmpi.execute_flops(SPEEDS[0])


def computes_in_a_schedule() -> None:
    from mpi4py import MPI

    schedule = pysmpi.Schedule(MPI.COMM_WORLD)
    schedule.execute(1.0)
    schedule.run()


@pytest.mark.parametrize(
    ("program", "usage", "cores"),
    [
        (waits_for_the_other, "0", 1.0),
        (waits_for_the_other, "1", 2.0),
        (waits_for_the_other, "0.5", 1.5),
        (waits_for_the_other, None, 2.0),
        (sleeps, "1", 1.0),
        (computes_in_a_schedule, "1", 2.0),
    ],
)
def test_ranks_that_wait_in_mpi_use_cores(program: Any, usage: str | None, cores: float) -> None:
    """One of two ranks on a host of four cores computes for a second."""
    chosen: dict[str, Any] = {"mpi": "openmpi-5.0"} if usage is None else {"smpi/wait-cpu-usage": usage}
    result = pysmpi.simulate(program, np=2, platform=PLATFORM, hosts=HOSTS[:2], cfg=EXACT | chosen)
    _, epsilon, every = WATTS[0]
    expected = epsilon + cores / 4 * (every - epsilon)
    assert result.energy is not None
    assert result.energy.hosts[0] / result.simulated_time == pytest.approx(expected, rel=1e-3)
