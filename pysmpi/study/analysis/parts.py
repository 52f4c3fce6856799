"""Parts of a platform (hosts, cables, switches) and their price."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pysmpi.errors import StudyError

if TYPE_CHECKING:
    from pysmpi.platform import Platform

__all__ = ["Parts", "Prices", "parts_of"]

_MOST_HOSTS = 256  # limit for platforms whose switches are found from their routes


@dataclass(frozen=True)
class Parts:
    """Numbers of a platform's parts.

    Attributes:
        nodes: number of hosts.
        links: number of cables; a pair of links in opposite directions is one cable.
        switches: number of switches: vertices other than hosts at which cables meet.
    """

    nodes: int
    links: int
    switches: int


@dataclass(frozen=True)
class Prices:
    """Prices of one node, one cable (`link`) and one switch, in any currency."""

    node: float = 0.0
    link: float = 0.0
    switch: float = 0.0

    def of(self, parts: Parts) -> float:
        """Return the price of a machine with the given parts."""
        return self.node * parts.nodes + self.link * parts.links + self.switch * parts.switches


def parts_of(platform: "Platform") -> Parts:
    """Count a platform's parts.

    The parts of a single cluster come from its description, with one switch in a flat cluster. Cables and switches of
    other platforms are derived from the routes between hosts.

    Raises:
        StudyError: if the platform has several zones and too many hosts.
    """
    from pysmpi.platform.graph import find_graph
    from pysmpi.platform.topology import TOPOLOGIES, shape_of

    hosts = len(platform.hosts)
    if len(platform.clusters) == 1 and platform.clusters[0][1].host_count == hosts:
        cluster = platform.clusters[0][1]
        shape = shape_of(cluster)
        return Parts(hosts, shape.cables, 1 if TOPOLOGIES[cluster.topology].has_router else shape.switches)
    if hosts > _MOST_HOSTS:
        raise StudyError(f"{platform.source}: cannot count the parts of {hosts} hosts in several zones; the limit is "
                         f"{_MOST_HOSTS} hosts, or a single cluster of any size")  # fmt: skip
    graph = find_graph(platform, range(hosts))
    return Parts(hosts, sum(edge.count for edge in graph.edges), len(graph.vertices) - hosts)
