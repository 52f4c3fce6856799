"""The graph of a platform, inferred from the routes between its hosts.

Descriptions name links and routes, but hardly ever switches. Two links that follow each other on a route meet at a
vertex; all links that meet there share it. Example: routes a-x-z-b and a-x-y-c, where x, y, z are links, give a vertex
behind x (a switch) at which y and z begin.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from pysmpi.errors import PlatformError
from pysmpi.platform.machine import Link, Platform
from pysmpi.platform.topology import TOPOLOGIES, shape_of

__all__ = ["Edge", "Graph", "Vertex", "find_graph", "representative_hosts"]

LIMITER = "_limiter"  # end of the names of links that limit one host or switch and do not lead to another one


@dataclass(frozen=True, slots=True)
class Vertex:
    """A host, a switch, or a link at which several other links meet, such as a backbone."""

    host: int | None
    """Index of the host, or None for a switch or link."""
    name: str
    """Name of the host, or of the link at which other links meet; empty for a switch."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One or several equal links between two vertices."""

    ends: tuple[int, int]
    """Indices of vertices, the smaller one first."""
    bandwidth: float
    """Bandwidth of one link in one direction, bytes per second."""
    latency: float
    """Latency of one link, seconds."""
    cables: tuple[str, ...]
    """Names of the parallel links; the names of split links are without the direction."""

    @property
    def count(self) -> int:
        """Number of parallel links."""
        return len(self.cables)


@dataclass
class Graph:
    """Vertices and edges. The hosts come first among the vertices, in the order given to `find_graph`."""

    vertices: list[Vertex] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def neighbours(self) -> list[list[int]]:
        """Return the neighbours of each vertex as sorted vertex numbers."""
        found: list[set[int]] = [set() for _ in self.vertices]
        for edge in self.edges:
            first, second = edge.ends
            found[first].add(second)
            found[second].add(first)
        return [sorted(each) for each in found]


