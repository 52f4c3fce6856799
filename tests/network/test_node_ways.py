"""Messages through the memories of hosts: bounds by level and size, and capacities that messages share."""

from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.platform import Cluster

SIZE = 8_000_000
NO_OVERHEADS = dict.fromkeys(("smpi/os", "smpi/or", "smpi/ois"), "0:0:0")
QUIET = {"smpi/simulate-computation": False, "smpi/wtime": 0, "network/crosstraffic": False, **NO_OVERHEADS}
TABLE = "0:1us:4GBps; 1000000:2us:8GBps"
NODE = {"memory_bandwidth": "21GBps", "intra_core": TABLE}


def exchange(pairs: list[tuple[int, int]], size: int = SIZE) -> float:
    """Send a message for each pair, all at the same time; return the time of the rank's last receive."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    buffer = np.zeros(size, "b")
    requests = [world.Isend(buffer, receiver) for sender, receiver in pairs if sender == world.rank]
    requests += [world.Irecv(np.zeros(size, "b"), sender) for sender, receiver in pairs if receiver == world.rank]
    MPI.Request.Waitall(requests)
    return MPI.Wtime()


def run(cluster: Cluster, pairs: list[tuple[int, int]], *, smpi: bool = False, **options: Any) -> pysmpi.Result:
    cfg = QUIET | options.pop("cfg", {})
    args = (pairs, options.pop("size", SIZE))
    ranks = cluster.hosts * cluster.cores
    return pysmpi.simulate(exchange, np=ranks, platform=cluster, args=args, smpi=smpi, cfg=cfg, **options)


def pairs_of(count: int) -> list[tuple[int, int]]:
    return [(2 * i, 2 * i + 1) for i in range(count)]


@pytest.mark.parametrize(("count", "rate"), [(1, 8e9), (2, 8e9), (3, 7e9), (6, 3.5e9)])
def test_the_bound_of_a_message_does_not_reduce_the_capacity(count: int, rate: float) -> None:
    result = run(Cluster(1, cores=12, properties=NODE), pairs_of(count))
    assert result.simulated_time == pytest.approx(2e-6 + SIZE / rate, rel=1e-9)


STEPS = {"memory_bandwidth": "1:8GBps; 2:12GBps; 4:20GBps", "intra_core": "0:1us:16GBps"}


@pytest.mark.parametrize("optim", ["Full", "Lazy"])
@pytest.mark.parametrize(("count", "rate"), [(1, 8e9), (2, 6e9), (3, 4e9), (4, 5e9), (5, 4e9)])
def test_the_capacity_follows_the_number_of_messages(count: int, rate: float, optim: str) -> None:
    result = run(Cluster(1, cores=12, properties=STEPS), pairs_of(count), cfg={"network/optim": optim})
    assert result.simulated_time == pytest.approx(1e-6 + SIZE / rate, rel=1e-4)


def staggered() -> list[float]:
    """Four ranks send one after the other, each a microsecond later; return the times of all ends."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    pysmpi.sleep(world.rank // 2 * 1e-6)
    if world.rank % 2 == 0:
        world.Send(np.zeros(20_000, "b"), world.rank + 1)
    else:
        world.Recv(np.zeros(20_000, "b"), world.rank - 1)
    return MPI.Wtime()


@pytest.mark.parametrize("profile", [False, True])
@pytest.mark.parametrize("optim", ["Full", "Lazy"])
def test_the_capacity_changes_while_messages_move(optim: str, profile: bool) -> None:
    """Computed by hand: messages of 20 kB move from 1, 2, 3 and 4 us on.

    In the first microsecond, message 0 moves 8 kB of its 20. Message 1 shares 12 GB/s with it in the second: 6 kB each.
    Then three share 12 GB/s, 4 kB each: message 0 has 2 kB left at 4 us, 1 has 10, 2 has 16, 3 has 20. Four share 20
    GB/s, so 0 ends after 0.4 us. Then three share 12 GB/s: 8, 14 and 18 kB take 2 us until 1 ends. Two share 12: 6 and
    10 kB take 1 us until 2 ends. 3 has 4 kB left for 8 GB/s.
    """
    cluster = Cluster(1, cores=8, properties=STEPS)
    result = pysmpi.simulate(
        staggered, np=8, platform=cluster, smpi=False, cfg=QUIET | {"network/optim": optim}, profile=profile
    )
    assert result.values[1::2] == pytest.approx([4.4e-6, 6.4e-6, 7.4e-6, 7.9e-6], rel=1e-4)


