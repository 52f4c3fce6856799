"""Clusters in one word, for command lines: ``TOPOLOGY:PARAMETERS[:NAME=VALUE]…``.

``torus:4,4,4:speed=10Gf:bw=5GBps`` needs no quotes in a shell; where parameters have parts, a slash is as good as
SimGrid's semicolon: ``fattree:2/4,4/1,2/1,2``.
"""

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any

from pysmpi.errors import PlatformError, unknown
from pysmpi.platform.shape import parse_shape
from pysmpi.platform.topologies import (
    Cluster,
    ClusterOfHosts,
    Dragonfly,
    DragonflyPlus,
    FatTree,
    FullMesh,
    Hypercube,
    HyperX,
    SlimFly,
    Torus,
)
from pysmpi.platform.units import parse_whole_number

__all__ = ["EXAMPLES", "from_text", "is_short_text"]

Make = Callable[[str, str, dict[str, Any]], ClusterOfHosts]

SHORT_TEXT = re.compile(r"([A-Za-z][A-Za-z_+-]*):(?!//)")
ALIASES = {
    "bw": "bandwidth",
    "lat": "latency",
    "core": "cores",
    "loopback_bw": "loopback_bandwidth",
    "loopback_lat": "loopback_latency",
    "bb_bw": "backbone_bandwidth",
    "bb_lat": "backbone_latency",
    "bb_sharing_policy": "backbone_policy",
    "limiter_link": "limiter",
    "router_id": "router",
}
"""What SimGrid's XML calls them."""


def _values(topology: str, text: str, what: str) -> Sequence[int]:
    return parse_shape(topology, text, what).values


def _flat(text: str, what: str, settings: dict[str, Any]) -> ClusterOfHosts:
    return Cluster(parse_whole_number(text, f"{what}: number of hosts", 1), **settings)


def _fat_tree(text: str, what: str, settings: dict[str, Any]) -> ClusterOfHosts:
    values = _values("FAT_TREE", text, what)
    levels = len(values) // 3
    return FatTree(values[:levels], values[levels : 2 * levels], values[2 * levels :], **settings)


def _torus(text: str, what: str, settings: dict[str, Any]) -> ClusterOfHosts:
    return Torus(_values("TORUS", text, what), **settings)


def _dragonfly(text: str, what: str, settings: dict[str, Any]) -> ClusterOfHosts:
    groups, blue, chassis, black, blades, green, hosts = _values("DRAGONFLY", text, what)
    return Dragonfly(
        groups, chassis, blades, hosts, blue_cables=blue, black_cables=black, green_cables=green, **settings
    )


def _dragonfly_plus(text: str, what: str, settings: dict[str, Any]) -> ClusterOfHosts:
    groups, cables, spines, leaves, hosts = _values("DRAGONFLY_PLUS", text, what)
    return DragonflyPlus(groups, spines, leaves, hosts, cables, **settings)


def _hyperx(text: str, what: str, settings: dict[str, Any]) -> ClusterOfHosts:
    *values, hosts = _values("HYPERX", text, what)
    dimensions = len(values) // 2
    return HyperX(values[:dimensions], hosts, values[dimensions:], **settings)


def _slim_fly(text: str, what: str, settings: dict[str, Any]) -> ClusterOfHosts:
    order, hosts = _values("SLIM_FLY", text if ";" in text else f"{text};1", what)
    return SlimFly(order, hosts if ";" in text else None, **settings)


def _hypercube(text: str, what: str, settings: dict[str, Any]) -> ClusterOfHosts:
    return Hypercube(_values("HYPERCUBE", text, what)[0], **settings)


def _full_mesh(text: str, what: str, settings: dict[str, Any]) -> ClusterOfHosts:
    return FullMesh(parse_shape("FULL_MESH", text, what).hosts, **settings)


KINDS: dict[str, tuple[type[ClusterOfHosts], Make, str]] = {
    "flat": (Cluster, _flat, "64"),
    "fattree": (FatTree, _fat_tree, "2/8,8/1,4/1,1"),
    "torus": (Torus, _torus, "4,4,4"),
    "dragonfly": (Dragonfly, _dragonfly, "3,4/3,2/4,1/2"),
    "dragonfly+": (DragonflyPlus, _dragonfly_plus, "9,2/4/4/4"),
    "hyperx": (HyperX, _hyperx, "4,4/1,1/4"),
    "slimfly": (SlimFly, _slim_fly, "5"),
    "hypercube": (Hypercube, _hypercube, "6"),
    "fullmesh": (FullMesh, _full_mesh, "16"),
}
EXAMPLES = tuple(f"{name}:{example}" for name, (_, _, example) in KINDS.items())
"""One of each."""


def is_short_text(text: str) -> bool:
    """Whether it looks like one, rather than like the name of a file."""
    return SHORT_TEXT.match(text) is not None


def from_text(text: str) -> ClusterOfHosts:
    """The cluster that a text such as ``fattree:2/4,4/1,2/1,2:speed=10Gf`` describes.

    Raises:
        PlatformError: the topology is unknown, or its parameters or settings are not valid.
    """
    name, _, rest = text.partition(":")
    if name.lower() not in KINDS:
        raise PlatformError(
            f"{text!r}: {unknown('topology', name, KINDS)}; such as {EXAMPLES[1]!r}. There is no file of that name"
        )
    kind, make, example = KINDS[name.lower()]
    parameters, *settings = rest.split(":")
    if not parameters:
        raise PlatformError(f"{text!r}: parameters are missing, such as {name + ':' + example!r}")
    return make(parameters.replace("/", ";"), repr(text), _settings(text, kind, settings))


def _settings(text: str, kind: type[ClusterOfHosts], words: Sequence[str]) -> dict[str, Any]:
    of_topology = {each.name for each in dataclasses.fields(kind) if not each.kw_only}
    shape = {"blue_cables", "black_cables", "green_cables", "properties"}
    valid = [each.name for each in dataclasses.fields(kind) if each.name not in of_topology | shape]
    found: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        setting = ALIASES.get(key.strip().lower(), key.strip().lower())
        if not equals:
            raise PlatformError(f"{text!r}: {word!r} is not of the form NAME=VALUE, such as 'bw=12.5GBps'")
        if setting not in valid:
            raise PlatformError(f"{text!r}: {unknown('setting', key, valid)}")
        if setting in found:
            raise PlatformError(f"{text!r}: {setting} is set twice")
        found[setting] = _setting(text, setting, value.strip())
    return found


def _setting(text: str, name: str, value: str) -> Any:
    if name == "cores":
        return parse_whole_number(value, f"{text!r}: cores", 1)
    if name == "split_duplex":
        if value.lower() not in ("yes", "no"):
            raise PlatformError(f"{text!r}: split_duplex is {value!r} (valid: yes, no)")
        return value.lower() == "yes"
    return value
