"""Routes, latencies and sizes against SimGrid 3.32.

``simgrid_routes.jsonl`` holds the answers of SimGrid (from ``simgrid_routes.cpp``) on random platforms: the zones, the
numbers of hosts and links, and for some pairs of hosts the latency and the names of the links in order.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pysmpi.errors import PlatformError
from pysmpi.platform import Platform

FACTS = [json.loads(line) for line in (Path(__file__).parent / "simgrid_routes.jsonl").read_text().splitlines()]
CLUSTER = '<cluster id="c" prefix="n" suffix=".x" radical="0-3" speed="1Gf" bw="1GBps" lat="2us" {}/>'


@pytest.mark.parametrize("fact", FACTS, ids=[f"{fact['kind']}-{number}" for number, fact in enumerate(FACTS)])
def test_facts(fact: dict[str, Any], describe: Callable[[str], Platform]) -> None:
    platform = describe(fact["platform"])
    assert len(platform.hosts) == fact["hosts"]
    assert sum(link.name != "__loopback__" for link in platform.links) == fact["links"]
    for source, destination, latency, links in fact["routes"]:
        if not links and latency == 0:  # SimGrid aborts when a message takes such a route
            with pytest.raises(PlatformError, match=f"no route from '{source}' to '{destination}'"):
                platform.route(source, destination)
            continue
        route = platform.route(source, destination)
        assert [link.name for link in route.links] == links
        assert route.latency == latency


@pytest.mark.parametrize(
    ("settings", "source", "destination", "links", "latency"),
    [
        ("", 0, 2, "c_link_0_UP c_link_2_DOWN", 4e-06),
        ("", 1, 1, "c_link_1_UP c_link_1_DOWN", 4e-06),
        ('loopback_bw="1GBps" loopback_lat="1us"', 1, 1, "c_link_1_loopback", 1e-06),
        ('sharing_policy="SHARED"', 0, 2, "c_link_0 c_link_2", 4e-06),
        ('sharing_policy="SHARED"', 1, 1, "c_link_1", 2e-06),
        ('bb_bw="1GBps" bb_lat="1us"', 0, 2, "c_link_0_UP c_backbone c_link_2_DOWN", 5e-06),
        (
            'bb_bw="1GBps" limiter_link="1GBps"',
            0,
            2,
            "c_link_0_limiter c_link_0_UP c_backbone c_link_2_DOWN c_link_2_limiter",
            4e-06,
        ),
        ('bb_bw="1GBps" limiter_link="1GBps"', 0, 0, "c_link_0_limiter c_link_0_UP c_backbone c_link_0_DOWN", 4e-06),
    ],
)
def test_flat_cluster(
    settings: str, source: int, destination: int, links: str, latency: float, describe: Callable[[str], Platform]
) -> None:
    platform = describe(CLUSTER.format(settings))
    route = platform.route(f"n{source}.x", f"n{destination}.x")
    assert [link.name for link in route.links] == links.split()
    assert math.isclose(route.latency, latency)


def test_unsplit_cables_are_shared_whatever_the_policy(describe: Callable[[str], Platform]) -> None:
    settings = 'sharing_policy="FATPIPE" loopback_bw="2GBps" bb_bw="3GBps" bb_sharing_policy="FATPIPE"'
    platform = describe(CLUSTER.format(settings))
    policies = {link.name: link.policy for link in platform.links}
    assert policies["c_link_0"] == "SHARED"
    assert policies["c_link_0_loopback"] == "FATPIPE"
    assert policies["c_backbone"] == "FATPIPE"


def test_host_in_a_full_zone_reaches_itself_by_the_models_loopback(describe: Callable[[str], Platform]) -> None:
    platform = describe('<zone id="z" routing="Full"><host id="a" speed="1Gf"/></zone>')
    route = platform.route("a", "a")
    assert [(link.name, link.bandwidth, link.policy) for link in route.links] == [("__loopback__", 10e9, "FATPIPE")]
    assert route.latency == 0.0


def test_symmetrical_route_goes_back_the_other_way(describe: Callable[[str], Platform]) -> None:
    platform = describe(
        '<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
        '<link id="l" bandwidth="1GBps" latency="1us" sharing_policy="SPLITDUPLEX"/><link id="m" bandwidth="1GBps"/>'
        '<route src="a" dst="b"><link_ctn id="l" direction="UP"/><link_ctn id="m"/></route></zone>'
    )
    assert [link.name for link in platform.route("a", "b").links] == ["l_UP", "m"]
    assert [link.name for link in platform.route("b", "a").links] == ["m", "l_DOWN"]


def test_one_way_route_has_no_way_back(describe: Callable[[str], Platform]) -> None:
    platform = describe(
        '<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
        '<link id="l" bandwidth="1GBps"/><route src="a" dst="b" symmetrical="NO"><link_ctn id="l"/></route></zone>'
    )
    assert len(platform.route("a", "b").links) == 1
    with pytest.raises(PlatformError, match="no route from 'b' to 'a'"):
        platform.route("b", "a")


def test_links_of_clusters_may_be_used_in_routes(describe: Callable[[str], Platform]) -> None:
    first = CLUSTER.format('bb_bw="1GBps"')
    second = first.replace('"c"', '"d"').replace('"n"', '"m"')
    platform = describe(
        f'<zone id="w" routing="Full">{first}{second}<zoneRoute src="c" dst="d" gw_src="nc_router.x" '
        'gw_dst="md_router.x"><link_ctn id="c_backbone"/><link_ctn id="d_link_3" direction="DOWN"/></zoneRoute></zone>'
    )
    names = [link.name for link in platform.route("n0.x", "m0.x").links]
    assert names[2:4] == ["c_backbone", "d_link_3_DOWN"]
    back = [link.name for link in platform.route("m0.x", "n0.x").links]
    assert back[2:4] == ["d_link_3_UP", "c_backbone"]