def test_steps_of_one_capacity_are_one_capacity() -> None:
    """Flows are never in groups then, which only rounding may show."""
    messages = [(i, j) for i in range(16) for j in range(16) if i != j]
    plain, stepped = (
        run(Cluster(2, cores=8, properties={**NODE, "memory_bandwidth": text}), messages, size=100_000)
        for text in ("21GBps", "1:21GBps;9:21GBps")
    )
    np.testing.assert_allclose(stepped.values, plain.values, rtol=1e-9)


def test_steps_apply_above_their_size() -> None:
    cluster = Cluster(1, cores=2, properties=NODE)
    at, above = (run(cluster, [(0, 1)], size=1_000_000 + more).simulated_time for more in (0, 1))
    assert at == pytest.approx(1e-6 + 1_000_000 / 4e9, rel=1e-9)
    assert above == pytest.approx(2e-6 + 1_000_001 / 8e9, rel=1e-9)


def test_levels_follow_the_sockets_of_the_cores() -> None:
    properties = {"sockets": "2", "intra_core": "0:1us:8GBps", "intra_socket": "0:3us:4GBps"}
    cluster = Cluster(1, cores=4, properties=properties)
    for pair, seconds in {(0, 1): 1e-6 + SIZE / 8e9, (1, 2): 3e-6 + SIZE / 4e9, (3, 2): 1e-6 + SIZE / 8e9}.items():
        assert run(cluster, [pair]).simulated_time == pytest.approx(seconds, rel=1e-9), pair


def test_messages_between_hosts_take_part_in_both_memories() -> None:
    """Ranks 0 and 1 are on one host, 2 and 3 on the other, and all messages cross the memory of the second."""
    cluster = Cluster(2, cores=2, bandwidth="10GBps", latency=0.0, properties={"memory_bandwidth": "6GBps"})
    wire = {"smpi/bw-factor": "0:1", "smpi/lat-factor": "0:1", "network/weight-S": 0, "fabric/latency": "0:0:0"}
    wire |= {"fabric/loopback-latency": "0:0:0"}
    alone = run(cluster, [(0, 2)], cfg=wire).simulated_time
    assert alone == pytest.approx(SIZE / 6e9, rel=1e-4)
    both = run(cluster, [(0, 2), (3, 2)], cfg=wire).simulated_time
    assert both == pytest.approx(2 * SIZE / 6e9, rel=1e-3)


def test_a_bandwidth_factor_takes_no_more_of_the_memory() -> None:
    """The message delivers half of the cable's 10 GB/s, and its bytes cross a memory of 6 GB/s once."""
    cluster = Cluster(2, bandwidth="10GBps", latency=0.0, properties={"memory_bandwidth": "6GBps"})
    cfg = {"smpi/bw-factor": "0:0.5", "fabric/latency": "0:0:0"}
    assert run(cluster, [(0, 1)], cfg=cfg).simulated_time == pytest.approx(SIZE / 5e9, rel=1e-4)


def test_factors_inside_a_host_have_settings_of_their_own() -> None:
    cluster = Cluster(2, cores=2, bandwidth="10GBps", latency=1e-6, loopback_bandwidth="8GBps", loopback_latency=1e-6)
    cfg = {"smpi/bw-factor": "0:0.5", "smpi/lat-factor": "0:2", "smpi/loopback-bw-factor": "0:0.25",
           "smpi/loopback-lat-factor": "0:100;500000:300", "network/TCP-gamma": 0}  # fmt: skip
    cfg |= {"fabric/latency": "0:0:0", "fabric/loopback-latency": "0:0:0"}
    inside, between = (run(cluster, [pair], cfg=cfg).simulated_time for pair in ((0, 1), (0, 2)))
    assert inside == pytest.approx(300e-6 + SIZE / 2e9, rel=1e-4)
    assert between == pytest.approx(2 * 2e-6 + SIZE / 5e9, rel=1e-4)


