"""Packets at full load: rates of patterns against closed forms, and no deadlock with buffers of one packet.

The tests send some 10,000 packets on each topology. ``make packet-storm`` sends 10,000,000.
"""

import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from pysmpi.native import ffi, lib
from pysmpi.platform import Platform, read
from pysmpi.simulation.settings.configuration import Configuration

SPEED, PACKET = 1e9, 1000
ROUTINGS = ("minimal", "valiant", "ugal", "ugal-l")
STORMS = {
    **dict.fromkeys(("torus:5,4", "torus:4,3,2", "torus:8", "torus:5,4/2", "torus:3,3,3/1"), ROUTINGS),
    "dragonfly:4,1;3,1;4,1;2": ROUTINGS,
    **dict.fromkeys(("dragonfly:4,1;3,1;3,1;2;2", "dragonfly:5,1;2,1;2,1;1;2"), (*ROUTINGS, "ugal-sst7")),
    **dict.fromkeys(("dragonfly+:4,1;3;3;2", "slimfly:3;2", "slimfly:4;1", "hyperx:3,4;1,1;2"), ROUTINGS),
    **dict.fromkeys(("hypercube:4", "fullmesh:9"), ROUTINGS),
    **dict.fromkeys(("fattree:2;4,4;1,2;1,1", "fattree:3;3,3,3;1,3,3;1,1,1"), ("d-mod-k", "random", "turns")),
    "flat:9": (None,),
}
ROUTED = [(machine, routing) for machine, routings in STORMS.items() for routing in routings]


class Traffic(NamedTuple):
    sent: int
    arrived: int
    seconds: float
    rate: float  # bytes/s of all hosts while neither begin nor end matters


def carry(
    platform: Platform, messages: int, *, to: npt.NDArray[np.uint32] | None = None, under_way: int = 16, seed: int = 1,
    size: int = PACKET, **settings: object,
) -> Traffic:  # fmt: skip
    """Send messages of one packet: to random hosts, or from each host to one other."""
    configuration = Configuration()
    given = {"network/model": "Packets", "packets/size": PACKET, "packets/train": 1, "precision/timing": 1e-15}
    named = {f"packets/{name}": value for name, value in settings.items()}
    configuration.update({name: str(value) for name, value in (given | named).items()}, "cfg")
    configuration.hand_to_engine()
    platform.install()
    out = ffi.new("pysmpi_traffic*")
    array = ffi.NULL if to is None else ffi.from_buffer("uint32_t[]", to)
    lib.pysmpi_carry_traffic(array, messages, under_way, size, seed, out)
    return Traffic(out.sent, out.arrived, out.seconds, out.rate)


def machine(word: str, routing: str | None) -> Platform:
    platform = read(f"{word}:bw=1GBps:lat=100ns")
    platform.choose_routes(routing, 7)
    return platform


def shifted(hosts: int, by: int) -> npt.NDArray[np.uint32]:
    return ((np.arange(hosts) + by) % hosts).astype(np.uint32)


def storm(word: str, routing: str | None, packets: int) -> Traffic:
    """Send packets to random hosts over buffers of one packet, as many as adapters inject."""
    return carry(machine(word, routing), packets, buffer=PACKET)


@pytest.mark.parametrize(("word", "routing"), ROUTED)
def test_one_packet_buffers_do_not_deadlock(word: str, routing: str | None) -> None:
    outcome = storm(word, routing, 10_000)
    assert outcome.sent == outcome.arrived == 10_000


def test_two_runs_are_identical() -> None:
    for routing in ("ugal-l", "ugal-sst7"):
        outcomes = [carry(machine("dragonfly:4,1;3,1;3,1;2;2", routing), 5000, buffer=8000) for _ in range(2)]
        assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(("buffer", "under_way"), [(2**15, 4), (2**15, 16), (2**20, 16), (2**20, 400), ("inf", 400)])
@pytest.mark.parametrize("k", [5, 8, 9])
def test_tornado_on_a_ring_minimal(k: int, buffer: str | int, under_way: int) -> None:
    """Each node sends ⌊(k - 1) / 2⌋ nodes on, so a cable passes that many nodes' packets (Dally and Towles 2004)."""
    distance = (k - 1) // 2
    outcome = carry(
        machine(f"torus:{k}/1", "minimal"), 1500 * k, to=shifted(k, distance), under_way=under_way, buffer=buffer
    )
    assert outcome.rate / k == pytest.approx(SPEED / distance, rel=0.05)


