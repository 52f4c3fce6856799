"""Factors on bandwidths, speeds and latencies."""

import math

import pytest

from pysmpi.errors import PlatformError
from pysmpi.platform import Cluster, Host, Link, Platform, Route, Zone
from pysmpi.platform.scaling import Quantity, Scaling, parse_factor, scale


@pytest.fixture
def cluster() -> Platform:
    return Cluster(4, bandwidth=1e9, latency=1e-5).build()


def bandwidths(platform: Platform) -> list[float]:
    return [link.bandwidth / 1e9 for link in platform.links if "loopback" not in link.name]


def test_all_links_and_all_latencies(cluster: Platform) -> None:
    before = cluster.route("node-0", "node-3").latency
    scale(cluster, [Scaling(Quantity.BANDWIDTH, 2.0), Scaling(Quantity.LATENCY, 0.25)])
    assert set(bandwidths(cluster)) == {2.0}
    assert cluster.route("node-0", "node-3").latency == 0.25 * before


def test_factors_are_multiplied_and_taken_back(cluster: Platform) -> None:
    of_one, of_all = Scaling(Quantity.BANDWIDTH, 3.0, cluster.links[-1].name), Scaling(Quantity.BANDWIDTH, 2.0)
    for factors in ([of_one, of_all], [of_all, of_one]):
        scale(cluster, factors)
        assert bandwidths(cluster)[-1] == 6.0 and set(bandwidths(cluster)[:-1]) == {2.0}
    scale(cluster, [])
    assert set(bandwidths(cluster)) == {1.0}


def test_names_and_patterns() -> None:
    hosts = [Host("one"), Host("two")]
    links = [Link("cable", 1e9, 1e-6, "SPLITDUPLEX"), Link("other", 1e9, 1e-6)]
    platform = Zone("all", [*hosts, *links, Route(*hosts, [links[1]])]).build()
    scale(platform, [Scaling(Quantity.BANDWIDTH, 2.0, "cable")])
    assert bandwidths(platform) == [2.0, 2.0, 1.0]
    scale(platform, [Scaling(Quantity.BANDWIDTH, 2.0, "*o*e*")])
    assert bandwidths(platform) == [1.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("quantity", "name", "what"),
    [
        (Quantity.SPEED, "node-33", "no host is called 'node-33'; did you mean 'node-3'"),
        (Quantity.SPEED, "x-*", "no host is called 'x-*'"),
        (Quantity.BANDWIDTH, "cable", "no link is called 'cable'"),
    ],
)
def test_unknown_names(cluster: Platform, quantity: Quantity, name: str, what: str) -> None:
    with pytest.raises(PlatformError) as caught:
        scale(cluster, [Scaling(quantity, 2.0, name)])
    assert what in str(caught.value) and "there are" in str(caught.value)


@pytest.mark.parametrize("text", ["", "x", "0", "-1", "nan", "inf"])
def test_no_factors(text: str) -> None:
    with pytest.raises(ValueError, match="number"):
        parse_factor(text)
    assert math.isclose(parse_factor("1e-3"), 0.001)