def test_a_table_between_hosts_replaces_latency_and_factors() -> None:
    cluster = Cluster(2, bandwidth="10GBps", properties={"intra_node": "0:2us:3GBps"})
    result = run(cluster, [(0, 1)], cfg={"smpi/bw-factor": "0:0.1"})
    assert result.simulated_time == pytest.approx(2e-6 + SIZE / 3e9, rel=1e-9)


def test_off_under_smpi() -> None:
    plain, node = (Cluster(2, cores=4, properties=properties) for properties in ({}, {**NODE, "intra_node": TABLE}))
    messages = [(0, 1), (2, 3), (0, 4), (5, 1)]
    assert run(node, messages, smpi=True).values == run(plain, messages, smpi=True).values
    off = {"platform/node-model": "no"}
    assert run(node, messages, cfg=off).values == run(plain, messages).values
    assert run(node, messages).values != run(plain, messages).values


def test_observers_change_nothing() -> None:
    cluster = Cluster(2, cores=8, properties={**NODE, "sockets": "2", "intra_socket": TABLE})
    messages = [(i, j) for i in range(16) for j in range(16) if i != j]
    unseen, seen = run(cluster, messages, size=100_000), run(cluster, messages, size=100_000, profile=True)
    np.testing.assert_allclose(seen.values, unseen.values, rtol=1e-6)
    assert seen.profile is not None
    assert {"memory of node-0", "memory of node-1"} & {wait.link for wait in seen.profile.link_waits}


@pytest.mark.parametrize("optim", ["Full", "Lazy"])
def test_broadcast_from_one_rank_is_held_by_the_memory(optim: str) -> None:
    """On SimGrid's unshared loopback, the root's 11 messages would take as long as one."""
    cluster = Cluster(1, cores=12, properties=NODE)
    result = run(cluster, [(0, i) for i in range(1, 12)], cfg={"network/optim": optim})
    assert result.simulated_time == pytest.approx(2e-6 + 11 * SIZE / 21e9, rel=1e-4)


