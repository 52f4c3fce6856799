"""Simulated machines: hosts, links and routes, read from SimGrid's platform files or described in Python.

>>> platform = load("platforms/fattree.xml")  # and simulate on it from now on
>>> platform.hosts[0].name, platform.route("node-0", "node-4095").latency
>>> load("fattree").hosts[0].speed  # a platform that comes with pysmpi
>>> pysmpi.simulate(program, np=64, platform=FatTree([8, 8], [1, 4], speed="20Gf"))

`Disk`, `Host`, `Link`, `Route` and `Zone` are descriptions; a built `Platform` contains objects of the classes with the
same names in `pysmpi.platform.machine`.
"""

import os

from pysmpi.errors import PlatformError
from pysmpi.platform import xml
from pysmpi.platform.bisection import bisection_bandwidth
from pysmpi.platform.catalogue import find, is_name, unknown_platform
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
from pysmpi.util.wings import language_of

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
    """Read a platform from a file, by the name of a platform that comes with pysmpi, or as a cluster in one word.

    Args:
        source: path of a platform file, name of a platform that comes with pysmpi, such as ``fattree``, or a cluster
            such as ``torus:4,4,4:speed=10Gf``. If a file has that name, it is read. A file such as ``NAME.aspen`` is a
            machine in a modelling language; values of its parameters may follow: ``m.aspen:numNodes=4``.

    Raises:
        PlatformError: the file cannot be opened, a line of the file is not valid, the cluster is not valid, or the name
            is unknown.
    """
    if (language := language_of(os.fspath(source))) is not None:
        found: Platform = language.platform(os.fspath(source))
        return found
    if not isinstance(source, str) or os.path.isfile(source):
        return xml.read(source)
    if is_short_text(source):
        return from_text(source).build(source)
    file = find(source)
    if file is not None:
        platform = xml.read(file)
        platform.source = source
        return platform
    if is_name(source):
        raise PlatformError(unknown_platform(source))
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
