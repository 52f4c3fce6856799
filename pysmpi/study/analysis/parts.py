"""What a platform consists of, and what that costs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pysmpi.errors import StudyError

if TYPE_CHECKING:
    from pysmpi.platform import Platform

__all__ = ["Parts", "Prices", "parts_of"]

_MOST_HOSTS = 256  # of platforms whose switches are found from their routes


@dataclass(frozen=True)
class Parts:
    """How many there are.

    Attributes:
        nodes: hosts.
        links: cables; one with a link in each direction is one.
        switches: where cables meet beside hosts.
    """

    nodes: int
    links: int
    switches: int


@dataclass(frozen=True)
class Prices:
    """What each costs, in any currency."""

    node: float = 0.0
    link: float = 0.0
    switch: float = 0.0

    def of(self, parts: Parts) -> float:
        """The price of a machine."""
        return self.node * parts.nodes + self.link * parts.links + self.switch * parts.switches


def parts_of(platform: "Platform") -> Parts:
    """Counts a platform's parts.

    A single cluster is counted as it is described, with a switch in the middle of a flat one; of other platforms,
    cables and switches are those that the routes between hosts show.

    Raises:
        StudyError: the platform is too large for that.
    """
    from pysmpi.platform.graph import find_graph

    hosts = len(platform.hosts)
    if len(platform.clusters) == 1 and platform.clusters[0][1].host_count == hosts:
        cluster = platform.clusters[0][1]
        shape = cluster.shape()
        return Parts(hosts, shape.cables, 1 if cluster.topology == "FLAT" else shape.switches)
    if hosts > _MOST_HOSTS:
        raise StudyError(f"{platform.source}: parts of {hosts} hosts in several zones cannot be counted; at most "
                         f"{_MOST_HOSTS} can, or a single cluster of any size")  # fmt: skip
    graph = find_graph(platform, range(hosts))
    return Parts(hosts, sum(edge.count for edge in graph.edges), len(graph.vertices) - hosts)
