"""The graph of hosts and switches inferred from routes."""

import pathlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pysmpi.platform import read
from pysmpi.platform.graph import Graph, find_graph, representative_hosts

PARITY = pathlib.Path(__file__).parents[1] / "parity" / "platforms"


def graph_of(name: str) -> Graph:
    platform = read(PARITY / f"{name}.xml")
    return find_graph(platform, range(len(platform.hosts)))


def degrees(graph: Graph) -> tuple[Counter[int], Counter[int]]:
    of = [len(each) for each in graph.neighbours()]
    hosts = sum(vertex.host is not None for vertex in graph.vertices)
    return Counter(of[:hosts]), Counter(of[hosts:])


def test_a_star_has_one_switch_in_the_middle() -> None:
    assert degrees(graph_of("flat")) == ({1: 64}, {64: 1})


def test_a_backbone_is_where_all_meet() -> None:
    graph = graph_of("backbone")
    assert degrees(graph) == ({1: 64}, {64: 1})
    assert graph.vertices[-1].name == "bb_backbone"


def test_a_fat_tree_has_its_switches() -> None:
    """64 hosts under 16 leaf switches of 4 parents; 16 switches of 2 parents in the middle; 8 at the top."""
    assert degrees(graph_of("fattree")) == ({1: 64}, {4 + 4: 16, 4 + 2: 16, 4: 8})


def test_a_torus_joins_hosts_with_their_neighbours() -> None:
    graph = graph_of("torus")
    assert degrees(graph) == ({6: 64}, {})
    assert all(edge.count == 1 for edge in graph.edges)


def test_a_dragonfly_has_its_routers() -> None:
    """36 routers with two hosts each, although some of SimGrid's routes omit a cable."""
    graph = graph_of("dragonfly")
    assert len(graph.vertices) == 72 + 36
    neighbours = graph.neighbours()
    assert all(sum(each < 72 for each in neighbours[router]) == 2 for router in range(72, 108))


def test_zones_joined_by_links_are_connected() -> None:
    graph = graph_of("zones")
    neighbours = graph.neighbours()
    seen, waiting = {0}, [0]
    while waiting:
        for each in neighbours[waiting.pop()]:
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    assert seen == set(range(len(graph.vertices)))


def test_three_hosts_on_one_link(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bus.xml"
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    path.write_text(
        '<platform version="4.1"><zone id="z" routing="Full">'
        + "".join(f'<host id="{name}" speed="1Gf"/>' for name in "abc")
        + '<link id="bus" bandwidth="1GBps" latency="1us"/>'
        + "".join(f'<route src="{one}" dst="{other}"><link_ctn id="bus"/></route>' for one, other in pairs)
        + "</zone></platform>"
    )
    graph = find_graph(read(path), range(3))
    assert degrees(graph) == ({1: 3}, {3: 1})
    assert graph.vertices[3].name == "bus"


@given(count=st.integers(1, 5000), most=st.integers(8, 300))
def test_representative_hosts_are_in_order_and_differ(count: int, most: int) -> None:
    class Machine:
        hosts = range(count)

    chosen = representative_hosts(Machine, most)  # type: ignore[arg-type]
    assert chosen == sorted(set(chosen))
    assert len(chosen) == count if count <= most else len(chosen) <= most
    assert chosen[0] >= 0 and chosen[-1] < count


@pytest.mark.parametrize("name", ["flat", "backbone", "fattree", "torus", "zones", "multicore"])
def test_edges_have_what_links_have(name: str) -> None:
    platform = read(PARITY / f"{name}.xml")
    links = {(link.bandwidth, link.latency) for link in platform.links}
    for edge in graph_of(name).edges:
        assert (edge.bandwidth, edge.latency) in links
        assert edge.ends[0] < edge.ends[1]
