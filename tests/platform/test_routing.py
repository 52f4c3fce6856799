"""Routings with several ways: their gain, determinism, and errors."""

import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import pysmpi
from pysmpi.errors import ConfigurationError
from pysmpi.platform import (
    Cluster,
    Description,
    Dragonfly,
    DragonflyPlus,
    FatTree,
    FullMesh,
    Hypercube,
    HyperX,
    Platform,
    PlatformError,
    SlimFly,
    Torus,
    Zone,
)

MEGABYTE = 1_000_000


def exchange(targets: Sequence[int], rounds: int) -> float:
    import numpy as np
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    sent, received = np.zeros(MEGABYTE, "b"), np.zeros(MEGABYTE, "b")
    for _ in range(rounds):
        world.Sendrecv(sent, targets[world.rank], recvbuf=received, source=targets.index(world.rank))
    return MPI.Wtime()


def times(
    platform: Platform | Description,
    targets: Sequence[int],
    routing: str = "default",
    *,
    seed: int = 0,
    rounds: int = 4,
    model: str = "SMPI",
) -> list[float]:
    cfg = {"smpi/simulate-computation": "no", "platform/routing": routing, "network/model": model}
    arguments = (list(targets), rounds)
    return pysmpi.simulate(exchange, np=len(targets), platform=platform, args=arguments, cfg=cfg, seed=seed).values


def time(platform: Platform | Description, targets: Sequence[int], routing: str, **settings: int) -> float:
    return max(times(platform, targets, routing, **settings))


def shuffled(count: int) -> list[int]:
    targets = list(range(count))
    random.Random(1).shuffle(targets)
    return targets


DRAGONFLY = Dragonfly(8, 1, 8, 2)
NEXT_GROUP = [(host + 16) % 128 for host in range(128)]


def test_valiant_spreads_what_goes_from_group_to_next_group() -> None:
    """Sixteen hosts share one link to the next group; over the other groups they have seven (Kim et al., ISCA 2008)."""
    minimal = time(DRAGONFLY, NEXT_GROUP, "minimal")
    valiant = time(DRAGONFLY, NEXT_GROUP, "valiant")
    assert valiant < 0.5 * minimal


