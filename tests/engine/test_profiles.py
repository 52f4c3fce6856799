"""Profiles: changes of hosts and links, and simulations that do not wait for irrelevant changes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.errors import DeadlockError, SimulationError

EXACT = {"smpi/simulate-computation": "no", "smpi/wtime": 0}
Profile = Sequence[tuple[float, float]]


def lines_of(profile: Profile, head: str = "") -> str:
    """Return the text of a profile's file."""
    return head + "".join(f"{date!r} {value!r}\n" for date, value in profile)


def compute(starts: Sequence[float], flops: Sequence[float]) -> float:
    """Wait, compute, and return the end time."""
    from mpi4py import MPI

    rank = MPI.COMM_WORLD.rank
    pysmpi.sleep(starts[rank])
    pysmpi.execute_flops(flops[rank])
    return MPI.Wtime()


def expected(starts: list[float], flops: list[float], cores: int, profile: Profile, period: float) -> list[float]:
    """Return the end of each task by a plain model that steps from event to event."""
    left, ends, now = list(flops), [0.0] * len(starts), 0.0
    changes = [(date + turn * period, value) for turn in range(200 if period else 1) for date, value in profile]
    unfinished = set(range(len(starts)))
    while unfinished:
        speed = 1e9 * next((value for date, value in reversed(changes) if date <= now), 1.0)
        active = [task for task in sorted(unfinished) if starts[task] <= now]
        rate = speed * min(1.0, cores / len(active)) if active else 0.0
        steps = [starts[task] - now for task in unfinished if starts[task] > now]
        steps += [left[task] / rate for task in active if rate > 0]
        steps += [date - now for date, _ in changes if date > now]
        step = min(steps)
        now = min([now + step, *[date for date, _ in changes if date > now]])
        for task in active:
            left[task] -= rate * step
            if left[task] <= 1e-3:
                ends[task] = now
                unfinished.discard(task)
    return ends


@settings(max_examples=40, deadline=None)
@given(
    tasks=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 8)), min_size=1, max_size=9),
    cores=st.integers(1, 3),
    profile=st.lists(
        st.tuples(st.integers(0, 30), st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0])), min_size=1, max_size=5
    ),
    looped=st.booleans(),
)
def test_tasks_follow_the_speed_of_their_host(
    tmp_path_factory: pytest.TempPathFactory,
    tasks: list[tuple[int, int]],
    cores: int,
    profile: list[tuple[int, float]],
    looped: bool,
) -> None:
    """Random arrivals, amounts and speeds, including zero, are compared with a plain model."""
    dated = [(0.037 * date, value) for date, value in sorted(profile, key=lambda event: event[0])]
    if dated[-1][1] == 0.0:
        dated.append((dated[-1][0] + 0.05, 0.75))  # otherwise the simulation would never end
    period = dated[-1][0] + 0.11 if looped else 0.0
    head = f"PERIODICITY {period!r}\n" if looped else ""
    path = tmp_path_factory.mktemp("host") / "host.xml"
    (path.parent / "speed").write_text(lines_of(dated, head))
    path.write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="lab" routing="Full"><host id="node" speed="1Gf" core="{cores}" speed_file="speed"/></zone>
</platform>
""")
    starts = [0.1 * start for start, _ in tasks]
    flops = [1e8 * amount for _, amount in tasks]
    result = pysmpi.simulate(
        compute, args=(starts, flops), np=len(tasks), platform=path, hosts=["node"] * len(tasks), cfg=EXACT
    )
    assert result.values == pytest.approx(expected(starts, flops, cores, dated, period), rel=1e-9)


def send(sizes: Sequence[int]) -> list[float]:
    """Send from rank 0 to rank 1; return the arrival of each message."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    times = []
    for size in sizes:
        message = [bytearray(size), MPI.BYTE]
        world.Send(message, dest=1) if world.rank == 0 else world.Recv(message)
        times.append(MPI.Wtime())
    return times


def arrivals(platform: Path, sizes: Sequence[int]) -> list[float]:
    """Return the arrivals without factors and crosstraffic: latency plus bytes over bandwidth."""
    cfg = EXACT | {"network/model": "CM02", "network/crosstraffic": 0, "network/TCP-gamma": 1e15}
    result = pysmpi.simulate(send, args=[sizes], np=2, platform=platform, hosts=["a", "b"], cfg=cfg)
    return list(result.values[1])


def test_a_message_slows_down_with_its_link(pair: Callable[..., Path]) -> None:
    """A tenth of the bandwidth from the middle of a message on: the rest takes ten times as long."""
    begun = arrivals(pair(), [10**8])[0]
    assert begun == pytest.approx(0.1 + 10e-6, rel=1e-6)
    changed = arrivals(pair(bandwidth="0.05001 1e8\n"), [10**8])[0]
    assert changed == pytest.approx(0.05 + 0.5 + 10e-6, rel=1e-6)


def test_a_message_under_way_is_no_faster_than_its_link_was(pair: Callable[..., Path]) -> None:
    """The message stays bounded by the bandwidth at its start (as in SimGrid); the next one gets the new bandwidth."""
    first, second = arrivals(pair(bandwidth="0.05 4e9\n"), [10**8, 10**8])
    assert first == pytest.approx(0.1 + 10e-6, rel=1e-6)
    assert second - first == pytest.approx(0.025 + 10e-6, rel=1e-6)


