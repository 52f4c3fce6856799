"""Clusters in one word, for command lines: ``TOPOLOGY:PARAMETERS[:NAME=VALUE]…``.

``torus:4,4,4:speed=10Gf:bw=5GBps`` needs no quotes in a shell; between parts of the parameters, a slash
stands for SimGrid's semicolon: ``fattree:2/4,4/1,2/1,2``. Settings may be properties of the hosts, whose values may
have colons: ``flat:4:wattage_per_state=90:105:180``.
"""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

from pysmpi.errors import PlatformError, unknown
from pysmpi.platform.host_interior import NAMES as NODE_PROPERTIES
from pysmpi.platform.topologies import ClusterOfHosts
from pysmpi.platform.topology import TOPOLOGIES
from pysmpi.platform.units import parse_whole_number

__all__ = ["EXAMPLES", "from_text", "is_short_text"]

SHORT_TEXT = re.compile(r"([A-Za-z][A-Za-z_+-]*):(?!//)")
KINDS = {kind.short_name: kind for kind in TOPOLOGIES.values() if issubclass(kind, ClusterOfHosts)}
EXAMPLES = tuple(f"{name}:{kind.example.replace(';', '/')}" for name, kind in KINDS.items())
"""Example of a cluster in one word for each topology."""

ALIASES = {
    "bw": "bandwidth",
    "lat": "latency",
    "core": "cores",
    "membw": "memory_bandwidth",
    "loopback_bw": "loopback_bandwidth",
    "loopback_lat": "loopback_latency",
    "bb_bw": "backbone_bandwidth",
    "bb_lat": "backbone_latency",
    "bb_sharing_policy": "backbone_policy",
    "limiter_link": "limiter",
    "router_id": "router",
}
"""Full name of each setting that also has a short name or a name in SimGrid's XML, by the latter."""

PROPERTIES = (
    *(name for name in NODE_PROPERTIES if name not in ("memory_bandwidth", "memory_share")),
    *("wattage_per_state", "wattage_off", "carbon_intensity"),
)
"""Properties of hosts that a cluster in one word may set: network cards, sockets, messages inside a host, power."""


def is_short_text(text: str) -> bool:
    """Return whether a text looks like a cluster in one word, not like the name of a file."""
    return SHORT_TEXT.match(text) is not None


def from_text(text: str) -> ClusterOfHosts:
    """Return the cluster that a text such as ``fattree:2/4,4/1,2/1,2:speed=10Gf`` describes.

    Raises:
        PlatformError: the topology is unknown, or its parameters or settings are not valid.
    """
    name, _, rest = text.partition(":")
    kind = KINDS.get(name.lower())
    if kind is None:
        raise PlatformError(
            f"{text!r}: {unknown('topology', name, KINDS)}; write for example 'torus:4,4,4'. "
            f"No file has that name either"
        )
    parameters, *settings = rest.split(":")
    if not parameters:
        example = kind.example.replace(";", "/")
        raise PlatformError(f"{text!r}: the parameters are missing; write for example {name + ':' + example!r}")
    return kind.from_parameters(parameters.replace("/", ";"), repr(text), _settings(text, kind, settings))


def _settings(text: str, kind: type[ClusterOfHosts], words: Sequence[str]) -> dict[str, Any]:
    common = {each.name for each in dataclasses.fields(ClusterOfHosts)} - {"properties"}
    valid = [each.name for each in dataclasses.fields(kind) if each.name in common or each.name in kind.spec_settings]
    found: dict[str, Any] = {}
    properties: dict[str, str] = {}
    latest = ""  # name of the latest property, whose value may have colons, such as 90:180
    for word in words:
        key, equals, value = word.partition("=")
        setting = ALIASES.get(key.strip().lower(), key.strip().lower())
        if not equals and latest:
            properties[latest] += f":{word.strip().replace('/', ';')}"
            continue
        if not equals:
            raise PlatformError(f"{text!r}: {word!r} is not of the form NAME=VALUE, such as 'bw=12.5GBps'")
        if setting not in valid and setting not in PROPERTIES:
            raise PlatformError(f"{text!r}: {unknown('setting', key, [*valid, *PROPERTIES])}")
        if setting in found or setting in properties:
            raise PlatformError(f"{text!r}: {setting} is set twice")
        latest = setting if setting in PROPERTIES else ""
        if latest:
            properties[latest] = value.strip().replace("/", ";")
        else:
            found[setting] = _setting(text, setting, value.strip())
    return found | ({"properties": properties} if properties else {})


def _setting(text: str, name: str, value: str) -> Any:
    if name == "cores":
        return parse_whole_number(value, f"{text!r}: cores", 1)
    if name == "split_duplex":
        if value.lower() not in ("yes", "no"):
            raise PlatformError(f"{text!r}: split_duplex is {value!r} (valid: yes, no)")
        return value.lower() == "yes"
    return value