def take_turns(senders: list[int]) -> list[float]:
    """Let ranks send an empty message to rank 0, one a millisecond; return the time of each message."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    times = []
    for turn, sender in enumerate(senders, 1):
        pysmpi.sleep(turn * 1e-3 - MPI.Wtime())
        if world.rank == sender:
            world.Send([None, 0, MPI.BYTE], 0)
        elif world.rank == 0:
            world.Recv([None, 0, MPI.BYTE], sender)
            times.append(MPI.Wtime() - turn * 1e-3)
    return times


def seconds_of_turns(senders: list[int], **properties: str) -> float:
    tables = {"sockets": "2", "intra_core": "0:1us:1GBps", "intra_socket": "0:3us:1GBps"}
    cluster = Cluster(1, cores=4, properties=tables | properties)
    result = pysmpi.simulate(take_turns, np=4, platform=cluster, args=(senders,), smpi=False, cfg=QUIET)
    return float(sum(result.values[0]))


@pytest.mark.parametrize(
    ("senders", "pairwise", "added"),
    [([1, 1, 1], 3, 0), ([2, 3, 2], 9, 2), ([1, 2, 1, 2], 8, 9), ([1, 2, 2, 3], 10, 4)],
)
def test_senders_that_share_a_queue_wait_for_its_counter(senders: list[int], pairwise: int, added: int) -> None:
    """Ranks 0 and 1 are on one socket, 2 and 3 on the other. The counter moves 1 us on a socket, 3 us between them."""
    assert seconds_of_turns(senders) == pytest.approx(pairwise * 1e-6, abs=2e-8)
    assert seconds_of_turns(senders, intra_queue="shared") == pytest.approx((pairwise + added) * 1e-6, abs=2e-8)


@pytest.mark.parametrize(
    ("senders", "seconds"),
    [([1, 1], [1e-6, 1e-6]), ([2, 3], [2e-6, 2e-6]), ([1, 2, 1], [1e-6, 2.5e-6, 1.5e-6])],
)
def test_a_rank_with_partners_on_two_hosts_looks_at_two_transports(senders: list[int], seconds: list[float]) -> None:
    """Ranks 0 and 1 are on a host, 2 and 3 on the other; looking at both transports takes 0.5 us."""
    tables = {"intra_core": "0:1us:1GBps", "intra_node": "0:2us:1GBps", "transport_polling": "0.5us"}
    cluster = Cluster(2, cores=2, properties=tables)
    result = pysmpi.simulate(take_turns, np=4, platform=cluster, args=(senders,), smpi=False, cfg=QUIET)
    assert result.values[0] == pytest.approx(seconds, abs=2e-8)


@pytest.mark.parametrize(
    ("share", "rate"), [("0:0.5", 7e9), ("0:0.5; 8000000:2", 7e9), ("0:0.5; 7999999:1", 3.5e9), ("0:2", 1.75e9)]
)
def test_messages_take_a_share_of_the_memory_by_their_size(share: str, rate: float) -> None:
    """Six messages share 21 GB/s. If each takes half of its bytes, they move 42 GB/s together."""
    result = run(Cluster(1, cores=12, properties=NODE | {"memory_share": share}), pairs_of(6))
    assert result.simulated_time == pytest.approx(2e-6 + SIZE / rate, rel=1e-9)


def test_the_share_of_a_message_between_hosts_stays_whole() -> None:
    node = {"memory_bandwidth": "2GBps", "intra_node": "0:1us:8GBps", "memory_share": "0:0.5"}
    result = run(Cluster(2, bandwidth="10GBps", properties=node), [(0, 1)])
    assert result.simulated_time == pytest.approx(1e-6 + SIZE / 2e9, rel=1e-9)


def forward(ranks: list[int], same: bool, pieces: int) -> float:
    """Pass an array on from rank to rank, in pieces; return the time of the last receive.

    If not `same`, each rank sends another array than it has received.
    """
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    array, other = np.zeros(SIZE, "b"), np.zeros(SIZE, "b")
    place = ranks.index(world.rank) if world.rank in ranks else -1
    received = np.split(array, pieces)
    sent = received if same else np.split(other, pieces)
    requests = [world.Irecv(piece, ranks[place - 1]) for piece in received] if place > 0 else []
    for piece in range(pieces if place >= 0 else 0):
        if place > 0:
            requests[piece].Wait()
        if place < len(ranks) - 1:
            world.Send(sent[piece], ranks[place + 1])
    return MPI.Wtime()


FORWARD = {"sockets": "2", "intra_core": "0:0us:8GBps", "intra_socket": "0:0us:8GBps", "forward_core": "4GBps",
           "forward_socket": "2GBps"}  # fmt: skip


@pytest.mark.parametrize(
    ("ranks", "same", "rates"),
    [([0, 1], True, [8]), ([0, 1, 2], True, [8, 2]), ([0, 1, 2], False, [8, 8]), ([0, 2, 3], True, [8, 4])],
)
@pytest.mark.parametrize("pieces", [1, 4])
def test_data_that_the_sender_has_received_come_from_its_cache(
    ranks: list[int], same: bool, rates: list[int], pieces: int
) -> None:
    """Ranks 0 and 1 are on one socket, 2 and 3 on the other.

    Rank 0 has received nothing. A piece follows its predecessor as soon as the slower of the two messages allows.
    """
    cluster = Cluster(1, cores=4, properties=FORWARD)
    result = pysmpi.simulate(forward, np=4, platform=cluster, args=(ranks, same, pieces), smpi=False, cfg=QUIET)
    piece = SIZE / pieces
    seconds = sum(piece / (1e9 * rate) for rate in rates) + (pieces - 1) * piece / (1e9 * min(rates))
    assert result.simulated_time == pytest.approx(seconds, rel=1e-3)
