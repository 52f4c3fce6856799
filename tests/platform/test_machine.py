"""Hosts and links of built platforms, and the choice of the current platform."""

import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from pysmpi.errors import PlatformError
from pysmpi.platform import Platform, current, load, read

EXAMPLES = sorted((Path(__file__).parents[2] / "platforms").glob("*.xml"))
CLUSTER = '<cluster id="c" prefix="node-" suffix="" radical="0-4,7" speed="1Gf" core="2" bw="1GBps" lat="1us"/>'


def test_hosts_and_links_are_sequences(describe: Callable[[str], Platform]) -> None:
    platform = describe(CLUSTER)
    assert [host.name for host in platform.hosts] == ["node-0", "node-1", "node-2", "node-3", "node-4", "node-7"]
    assert platform.hosts[-1] == platform.host("node-7")
    assert [host.index for host in platform.hosts[1:3]] == [1, 2]
    assert len(platform.links) == 12
    assert platform.links[3].name == "c_link_1_DOWN"
    with pytest.raises(IndexError):
        platform.hosts[6]


@pytest.mark.parametrize(
    "name", ["node-5", "node-07", "node-", "node-1x", "NODE-1", "node--1", "c", "node-c_router", ""]
)
def test_unknown_hosts(name: str, describe: Callable[[str], Platform]) -> None:
    with pytest.raises(PlatformError, match=r"unknown host .*there are 6: node-0 to node-7"):
        describe(CLUSTER).host(name)


def test_unknown_host_tells_the_nearest(describe: Callable[[str], Platform]) -> None:
    with pytest.raises(PlatformError, match="did you mean 'node-4'"):
        describe(CLUSTER).host("nod-4")


def test_routes_take_hosts_or_names(describe: Callable[[str], Platform]) -> None:
    platform = describe(CLUSTER)
    assert platform.route("node-0", "node-7") == platform.route(platform.hosts[0], platform.hosts[5])


def test_long_routes_and_names(describe: Callable[[str], Platform]) -> None:
    name = "ö" * 255
    hops = "".join(f'<link_ctn id="{name}"/>' for _ in range(500))
    platform = describe(
        f'<zone id="z" routing="Full"><host id="{name}" speed="1Gf"/><link id="{name}" bandwidth="1GBps" latency="1s"/>'
        f'<route src="{name}" dst="{name}">{hops}</route></zone>'
    )
    assert platform.hosts[0].name == name
    assert [link.name for link in platform.route(name, name).links] == [name] * 500
    assert platform.route(name, name).latency == 500.0


def test_load_makes_the_platform_current() -> None:
    first = load(EXAMPLES[0])
    assert current() is first
    second = read(EXAMPLES[1])
    assert current() is first
    second.install()
    assert current() is second
    with pytest.raises(PlatformError):
        load("nowhere.xml")
    assert current() is second
    del first, second
    gc.collect()
    platform = current()
    assert platform is not None
    assert len(platform.route(platform.hosts[0], platform.hosts[-1]).links) > 0


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_example_platforms(file: Path) -> None:
    text = file.read_text()
    assert "<!--" in text
    platform = read(file)
    for source in platform.hosts[:: max(1, len(platform.hosts) // 8)]:
        for destination in (platform.hosts[0], platform.hosts[-1], source):
            route = platform.route(source, destination)
            assert route.links
            assert route.latency > 0


def test_the_main_example_has_4096_hosts_of_one_core() -> None:
    platform = read(next(file for file in EXAMPLES if file.stem == "fattree"))
    assert len(platform.hosts) == 4096
    assert {host.cores for host in platform.hosts} == {1}
    assert len(platform.links) == 4096 + 2 * 3 * 4096
