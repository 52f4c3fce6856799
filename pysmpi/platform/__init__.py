"""The simulated machine: hosts, links and routes, read from SimGrid's platform files.

>>> platform = load("platforms/fattree.xml")  # and simulate on it from now on
>>> platform.hosts[0].name, platform.route("node-0", "node-4095").latency
"""

import os

from pysmpi.errors import PlatformError
from pysmpi.platform.machine import Changes, Host, Link, Platform, Route, Zone
from pysmpi.platform.xml import read

__all__ = ["Changes", "Host", "Link", "Platform", "PlatformError", "Route", "Zone", "current", "load", "read"]


def load(path: str | os.PathLike[str]) -> Platform:
    """Read a platform file and make its machine the one that simulations run on from now on.

    Raises:
        PlatformError: the file cannot be opened, or what is wrong in it, with file and line.
    """
    platform = read(path)
    platform.install()
    return platform


def current() -> Platform | None:
    """The machine that the next simulation runs on."""
    return Platform.current()
