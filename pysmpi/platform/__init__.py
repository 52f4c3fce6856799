"""Simulated machines: hosts, links and routes, read from SimGrid's platform files or described in Python.

>>> platform = load("platforms/fattree.xml")  # and simulate on it from now on
>>> platform.hosts[0].name, platform.route("node-0", "node-4095").latency
>>> pysmpi.simulate(program, np=64, platform=FatTree([8, 8], [1, 4], speed="20Gf"))

`Disk`, `Host`, `Link`, `Route` and `Zone` are descriptions; a built `Platform` contains objects of the classes with the
same names in `pysmpi.platform.machine`.
"""

import os

from pysmpi.errors import PlatformError
from pysmpi.platform import xml
from pysmpi.platform.bisection import bisection_bandwidth
from pysmpi.platform.cluster_spec import from_text, is_short_text
from pysmpi.platform.description import Description
from pysmpi.platform.machine import Changes, Platform
from pysmpi.platform.topologies import (
    Cluster,
    Dragonfly,
    DragonflyPlus,
    FatTree,
    FullMesh,
    Hypercube,
    HyperX,
    SlimFly,
    Torus,
)
from pysmpi.platform.zones import Disk, Host, Link, Route, Router, Zone, ZoneRoute

__all__ = [
    "Changes",
    "Cluster",
    "Description",
    "Disk",
    "Dragonfly",
    "DragonflyPlus",
    "FatTree",
    "FullMesh",
    "Host",
    "HyperX",
    "Hypercube",
    "Link",
    "Platform",
    "PlatformError",
    "Route",
    "Router",
    "SlimFly",
    "Torus",
    "Zone",
    "ZoneRoute",
    "bisection_bandwidth",
    "current",
    "load",
    "read",
]


def read(source: str | os.PathLike[str]) -> Platform:
    """Read a platform file; if no file has that name, read a cluster in one word such as ``torus:4,4,4:speed=10Gf``.

    Raises:
        PlatformError: the file cannot be opened, a line of the file is not valid, or the cluster is not valid.
    """
    if isinstance(source, str) and is_short_text(source) and not os.path.exists(source):
        return from_text(source).build(source)
    return xml.read(source)


def load(source: str | os.PathLike[str]) -> Platform:
    """Read a platform as `read` does, and make it the platform of later simulations.

    Raises:
        PlatformError: as in `read`.
    """
    platform = read(source)
    platform.install()
    return platform


def current() -> Platform | None:
    """Return the platform of the next simulation, or None if none has been loaded."""
    return Platform.current()