@pytest.mark.parametrize("k", [8, 9])
def test_hosts_that_fill_all_buffers_of_a_ring_halve_its_rate(k: int) -> None:
    """A packet moves on only into room that another one has left, and the hosts' packets take half of this room.

    With buffers of 16 packets a channel, 16 packets a host pass at the full rate, 32 do not.
    """
    rates = [
        carry(machine(f"torus:{k}/1", "minimal"), 1500 * k, to=shifted(k, (k - 1) // 2), under_way=each).rate
        for each in (16, 32)
    ]
    assert rates[1] < 0.6 * rates[0]


@pytest.mark.parametrize("buffer", ["inf", 2**20])
@pytest.mark.parametrize("k", [5, 9])
def test_tornado_on_a_ring_valiant(k: int, buffer: str | int) -> None:
    """Valiant reaches half of the capacity for uniform traffic, 8 k / (k² - 1) for odd k, whatever the pattern."""
    outcome = carry(
        machine(f"torus:{k}/1", "valiant"), 4000 * k, to=shifted(k, (k - 1) // 2), under_way=400, buffer=buffer
    )
    assert outcome.rate / k == pytest.approx(min(1.0, 0.5 * 8 * k / (k * k - 1)) * SPEED, rel=0.05)


@pytest.mark.parametrize("buffer", ["inf", 2**20])
@pytest.mark.parametrize("k", [5, 9])
def test_uniform_traffic_on_a_ring(k: int, buffer: str | int) -> None:
    """A cable carries (k² - 1) / 8 / (k - 1) of each node's packets, if nodes do not send to themselves; k is odd."""
    outcome = carry(machine(f"torus:{k}/1", "minimal"), 4000 * k, under_way=400, buffer=buffer)
    assert outcome.rate / k == pytest.approx(min(1.0, 8 * (k - 1) / (k * k - 1)) * SPEED, rel=0.05)


@pytest.mark.parametrize("cables", [1, 2])
def test_group_to_next_group_minimal(cables: int) -> None:
    """All hosts of a group share the cables to the next one (Kim et al. 2008)."""
    groups, hosts = 5, 10
    outcome = carry(
        machine(f"dragonfly:{groups},{cables};2,1;5,1;1", "minimal"), 20_000, to=shifted(groups * hosts, hosts)
    )
    assert outcome.rate / (groups * hosts) == pytest.approx(cables * SPEED / hosts, rel=0.05)


@pytest.mark.parametrize("buffer", ["inf", 2**20, 128 * PACKET])
def test_group_to_next_group_valiant(buffer: str | int) -> None:
    """Nine hosts a group send half of what their cables carry.

    A walk from group g to g + 1 leads over each of nine groups in a ninth of the cases; over g and g + 1 it is minimal.
    The cable from g to g + 1 carries these two ninths. Each other cable carries a ninth on the first part of walks, and
    a ninth on the second.
    """
    groups, hosts = 9, 9
    outcome = carry(
        machine(f"dragonfly:{groups},1;1,1;9,1;1", "valiant"), 200_000, to=shifted(groups * hosts, hosts),
        under_way=200, buffer=buffer,
    )  # fmt: skip
    assert outcome.rate / (groups * hosts) == pytest.approx(SPEED / (hosts * 2 / 9), rel=0.05)


@pytest.mark.parametrize("routing", ["ugal", "ugal-l"])
def test_ugal_is_nearly_as_good_as_the_better_routing(routing: str) -> None:
    """Nine groups send to the next ones, where Valiant is best, then to random hosts, where minimal routes are best."""
    hosts = 81

    def rate(chosen: str, to: npt.NDArray[np.uint32] | None) -> float:
        return carry(machine("dragonfly:9,1;1,1;9,1;1", chosen), 60_000, to=to, under_way=64, buffer=32 * PACKET).rate

    assert rate(routing, shifted(hosts, 9)) > 0.9 * rate("valiant", shifted(hosts, 9))
    assert rate(routing, None) > 0.85 * rate("minimal", None)


def test_ports_in_turn_spread_better_than_random_ones() -> None:
    """All hosts send messages of 64 packets to the host half a tree away, over one of eight switches."""
    hosts = 64
    rates = {
        routing: carry(
            machine("fattree:2;8,8;1,8;1,1", routing), 12_000, to=shifted(hosts, 32), size=64 * PACKET, under_way=4
        ).rate / hosts / SPEED
        for routing in ("random", "turns")
    }  # fmt: skip
    assert rates["turns"] == pytest.approx(1.0, abs=0.01)
    assert rates["random"] < 0.99


if __name__ == "__main__":
    for machine_word, chosen in ROUTED:
        outcome_of_all = storm(machine_word, chosen, int(sys.argv[1]))
        print(machine_word, chosen, outcome_of_all, flush=True)
        assert outcome_of_all.sent == outcome_of_all.arrived == int(sys.argv[1])