def representative_hosts(platform: Platform, most: int, block: int = 8) -> list[int]:
    """Return all hosts; if there are more than `most`, evenly spread blocks of consecutive hosts."""
    count = len(platform.hosts)
    if count <= most:
        return list(range(count))
    blocks = max(1, most // block)
    return [place * count // blocks + i for place in range(blocks) for i in range(block)]


def find_graph(platform: Platform, hosts: Sequence[int]) -> Graph:
    """Return the graph on the routes from each host (given by index) to the hosts after it in the sequence.

    Pairs without a route are skipped.
    """
    finder = _Finder(platform, hosts)
    chassis = [_chassis(platform, host) for host in hosts]
    for source, destination in combinations(range(len(hosts)), 2):
        # Routes of SimGrid's dragonflies (3.32) from a chassis to a later one of its group use the cable of the first
        # chassis or none. Following them would merge two routers into one.
        cut_short = chassis[source].number != 0 and chassis[source] != chassis[destination]
        if not cut_short:
            finder.walk(source, destination)
    return finder.graph()


class _Chassis(NamedTuple):
    """Chassis (a part of a dragonfly's group) in which a host lies, by cluster, group and number.

    The default values stand for hosts outside clusters.
    """

    cluster: int = -1
    group: int = 0
    number: int = 0


def _chassis(platform: Platform, host: int) -> _Chassis:
    for first, cluster in platform.clusters:
        if first <= host < first + cluster.host_count:
            return _Chassis(first, *TOPOLOGIES[cluster.topology].chassis_of(shape_of(cluster), host - first))
    return _Chassis()


class _Finder:
    """A union-find structure of link ends: ends that meet on a route form one vertex."""

    def __init__(self, platform: Platform, hosts: Sequence[int]) -> None:
        self._platform = platform
        self._hosts = [platform.hosts[index] for index in hosts]
        self._parent = list(range(len(hosts)))  # the first entries are the hosts
        self._ends: dict[str, tuple[int, int]] = {}  # vertices of each cable, in direction UP or as first met
        self._links: dict[str, Link] = {}
        self._buses: dict[str, int] = {}  # links at which more than two vertices meet

    def walk(self, source: int, destination: int) -> None:
        """Add the links of the route between two hosts, given by their positions in `hosts`."""
        try:
            links = self._platform.route(self._hosts[source], self._hosts[destination]).links
        except PlatformError:  # no route
            return
        links = tuple(link for link in links if not link.name.endswith(LIMITER))
        here = source
        for place, link in enumerate(links):
            following = links[place + 1] if place + 1 < len(links) else None
            here = self._cross(link, here, following, destination)

    def _cross(self, link: Link, entry: int, following: Link | None, destination: int) -> int:
        """Follow a link from the vertex `entry`, and return the vertex at its other end."""
        cable, down = _cable(link)
        self._links.setdefault(cable, link)
        if cable in self._buses:
            return self._cross_bus(cable, entry, following, destination)
        if cable not in self._ends:
            ends = (entry, destination if following is None else self._new_vertex())
            self._ends[cable] = ends[::-1] if down else ends
            return ends[1]
        ends = self._ends[cable][::-1] if down else self._ends[cable]
        if cable == link.name and self._leaves_backwards(ends, entry, following, destination):
            ends = ends[::-1]
        pairs = [(entry, ends[0]), *([(destination, ends[1])] if following is None else [])]
        if not all(self._may_join(*pair) for pair in pairs):
            self._make_bus(cable)
            return self._cross_bus(cable, entry, following, destination)
        for pair in pairs:
            self._join(*pair)
        return self._find(ends[1])

    def _leaves_backwards(self, ends: tuple[int, int], entry: int, following: Link | None, destination: int) -> bool:
        """Return whether this route crosses a link in the opposite direction to the route that crossed it first.

        Only links with one name for both directions need this. `ends` lists the link's vertices as they were first met.
        """
        first, second, entry = self._find(ends[0]), self._find(ends[1]), self._find(entry)
        if entry in (first, second):
            return entry == second
        if following is None:
            behind = {self._find(destination)}
        else:
            behind = {self._find(end) for end in self._ends.get(_cable(following)[0], ())}
        return first in behind and second not in behind

    def _make_bus(self, cable: str) -> None:
        self._buses[cable] = self._new_vertex()
        for end in self._ends.pop(cable):
            self._attach(cable, end)

    def _cross_bus(self, cable: str, entry: int, following: Link | None, destination: int) -> int:
        self._attach(cable, entry)
        if following is None:
            self._attach(cable, destination)
        return self._find(self._buses[cable])

    def _attach(self, cable: str, vertex: int) -> None:
        """Connect a vertex to a bus (a link at which more than two vertices meet).

        A host stays a vertex of its own, with an edge to the bus; any other vertex is merged with the bus.
        """
        vertex = self._find(vertex)
        if vertex >= len(self._hosts):
            self._join(self._buses[cable], vertex)
        else:
            self._ends[f"{cable} of {vertex}"] = (vertex, self._buses[cable])
            self._links[f"{cable} of {vertex}"] = self._links[cable]

    def _new_vertex(self) -> int:
        self._parent.append(len(self._parent))
        return len(self._parent) - 1

    def _find(self, vertex: int) -> int:
        while self._parent[vertex] != vertex:
            self._parent[vertex] = vertex = self._parent[self._parent[vertex]]
        return vertex

    def _may_join(self, first: int, second: int) -> bool:
        first, second = self._find(first), self._find(second)
        return first == second or max(first, second) >= len(self._hosts)

    def _join(self, first: int, second: int) -> None:
        first, second = self._find(first), self._find(second)
        self._parent[max(first, second)] = min(
            first, second
        )  # hosts have the lowest numbers and stay the representatives

    def graph(self) -> Graph:
        """Return the graph that the routes passed to `walk` form."""
        graph = Graph([Vertex(host.index, host.name) for host in self._hosts])
        places = {vertex: vertex for vertex in range(len(self._hosts))}
        shared: dict[int, list[str]] = {}
        cables: dict[tuple[int, int, float, float], list[str]] = {}
        for cable, bus in self._buses.items():
            shared.setdefault(self._find(bus), []).append(cable)
        for cable, ends in self._ends.items():
            first, second = (self._find(end) for end in ends)
            if first == second:
                shared.setdefault(first, []).append(cable)
        for cable, ends in self._ends.items():
            link = self._links[cable]
            vertices = []
            for end in map(self._find, ends):
                if end not in places:
                    places[end] = len(graph.vertices)
                    graph.vertices.append(Vertex(None, ", ".join(shared.get(end, ()))))
                vertices.append(places[end])
            if vertices[0] != vertices[1]:
                key = (min(vertices), max(vertices), link.bandwidth, link.latency)
                cables.setdefault(key, []).append(_cable(link)[0])
        graph.edges = [Edge(key[:2], key[2], key[3], tuple(names)) for key, names in cables.items()]
        return graph


def _cable(link: Link) -> tuple[str, bool]:
    """Return the name of a link without the ending _UP or _DOWN, and whether it had the ending _DOWN."""
    for ending, down in (("_UP", False), ("_DOWN", True)):
        if link.name.endswith(ending):
            return link.name.removesuffix(ending), down
    return link.name, False
