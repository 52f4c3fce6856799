"""Network cards: bandwidth by the number of messages, time for each message, and messages that polls slow down."""

import numpy as np
import pytest

import pysmpi
from pysmpi.platform import Cluster

NO_OVERHEADS = dict.fromkeys(("smpi/os", "smpi/or", "smpi/ois"), "0:0:0")
QUIET = {"smpi/simulate-computation": False, "smpi/wtime": 0, "network/crosstraffic": False, **NO_OVERHEADS}
SIZE = 8_000_000
TABLES = {"intra_core": "0:1us:8GBps", "intra_node": "0:1us:8GBps"}


def exchange(pairs: list[tuple[int, int]], size: int) -> float:
    """Send a message for each pair, all at the same time; return the time of the rank's last receive."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    buffer = np.zeros(size, "b")
    requests = [world.Isend(buffer, receiver) for sender, receiver in pairs if sender == world.rank]
    requests += [world.Irecv(np.zeros(size, "b"), sender) for sender, receiver in pairs if receiver == world.rank]
    MPI.Request.Waitall(requests)
    return MPI.Wtime()


def ends(
    pairs: list[tuple[int, int]], size: int = 8, *, hosts: int = 2, smpi: bool = False, **card: str
) -> list[float]:
    """Return the times at which the receivers of these pairs end, in the order of the pairs."""
    cluster = Cluster(hosts, cores=4, bandwidth="100GBps", latency="1us", properties=TABLES | card)
    result = pysmpi.simulate(exchange, np=4 * hosts, platform=cluster, args=(pairs, size), smpi=smpi, cfg=QUIET)
    return [result.values[receiver] for _, receiver in pairs]


SIDE_BY_SIDE = [(i, i + 4) for i in range(4)]


def test_a_card_sends_one_message_after_the_other() -> None:
    assert ends(SIDE_BY_SIDE, card_gap="2us") == pytest.approx([1.001e-6, 3.001e-6, 5.001e-6, 7.001e-6], rel=1e-6)


def test_a_card_receives_one_message_after_the_other() -> None:
    incast = [(0, 12), (4, 13), (8, 14)]
    assert ends(incast, hosts=4, card_gap="2us") == pytest.approx([1.001e-6, 3.001e-6, 5.001e-6], rel=1e-6)


def test_each_direction_has_its_own_gap() -> None:
    both_ways = [(0, 4), (5, 1)]
    assert ends(both_ways, card_gap="2us") == pytest.approx([1.001e-6, 1.001e-6], rel=1e-6)


def test_messages_inside_a_host_do_not_use_the_card() -> None:
    inside = [(0, 1), (2, 3)]
    assert ends(inside, card_gap="2us", card_bandwidth="1MBps") == pytest.approx([1.001e-6, 1.001e-6], rel=1e-6)


def test_a_lone_message_does_not_wait() -> None:
    assert ends([(0, 4)], card_gap="2us") == pytest.approx([1.001e-6], rel=1e-6)


def test_a_card_without_tables_delays_messages_on_their_route() -> None:
    cluster = Cluster(2, cores=4, bandwidth="8GBps", latency="1us", properties={"card_gap": "2us"})
    plain = Cluster(2, cores=4, bandwidth="8GBps", latency="1us")
    args = (SIDE_BY_SIDE, 8)
    with_card, without = (
        pysmpi.simulate(exchange, np=8, platform=platform, args=args, smpi=False, cfg=QUIET).values
        for platform in (cluster, plain)
    )
    late = [with_card[receiver] - without[receiver] for _, receiver in SIDE_BY_SIDE]
    assert late == pytest.approx([0, 2e-6, 4e-6, 6e-6], abs=2e-8)  # the last ones no longer share links


@pytest.mark.parametrize(("count", "rate"), [(1, 8e9), (2, 6e9), (3, 4e9), (4, 1.5e9)])
def test_the_bandwidth_of_a_card_follows_the_number_of_messages(count: int, rate: float) -> None:
    times = ends(SIDE_BY_SIDE[:count], SIZE, card_bandwidth="1:12GBps; 4:6GBps")
    assert times == pytest.approx([1e-6 + SIZE / rate] * count, rel=1e-4)


def test_each_direction_has_the_bandwidth_of_the_card() -> None:
    both_ways = [(0, 4), (5, 1)]
    assert ends(both_ways, SIZE, card_bandwidth="4GBps") == pytest.approx([1e-6 + SIZE / 4e9] * 2, rel=1e-4)


@pytest.mark.parametrize(("to", "late"), [(1, 0.0), (2, 3e-6)])
def test_messages_to_another_rack_take_longer(to: int, late: float) -> None:
    times = [
        pysmpi.simulate(
            exchange,
            np=4,
            platform=Cluster(4, bandwidth="8GBps", latency="1us", properties=properties),
            args=([(0, to)], 8),
            smpi=False,
            cfg=QUIET,
        ).values[to]
        for properties in ({}, {"rack_hosts": "2", "rack_latency": "3us"})
    ]
    assert times[1] - times[0] == pytest.approx(late, abs=1e-12)


def test_the_option_takes_racks_away_whatever_the_fabric_adds() -> None:
    """Opposite messages over InfiniBand share a link of their pair of ranks, in hosts with and without properties."""
    ends = [
        pysmpi.simulate(
            exchange,
            np=4,
            platform=Cluster(4, properties={"rack_hosts": "2", "rack_latency": "3us"}),
            args=([(0, 2)], 8),
            smpi=False,
            fabric="infiniband-hdr",
            cfg=QUIET | {"platform/node-model": model},
        ).values[2]
        for model in ("yes", "no")
    ]
    assert ends[0] - ends[1] == pytest.approx(3e-6, abs=1e-12)


def wait_or_sleep(waits: bool) -> float:
    """Send from rank 0 to rank 4 while the others wait for it inside MPI, or sleep; return the time of its receive."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    buffer = np.zeros(SIZE, "b")
    if world.rank == 0:
        pysmpi.sleep(1e-3)  # the others have begun to wait
        world.Send(buffer, 4)
    elif world.rank == 4:
        world.Recv(buffer, 0)
        seconds = MPI.Wtime() - 1e-3
    elif not waits:
        pysmpi.sleep(1.0)
    world.Barrier()
    return seconds if world.rank == 4 else 0.0


