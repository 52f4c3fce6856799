"""Virtual channels: no topology and routing lets packets wait for each other in a cycle (Dally and Seitz, 1987)."""

from collections import defaultdict
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import NamedTuple

import pytest

from pysmpi.native import ffi, lib
from pysmpi.platform import Host, Platform, Torus, read
from pysmpi.platform.builder import Builder

MACHINES = {
    **dict.fromkeys(("torus:5,4", "torus:6,3,2", "torus:8", "torus:2,2,2", "torus:5,4/1"), ("minimal", "valiant")),
    **dict.fromkeys(("dragonfly:3,1;2,1;3,1;2", "dragonfly:3,2;1,1;5,2;1"), ("minimal", "valiant")),
    **dict.fromkeys(("dragonfly:4,1;3,1;3,1;1;2", "dragonfly:5,1;2,1;2,1;1;2"), ("minimal", "valiant")),
    **dict.fromkeys(("dragonfly+:4,1;3;3;2", "dragonfly+:3,2;2;4;1"), ("minimal", "valiant")),
    **dict.fromkeys(("slimfly:3;1", "slimfly:4;1", "hyperx:3,4,2;1,1,1;1"), ("minimal", "valiant")),
    **dict.fromkeys(("hypercube:4", "fullmesh:7"), ("minimal", "valiant")),
    **dict.fromkeys(("fattree:2;4,4;1,2;1,2", "fattree:3;2,2,2;1,2,2;1,1,1"), ("d-mod-k", "random", "turns")),
}
ROUTED = [(machine, routing) for machine, routings in MACHINES.items() for routing in routings]


def waits(platform: Platform, draws: int) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """Return the buffers (link, channel) that a packet in a buffer may wait for.

    Hosts take everything, but a packet that goes there may stand behind others that do not.
    """
    found: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    for source in platform.hosts:
        for destination in platform.hosts:
            for message in range(draws if source != destination else 0):
                links = platform.route(source, destination, message=message).links
                channels = platform.channels_of_route(source, destination, message=message)
                assert all(channel < platform.channels for channel in channels[:-1])
                buffers = [
                    (link.index, min(channel, platform.channels - 1))
                    for link, channel in zip(links, channels, strict=True)
                ]
                for one, next_one in pairwise(buffers):
                    found[one].add(next_one)
    return found


@pytest.mark.parametrize(("machine", "routing"), ROUTED)
def test_no_cycles(machine: str, routing: str) -> None:
    platform = read(machine)
    platform.choose_routes(routing)
    TopologicalSorter(waits(platform, 1 if routing in ("minimal", "d-mod-k") else 12)).prepare()


@pytest.mark.parametrize("machine", [machine for machine, routings in MACHINES.items() if "valiant" in routings])
def test_no_cycles_if_minimal_walks_and_detours_are_mixed(machine: str) -> None:
    """UGAL sends some packets on minimal walks and others on detours, over the same channels."""
    platform = read(machine)
    found: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    for routing, draws in (("ugal-l", 1), ("valiant", 12)):  # UGAL takes minimal walks while the network is idle
        platform.choose_routes(routing)
        for buffer, next_ones in waits(platform, draws).items():
            found[buffer] |= next_ones
    TopologicalSorter(found).prepare()


class Way(NamedTuple):
    links: list[int]
    channels: list[int]
    next_choice: int | None


def way_beside_queue(platform: Platform, ends: tuple[Host, Host], message: int, crossed: int, loaded: int) -> Way:
    """Return the way of a packet that is asked after some links, if a packet waits for the link `loaded`."""
    links, channels, next_choice = ffi.new("uint32_t[64]"), ffi.new("uint32_t[64]"), ffi.new("uint32_t*")
    count = lib.pysmpi_platform_route_beside_queue(
        platform._handle, ends[0].index, ends[1].index, message, crossed, loaded, links, channels, 64, next_choice
    )
    again = None if next_choice[0] == 2**32 - 1 else int(next_choice[0])
    return Way(list(links[0:count]), list(channels[0:count]), again)


