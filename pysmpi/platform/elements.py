"""Elements of SimGrid's platform files, with attributes and children (simgrid.dtd, versions 4.0 and 4.1)."""

from dataclasses import dataclass, field
from functools import cached_property

import pysmpi.platform.topologies  # noqa: F401  fills the registry
from pysmpi.platform.topology import TOPOLOGIES

__all__ = ["ALIASES", "ELEMENTS", "OLD_ATTRIBUTES", "OLD_KINDS", "UNUSABLE", "Element"]


@dataclass(frozen=True)
class Element:
    """One kind of XML element in platform files.

    ``attributes`` maps each attribute to its default, or to None if it is required. ``choices`` lists the valid values
    of attributes that accept only certain texts.
    """

    attributes: dict[str, str | None]
    children: frozenset[str] = frozenset()
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def defaults(self) -> dict[str, str]:
        """Default values of the attributes that are not required."""
        return {name: default for name, default in self.attributes.items() if default is not None}


def _children(names: str) -> frozenset[str]:
    return frozenset(names.split())


SYMMETRICAL = ("YES", "NO", "yes", "no")
ENDS: dict[str, str | None] = {"src": None, "dst": None}
GATEWAYS: dict[str, str | None] = {"gw_src": None, "gw_dst": None}
LINK_POLICIES = ("SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE", "WIFI")

ELEMENTS: dict[str, Element] = {
    "platform": Element(
        {"version": "0.0"}, _children("config zone cluster cabinet peer trace trace_connect actor random include")
    ),
    "include": Element({"file": None}),
    "trace": Element({"id": None, "file": "", "periodicity": None}),
    "trace_connect": Element(
        {"kind": "HOST_AVAIL", "trace": None, "element": None},
        frozenset(),
        {"kind": ("HOST_AVAIL", "SPEED", "LINK_AVAIL", "BANDWIDTH", "LATENCY")},
    ),
    "config": Element({"id": ""}, _children("prop")),
    "prop": Element({"id": None, "value": None}),
    "zone": Element(
        {"id": None, "routing": None},
        _children(
            "prop zone cluster peer host cabinet router link backbone host_link route zoneRoute bypassRoute "
            "bypassZoneRoute trace trace_connect include storage storage_type"
        ),
    ),
    "host": Element(
        {
            "id": None,
            "speed": None,
            "core": "1",
            "pstate": "0",
            "coordinates": "",
            "speed_file": "",
            "availability_file": "",
            "state_file": "",
        },
        _children("prop disk mount"),
    ),
    "disk": Element({"id": None, "read_bw": None, "write_bw": None}, _children("prop")),
    "peer": Element(
        {
            "id": None,
            "speed": None,
            "bw_in": None,
            "bw_out": None,
            "lat": "0",
            "coordinates": "",
            "speed_file": "",
            "availability_file": "",
            "state_file": "",
        }
    ),
    "router": Element({"id": None, "coordinates": ""}),
    "link": Element(
        {
            "id": None,
            "bandwidth": None,
            "latency": "0",
            "sharing_policy": "SHARED",
            "bandwidth_file": "",
            "latency_file": "",
            "state_file": "",
        },
        _children("prop"),
        {"sharing_policy": LINK_POLICIES},
    ),
    "cluster": Element(
        {
            "id": None,
            "prefix": None,
            "suffix": None,
            "radical": None,
            "speed": None,
            "core": "1",
            "bw": None,
            "lat": None,
            "sharing_policy": "SPLITDUPLEX",
            "topology": "FLAT",
            "topo_parameters": "",
            "bb_bw": "",
            "bb_lat": "0s",
            "bb_sharing_policy": "SHARED",
            "router_id": "",
            "limiter_link": "",
            "loopback_bw": "",
            "loopback_lat": "",
        },
        _children("prop"),
        {
            "sharing_policy": ("SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE"),
            "bb_sharing_policy": ("SHARED", "FATPIPE"),
            "topology": tuple(name for name, kind in TOPOLOGIES.items() if kind.in_simgrid),
        },
    ),
    "cabinet": Element(
        {"id": None, "prefix": None, "suffix": None, "radical": None, "speed": None, "bw": None, "lat": None}
    ),
    "host_link": Element({"id": None, "up": None, "down": None}),
    "backbone": Element({"id": None, "bandwidth": None, "latency": None}),
    "route": Element(ENDS | {"symmetrical": "YES"}, _children("link_ctn"), {"symmetrical": SYMMETRICAL}),
    "zoneRoute": Element(ENDS | GATEWAYS | {"symmetrical": "YES"}, _children("link_ctn"), {"symmetrical": SYMMETRICAL}),
    "bypassRoute": Element(ENDS, _children("link_ctn")),
    "bypassZoneRoute": Element(ENDS | GATEWAYS, _children("link_ctn")),
    "link_ctn": Element({"id": None, "direction": "NONE"}, frozenset(), {"direction": ("UP", "DOWN", "NONE")}),
}

ALIASES = {
    "AS": "zone",
    "ASroute": "zoneRoute",
    "bypassASroute": "bypassZoneRoute",
    "process": "actor",
}
"""Elements by their names in version 4.0 of the format."""

SINCE_4 = "in version 4 of the format (SimGrid 3.13)"
NO_CLUSTER_PROFILES = f"clusters and cabinets have no profiles {SINCE_4}; connect a trace to each host by trace_connect"
OLD_ATTRIBUTES = {
    "power": f"it is called 'speed' {SINCE_4}",
    "availability": f"it was removed {SINCE_4}; use a profile of the speed or bandwidth",
    "state": f"it was removed {SINCE_4}; use a profile of the state",
    "availability_file": NO_CLUSTER_PROFILES,
    "state_file": NO_CLUSTER_PROFILES,
}
"""Attributes of older versions of the format, with their replacements."""

OLD_KINDS = {"POWER": f"it is called SPEED {SINCE_4}"}
"""Values of the attribute kind of ``trace_connect`` in older versions of the format, with their replacements."""

STORAGE = "SimGrid removed it in 3.27; add a <disk> to a host and set its property mount to a folder"
DEPLOYMENT = (
    "it belongs to deployments; give the program and the number of ranks to pysmpirun, and the hosts in a hostfile"
)
UNUSABLE = {
    "storage": STORAGE,
    "storage_type": STORAGE,
    "mount": STORAGE,
    "random": "it has no meaning in SimGrid; remove it",
    "model_prop": "it has no meaning in SimGrid; remove it",
    "actor": DEPLOYMENT,
    "argument": DEPLOYMENT,
}
"""Elements of the DTD that are not supported, with the reason."""