@pytest.mark.parametrize(("waits", "rate"), [(True, 8e9 / 2.5), (False, 8e9)])
def test_ranks_that_wait_slow_down_messages(waits: bool, rate: float) -> None:
    """Each host has three other ranks, and each of them takes half as much as a message has alone."""
    cluster = Cluster(2, cores=4, bandwidth="100GBps", latency="1us", properties=TABLES | {"waiting_cost": "0.5"})
    result = pysmpi.simulate(wait_or_sleep, np=8, platform=cluster, args=(waits,), smpi=False, cfg=QUIET)
    assert result.values[4] == pytest.approx(1e-6 + SIZE / rate, rel=1e-4)


def test_off_under_smpi() -> None:
    with_card = ends(SIDE_BY_SIDE, smpi=True, card_gap="2us", card_bandwidth="1MBps", waiting_cost="3")
    assert with_card == ends(SIDE_BY_SIDE, smpi=True)


@pytest.mark.parametrize(
    ("switch", "properties", "pairs"),
    [
        ("links*2", {"card_bandwidth": "2GBps"}, [(0, 4)]),
        ("memory*2", {"memory_bandwidth": "2GBps"}, [(0, 1)]),
        ("links*2", {"intra_node": "0:1us:2GBps"}, [(0, 4)]),
        ("memory*2", {"intra_core": "0:1us:2GBps"}, [(0, 1)]),
    ],
)
def test_what_if_multiplies_what_messages_share(
    switch: str, properties: dict[str, str], pairs: list[tuple[int, int]]
) -> None:
    cluster = Cluster(2, cores=4, bandwidth="100GBps", latency="1us", properties=TABLES | properties)
    found = pysmpi.what_if(exchange, [switch], np=8, platform=cluster, args=(pairs, SIZE), smpi=False, cfg=QUIET)
    before, after = (each.simulated_time for each in found.variations)
    assert [before, after] == pytest.approx([1e-6 + SIZE / 2e9, 1e-6 + SIZE / 4e9], rel=1e-4)


def test_ranks_use_several_cards_by_their_cores() -> None:
    """Two cards of 25 MB/s: cores 0 and 1 share the first one, core 2 has the second one alone."""
    times = ends([(0, 4), (1, 5), (2, 6)], SIZE, cards="2", card_bandwidth="25MBps")
    assert times == pytest.approx([2 * SIZE / 25e6, 2 * SIZE / 25e6, SIZE / 25e6], rel=1e-3)


def test_a_message_uses_one_card() -> None:
    """The host's cable of 100 GB/s has four cards of 25 GB/s."""
    cluster = Cluster(2, cores=4, bandwidth="100GBps", properties={"cards": "4", "card_bandwidth": "90GBps"})
    neutral = QUIET | {"fabric": "neutral"}
    result = pysmpi.simulate(exchange, np=8, platform=cluster, args=([(0, 4)], SIZE), cfg=neutral)
    assert result.values[4] == pytest.approx(SIZE / 25e9, rel=0.01)