RECONSIDERED = ["dragonfly:4,1;3,1;3,1;1;2", "dragonfly:5,1;2,1;2,1;1;2", "dragonfly:3,1;2,1;2,1;2;1"]


@pytest.mark.parametrize("machine", RECONSIDERED)
def test_no_cycles_if_packets_leave_minimal_walks_at_any_router(machine: str) -> None:
    """Under ugal-sst7 each router may send a packet that has gone minimally on a detour."""
    platform = read(machine)
    platform.choose_routes("ugal-sst7")
    found: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    detours = 0
    for ends in ((source, destination) for source in platform.hosts for destination in platform.hosts):
        minimal = [link.index for link in platform.route(*ends).links]
        for crossed in range(1, len(minimal) - 1 if ends[0] != ends[1] else 1):
            for message in range(8):
                way = way_beside_queue(platform, ends, message, crossed, minimal[crossed])
                assert way.links[:crossed] == minimal[:crossed]
                assert way.links[-1] == minimal[-1]
                detours += way.links != minimal
                for one, next_one in pairwise(zip(way.links[:-1], way.channels[:-1], strict=True)):
                    found[one].add(next_one)
    assert detours > 1000
    assert max(channel for _, channel in found) == platform.channels - 1 == 5
    TopologicalSorter(found).prepare()


def joined(platform: Platform, links: list[int]) -> bool:
    """Return whether each link between switches begins at the switch where the one before ends."""
    ends = []
    for link in links[1:-1]:
        words = platform.links[link].name.split("_")
        pair = [int(words[4]), int(words[7])]
        ends.append(pair if "UP" in words else pair[::-1])
    return all(before[1] == after[0] for before, after in pairwise(ends))


@pytest.mark.parametrize("machine", RECONSIDERED)
def test_packets_that_leave_minimal_walks_come_to_the_destination(machine: str) -> None:
    platform = read(machine)
    platform.choose_routes("ugal-sst7")
    for destination in platform.hosts[1:]:
        ends = platform.hosts[0], destination
        minimal = [link.index for link in platform.route(*ends).links]
        for crossed in range(1, len(minimal) - 1):
            for message in range(8):
                way = way_beside_queue(platform, ends, message, crossed, minimal[crossed])
                assert joined(platform, way.links)
                assert way.next_choice is None or (way.links == minimal and way.next_choice == crossed + 1)


def test_a_packet_without_a_queue_in_its_way_is_asked_at_the_next_router() -> None:
    platform = read("dragonfly:4,1;3,1;3,1;1;2")
    platform.choose_routes("ugal-sst7")
    ends = platform.hosts[0], platform.hosts[-1]
    minimal = [link.index for link in platform.route(*ends).links]
    asked = [way_beside_queue(platform, ends, 3, crossed, minimal[0]) for crossed in range(1, len(minimal) - 1)]
    assert all(way.links == minimal for way in asked)
    assert [way.next_choice for way in asked] == [*range(2, len(minimal) - 1), None]


def test_a_torus_needs_its_second_channel() -> None:
    one_channel = {
        (link, 0): {(other, 0) for other, _ in others} for (link, _), others in waits(read("torus:5,4"), 1).items()
    }
    with pytest.raises(ValueError, match="in a cycle"):
        TopologicalSorter(one_channel).prepare()


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        ("torus:4,4", (2, 4)),
        ("dragonfly:3,1;2,1;3,1;2", (2, 3)),
        ("dragonfly:3,1;2,1;3,1;2;1", (2, 4)),
        ("slimfly:3;1", (2, 4)),
        ("hypercube:3", (1, 2)),
    ],
)
def test_numbers_of_channels(machine: str, expected: tuple[int, int]) -> None:
    platform = read(machine)
    assert platform.channels == expected[0]
    for routing in ("valiant", "ugal", "ugal-l"):
        platform.choose_routes(routing)
        assert platform.channels == expected[1]


def test_cables_for_both_directions_are_not_known_to_be_free_of_cycles() -> None:
    builder = Builder()
    Torus([4, 4], split_duplex=False).add_to(builder)
    assert builder.finish("test").channels == 0
