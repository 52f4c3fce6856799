"""Machines of the study: a torus, a fat tree and a dragonfly of switches with 25 hosts each.

These are the machines of Zheng and Marguinaud: 25 × 25 × 25 switches (torus), four layers of switches with 25 ports
down (fat tree), and 25 groups of 25 × 25 switches (dragonfly), with 390,625 hosts each. Ranks fill the hosts in order.
The fat tree and the dragonfly are simulated completely. For the torus, a smaller torus with enough switches for the
ranks is used.
"""

import itertools
import math

from pysmpi.platform import Cluster, Description, Dragonfly, FatTree, Link, Zone, ZoneRoute

HOSTS = 25
"""Number of hosts of a switch."""
BANDWIDTH, LATENCY = "12.5GBps", "150ns"
"""Bandwidth and latency of each cable."""
FIGURES = {"hosts of a switch": HOSTS, "bandwidth": BANDWIDTH, "latency": LATENCY}
MACHINES = ("torus", "fat tree", "dragonfly")


def machine(name: str, ranks: int) -> Description:
    """Return one of `MACHINES`, large enough for one host per rank."""
    if name == "torus":
        return torus(torus_sizes(math.ceil(ranks / HOSTS)))
    if name == "fat tree":
        return FatTree([HOSTS] * 4, [1, HOSTS, HOSTS, HOSTS], bandwidth=BANDWIDTH, latency=LATENCY)
    return Dragonfly(25, 25, 25, HOSTS, bandwidth=BANDWIDTH, latency=LATENCY)


def torus_sizes(switches: int) -> tuple[int, int, int]:
    """Return the smallest nearly cubic torus with at least `switches` switches.

    Its sizes are odd, like 25, so that the two ways around a ring never have the same length.
    """
    side = math.ceil(switches ** (1 / 3)) | 1
    candidates = itertools.combinations_with_replacement(range(max(side - 4, 1), side + 1, 2), 3)
    enough = [sizes for sizes in candidates if math.prod(sizes) >= switches]
    return min(enough, key=lambda sizes: (math.prod(sizes), max(sizes)))


def torus(sizes: tuple[int, int, int]) -> Zone:
    """Return a torus of switches with hosts; messages take shortest paths."""
    places = list(itertools.product(*(range(size) for size in reversed(sizes))))  # the first dimension varies fastest
    switches = {
        place[::-1]: Cluster(
            HOSTS, name="-".join(map(str, ["switch", *place[::-1]])), bandwidth=BANDWIDTH, latency=LATENCY
        )
        for place in places
    }
    links: list[Link] = []
    routes: list[ZoneRoute] = []
    for place, switch in switches.items():
        for dimension, size in enumerate(sizes):
            following = (*place[:dimension], (place[dimension] + 1) % size, *place[dimension + 1 :])
            if following != place:
                links.append(Link(f"{switch.name}-{'xyz'[dimension]}", BANDWIDTH, LATENCY, "SPLITDUPLEX"))
                routes.append(ZoneRoute(switch, switches[following], [links[-1].up]))
    return Zone("torus", [*switches.values(), *links, *routes], routing="Floyd")