def test_detours_cost_where_nothing_is_in_the_way() -> None:
    torus = Torus([8, 8])
    neighbours = [host // 8 * 8 + (host + 1) % 8 for host in range(64)]
    minimal = time(torus, neighbours, "minimal")
    assert time(torus, neighbours, "valiant") > 2 * minimal
    assert time(torus, neighbours, "ugal") == minimal


@pytest.mark.parametrize("targets", [NEXT_GROUP, shuffled(128)], ids=["next group", "uniform"])
def test_ugal_is_close_to_the_better_of_both(targets: list[int]) -> None:
    minimal, valiant, ugal = (time(DRAGONFLY, targets, routing) for routing in ("minimal", "valiant", "ugal"))
    assert ugal < 1.2 * min(minimal, valiant)


def test_ugal_that_sees_the_first_link_only_lies_between() -> None:
    """The full link is at another router of the group, which a router's own queues do not show (Kim et al.)."""
    ugal, local, minimal = (time(DRAGONFLY, NEXT_GROUP, routing) for routing in ("ugal", "ugal-l", "minimal"))
    assert ugal < local < minimal


def test_ugal_sees_the_cable_behind_a_limiter() -> None:
    """The first link of a way is then the router's limiter, which is the same on all ways."""
    wide = Dragonfly(8, 1, 8, 2, limiter="1TBps")
    for routing in ("ugal", "ugal-l"):
        assert time(wide, NEXT_GROUP, routing) < 0.9 * time(wide, NEXT_GROUP, "minimal")


@pytest.mark.parametrize(
    "cluster",
    [SlimFly(5), DragonflyPlus(9, 4, 4, 4, 2), HyperX([4, 4], 4), Hypercube(6), FullMesh(16)],
    ids=lambda each: type(each).__name__,
)
def test_ugal_on_other_topologies(cluster: Description) -> None:
    platform = cluster.build()
    hosts = len(platform.hosts)
    for targets in (shuffled(hosts), [(host + hosts // 4) % hosts for host in range(hosts)]):
        minimal, valiant, ugal = (time(platform, targets, routing) for routing in ("minimal", "valiant", "ugal"))
        assert ugal < 1.3 * min(minimal, valiant)


def test_random_ports_in_a_fat_tree() -> None:
    tree = FatTree([8, 8], [1, 8])
    transposed = [host % 8 * 8 + host // 8 for host in range(64)]
    assert time(tree, transposed, "random") < 0.6 * time(tree, transposed, "d-mod-k")
    shift = [(host + 8) % 64 for host in range(64)]
    assert time(tree, shift, "d-mod-k") < time(tree, shift, "random")


def test_packets_take_ports_in_turn() -> None:
    """Each 12 packets in a row take each of the 12 ways upwards once; messages begin with random ones."""
    platform = FatTree([2, 4, 2], [1, 3, 4], routing="turns").build()
    firsts = set()
    for message in range(40):
        ways = [
            tuple(link.name for link in platform.route("node-0", "node-15", message=message * 2**24 + packet).links)
            for packet in range(36)
        ]
        assert len(set(ways[:12])) == 12
        assert ways[:12] == ways[12:24] == ways[24:]
        assert len({way[1] for way in ways[:3]}) == 3  # the lowest ports change most often
        firsts.add(ways[0])
    assert len(firsts) > 8


def test_random_ports_are_all_used_evenly() -> None:
    platform = FatTree([2, 2], [1, 3], [2, 2], routing="random").build()
    count: dict[tuple[str, ...], int] = {}
    for message in range(4800):
        names = tuple(link.name for link in platform.route("node-0", "node-3", message=message).links)
        count[names] = count.get(names, 0) + 1
    assert len(count) == 2 * 6 * 2 * 2
    assert all(60 < each < 145 for each in count.values())


def test_valiant_draws_every_middle() -> None:
    platform = FullMesh(6, routing="valiant").build()
    ways = [platform.route("node-0", "node-1", message=message).links for message in range(3000)]
    direct = sum(len(way) == 1 for way in ways)
    assert 900 < direct < 1100
    assert {way[0].name for way in ways if len(way) == 2} == {f"cluster_link_from_0_to_{n}_UP" for n in range(2, 6)}


def test_messages_are_asked_once_by_ugal_as_in_sst() -> None:
    """Flows choose before they start. Its estimates of detours are too long, but some messages still take them."""
    wide = Dragonfly(8, 1, 8, 2, global_cables=1)
    ugal, minimal = (time(wide, NEXT_GROUP, routing) for routing in ("ugal-sst7", "minimal"))
    assert ugal < 0.9 * minimal


@pytest.mark.parametrize("routing", ["valiant", "ugal", "ugal-l"])
def test_the_same_run_twice(routing: str) -> None:
    targets = shuffled(128)
    first = times(DRAGONFLY, targets, routing, seed=7)
    assert times(DRAGONFLY, targets, routing, seed=7) == first
    assert times(DRAGONFLY, targets, routing, seed=8) != first


def test_the_seed_changes_nothing_where_nothing_is_drawn() -> None:
    targets = shuffled(128)
    assert times(DRAGONFLY, targets, seed=7) == times(DRAGONFLY, targets, seed=8)


def test_the_command_line_draws_by_its_seed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from mpi4py import MPI\nimport numpy as np\nw = MPI.COMM_WORLD\n"
        "w.Alltoall(np.zeros(160000), np.zeros(160000))\nif w.rank == 0: print(MPI.Wtime().hex())\n"
    )

    def run(seed: int, hash_seed: int) -> str:
        command = [sys.executable, "-m", "pysmpi.cli.run", "-np", "16", "--platform", "torus:4,4", "--quiet"]
        settings = ["--cfg=platform/routing:valiant", "--cfg=smpi/simulate-computation:no", f"--seed={seed}"]
        result = subprocess.run(
            [*command, *settings, program],
            env=os.environ | {"PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return result.stdout

    assert run(1, 0) == run(1, 5)
    assert run(1, 0) != run(2, 0)


def test_routing_by_description_and_by_setting(describe: Callable[[str], Platform]) -> None:
    xml = (
        '<cluster id="cluster" prefix="node-" suffix="" radical="0-63" speed="30Gf" bw="12.5GBps" lat="150ns" '
        'loopback_bw="10GBps" loopback_lat="200ns" topology="TORUS" topo_parameters="8,8">{}</cluster>'
    )
    targets = shuffled(64)
    minimal, valiant = (times(Torus([8, 8]), targets, routing) for routing in ("minimal", "valiant"))
    assert minimal != valiant
    marked = describe(xml.format('<prop id="routing" value="valiant"/>'))
    assert times(marked, targets) == valiant
    assert times(marked, targets, "minimal") == minimal
    assert times(marked, targets) == valiant
    assert times(Torus([8, 8], routing="valiant"), targets) == valiant
    assert times(describe(xml.format("")), targets) == minimal


def test_routings_that_are_not_there(describe: Callable[[str], Platform]) -> None:
    targets = [1, 0]
    with pytest.raises(ConfigurationError, match="unknown platform/routing 'valliant'"):
        times(Torus([2]), targets, "valliant")
    with pytest.raises(ConfigurationError, match="platform/routing has no effect under network/model:Constant"):
        times(Torus([2]), targets, "valiant", model="Constant")
    with pytest.raises(
        PlatformError, match=r"cluster 'cluster': unknown routing of a TORUS 'random' \(valid: minimal,"
    ):
        times(Torus([2]), targets, "random")
    with pytest.raises(
        PlatformError, match=r"'t': unknown routing of a FAT_TREE 'ugal' \(valid: d-mod-k, random, turns\)"
    ):
        times(Zone("z", [Torus([2]), FatTree([2], [1], name="t")]), targets, "ugal")
    with pytest.raises(
        PlatformError, match="routing 'ugal' has no effect: no cluster of this platform offers a choice"
    ):
        times(Cluster(2), targets, "ugal")
    with pytest.raises(PlatformError, match=r"machine.xml:\d+: cluster 'c': unknown routing of a TORUS 'valian'"):
        describe(
            '<cluster id="c" prefix="n" suffix="" radical="0-1" speed="1f" bw="1Bps" lat="0" topology="TORUS" '
            'topo_parameters="2"><prop id="routing" value="valian"/></cluster>'
        )


def test_clusters_without_a_choice_stay_as_they_are() -> None:
    platform = Zone("z", [Cluster(2), Torus([2, 2], name="t")]).build()
    platform.choose_routes("valiant")
    assert len(platform.route("node-0", "node-1").links) == 2
