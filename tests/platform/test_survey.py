"""Surveys of platforms."""

import pathlib
from collections.abc import Callable

from pysmpi.platform import Platform, read
from pysmpi.platform.survey import survey

ROOT = pathlib.Path(__file__).parents[2]


def test_a_cluster() -> None:
    found = survey(read(ROOT / "tests" / "parity" / "platforms" / "flat.xml"))
    assert (found.hosts, found.links, found.cores, found.examined) == (64, 192, 64, 64)
    assert found.speeds == ((1e10, 64),)
    assert sum(count for _, count in found.bandwidths) == 192
    assert found.hops == (2, 2)
    assert found.unreachable == found.unused == ()


def test_a_large_machine_is_examined_in_part() -> None:
    found = survey(read(ROOT / "platforms" / "fattree.xml"))
    assert (found.hosts, found.examined) == (4096, 256)
    assert found.hops == (2, 6)
    assert found.unused == ()


def test_hosts_without_a_route(describe: Callable[[str], Platform]) -> None:
    found = survey(
        describe(
            '<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="2Gf"/>'
            '<link id="l" bandwidth="1GBps" latency="1us"/><link id="m" bandwidth="1GBps" latency="1us"/>'
            '<route src="a" dst="b" symmetrical="NO"><link_ctn id="l"/></route></zone>'
        )
    )
    assert found.unreachable == (("b", "a"),)
    assert found.unreachable_count == 1
    assert found.unused == ("m",)
    assert found.speeds == ((2e9, 1), (1e9, 1))


def test_one_host(describe: Callable[[str], Platform]) -> None:
    found = survey(describe('<zone id="z" routing="None"><host id="h" speed="1Gf"/></zone>'))
    assert found.hops is found.latencies is None
    assert found.unreachable == ()