def test_later_messages_pay_the_new_latency(pair: Callable[..., Path]) -> None:
    """A message in transit has paid the old latency."""
    first, second, third = arrivals(pair(latency="0.05 0.02\n0.15 0.001\n"), [10**8, 10**7, 10**7])
    assert first == pytest.approx(0.1 + 10e-6, rel=1e-6)
    assert second - first == pytest.approx(0.02 + 0.01, rel=1e-6)
    assert third - second == pytest.approx(0.02 + 0.01, rel=1e-6)


def test_a_change_while_the_latency_is_paid(pair: Callable[..., Path]) -> None:
    """The message moves after its latency at the new bandwidth. SimGrid 3.32 would forget it."""
    assert arrivals(pair(bandwidth="0.000005 1e8\n"), [10**7 - 16]) == pytest.approx([0.1 + 10e-6], rel=1e-6)


def test_what_a_profile_says_of_the_beginning_holds_from_the_first_instant(pair: Callable[..., Path]) -> None:
    """The last one of several values for one date counts."""
    platform = pair(bandwidth="0 5e8\n0 1e8\n", latency="0 0.5\n", speed="0 0.5\n")
    assert arrivals(platform, [10**7]) == pytest.approx([0.1 + 0.5], rel=1e-6)
    result = pysmpi.simulate(compute, args=[[0.0], [1e9]], np=1, platform=platform, cfg=EXACT)
    assert result.values == pytest.approx([2.0], rel=1e-12)


def test_profiles_that_go_on_for_ever_do_not_hide_a_deadlock(pair: Callable[..., Path]) -> None:
    forever = "PERIODICITY 1\n0.25 1e8\n0.5 1e9\n"
    platform = pair(bandwidth=forever, speed="LOOPAFTER 0.1\n0 1\n0.1 0.5\n", link_state="LOOPAFTER 1\n1 1\n")

    def wait_for_each_other() -> None:
        from mpi4py import MPI

        MPI.COMM_WORLD.recv(source=1 - MPI.COMM_WORLD.rank)

    with pytest.raises(DeadlockError):
        pysmpi.simulate(wait_for_each_other, np=2, platform=platform, hosts=["a", "b"], cfg=EXACT)


def test_a_host_that_stands_still_for_ever_is_a_deadlock(pair: Callable[..., Path]) -> None:
    platform = pair(speed="0.5 0\n", bandwidth="PERIODICITY 1\n0.25 1e8\n0.5 1e9\n")
    with pytest.raises(DeadlockError, match=r"0\.5 s"):
        pysmpi.simulate(compute, args=[[0.0], [1e9]], np=1, platform=platform, cfg=EXACT)


def test_an_unused_profile_of_many_events_changes_nothing(pair: Callable[..., Path]) -> None:
    """Times are equal to the bit, and so is the number of sharing solves."""
    without = arrivals(pair(), [10**7, 3, 70_000])
    assert arrivals(pair(speed="PERIODICITY 0.001\n0.0003 0.5\n0.0007 1\n"), [10**7, 3, 70_000]) == without


def run_in_states(states: Sequence[int]) -> list[tuple[int, float | None, float]]:
    """Compute for one second in each performance state."""
    from mpi4py import MPI

    seen = []
    for state in states:
        pysmpi.set_pstate(state)
        pysmpi.execute_flops(1e9)
        seen.append((pysmpi.pstate(), pysmpi.host().speed, MPI.Wtime()))
    return seen


def test_pstates(pair: Callable[..., Path]) -> None:
    """The speed is that of the state times the profile's factor; all ranks of the host share the state."""
    platform = pair(speed="0 0.5\n", cores=2)
    text = platform.read_text().replace('id="a" speed="1Gf"', 'id="a" speed="1Gf,500Mf,2Gf" pstate="1"')
    platform.write_text(text)
    result = pysmpi.simulate(run_in_states, args=[[0, 2, 1]], np=1, platform=platform, cfg=EXACT)
    assert result.values == [[(0, 1e9, 2.0), (2, 2e9, 3.0), (1, 5e8, 7.0)]]

    def begins() -> tuple[int, int]:
        from mpi4py import MPI

        before = pysmpi.pstate()
        MPI.COMM_WORLD.Barrier()
        if MPI.COMM_WORLD.rank == 0:
            pysmpi.set_pstate(2)
        MPI.COMM_WORLD.Barrier()
        return before, pysmpi.pstate()

    result = pysmpi.simulate(begins, np=3, platform=platform, hosts=["a", "a", "b"], cfg=EXACT)
    assert result.values == [(1, 2), (1, 2), (0, 0)]


@pytest.mark.parametrize("number", [-1, 3])
def test_a_pstate_that_the_host_has_not_got(pair: Callable[..., Path], number: int) -> None:
    platform = pair(speed="0 1\n")
    platform.write_text(platform.read_text().replace('id="a" speed="1Gf"', 'id="a" speed="1Gf,500Mf,2Gf"'))

    def wrong() -> Any:
        with pytest.raises(SimulationError, match="unknown performance state; host a has 0 to 2"):
            pysmpi.set_pstate(number)

    pysmpi.simulate(wrong, np=1, platform=platform, cfg=EXACT)


def test_pstates_outside_a_simulation() -> None:
    pysmpi.set_pstate(7)
    assert pysmpi.pstate() == 0
