"""Interpretation of the elements of a platform file: each element calls a `pysmpi.platform.builder.Builder`.

Zones, traces and the root element take effect at their start tag. All other elements take effect at their end tag, when
their children are known.
"""

import math
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

from pysmpi.errors import PlatformError, PlatformWarning
from pysmpi.platform import files, units
from pysmpi.platform.builder import MAX_PROFILE_EVENTS, Builder
from pysmpi.platform.cluster import ClusterDescription, parse_radical
from pysmpi.platform.machine import Platform
from pysmpi.platform.names import Cabinet
from pysmpi.platform.profiles import KINDS, Profile, ProfileText, read_profile
from pysmpi.platform.routes import LinkInRoute
from pysmpi.platform.source_location import Place, error_at, with_context
from pysmpi.platform.topology import TOPOLOGIES

__all__ = ["Interpreter", "OpenElement"]

VERSIONS = ("4", "4.0", "4.1")
LONGEST_PLAIN = 1000  # characters of an attribute; the pattern takes quadratic time on long runs of digits
PLAIN_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*", re.ASCII)


@dataclass
class OpenElement:
    """An XML element of a platform file whose end tag has not been read yet."""

    tag: str
    attributes: dict[str, str]
    place: Place
    properties: dict[str, str] = field(default_factory=dict)
    links: list[LinkInRoute] = field(default_factory=list)
    disks: "list[OpenElement]" = field(default_factory=list)
    profile: ProfileText | None = None
    """Parser of the text of a trace."""
    transparent: bool = False
    """True for the root of an included file, which stands for the element that includes it."""

    def __getitem__(self, attribute: str) -> str:
        return self.attributes[attribute]

    def __str__(self) -> str:
        return f"{self.tag} {self['id']!r}"


@dataclass(frozen=True, slots=True)
class Connection:
    """The XML element trace_connect, which connects a profile to a host or link; both may come later in the file."""

    kind: str
    trace: str
    element: str
    place: Place


class Interpreter:
    """An interpreter of a platform file's XML elements. The caller adds file and line to errors that have none."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._config: dict[str, str] = {}
        self._config_places: dict[str, str] = {}
        self._traces: dict[str, tuple[Profile, Place]] = {}
        self._connections: list[Connection] = []
        self._profiles: dict[str, Profile] = {}  # by path
        self._profile_events = 0
        self._without_unit = False  # whether the warning of a speed without unit has been given
        self._begin: dict[str, Callable[[OpenElement], None]] = {
            "platform": self._platform,
            "zone": lambda zone: self._builder.begin_zone(zone["id"], zone["routing"]),
            "trace": self._begin_trace,
        }
        self._end: dict[str, Callable[[OpenElement], None]] = {
            "config": self._set_config,
            "zone": lambda zone: self._builder.end_zone(zone.properties),
            "host": self._host,
            "peer": self._peer,
            "router": self._router,
            "link": self._link,
            "cluster": self._cluster,
            "cabinet": self._cabinet,
            "host_link": lambda link: self._builder.add_host_link(link["id"], link["up"], link["down"]),
            "backbone": self._backbone,
            "route": self._route,
            "zoneRoute": self._zone_route,
            "bypassRoute": lambda route: self._builder.add_bypass(route["src"], route["dst"], route.links),
            "bypassZoneRoute": self._zone_bypass,
            "trace": self._end_trace,
            "trace_connect": self._connect,
        }

    def begin(self, element: OpenElement) -> None:
        """Interpret the start tag of an XML element."""
        if act := self._begin.get(element.tag):
            act(element)

    def end(self, element: OpenElement, outer: OpenElement | None) -> None:
        """Interpret the end tag of an element that is a child of ``outer``."""
        if element.tag == "prop" and outer is not None:
            if element["id"] in outer.properties:
                raise PlatformError(f"property {element['id']!r} is given twice")
            outer.properties[element["id"]] = element["value"]
            if outer.tag == "config":
                self._config_places[element["id"]] = str(element.place)
        elif element.tag == "link_ctn" and outer is not None:
            outer.links.append(LinkInRoute(element["id"], element["direction"]))
        elif element.tag == "disk" and outer is not None:
            outer.disks.append(element)
        elif act := self._end.get(element.tag):
            act(element)

    def finish(self, source: str) -> Platform:
        """Return the platform, after all elements have been read."""
        for connection in self._connections:
            self._builder.place = connection.place
            try:
                self._add_profile(connection.kind, connection.element, self._traces[connection.trace][0])
            except PlatformError as error:
                raise error if error.place else error_at(connection.place, str(error)) from None
        return self._builder.finish(source, self._config, self._config_places)

    # The file as a whole

    def _platform(self, element: OpenElement) -> None:
        version = element["version"]
        if version not in VERSIONS:
            raise PlatformError(
                f"version {version!r} of the platform format is not supported (valid: {', '.join(VERSIONS)}; "
                "simgrid_update_xml updates older files)"
            )

    def _set_config(self, element: OpenElement) -> None:
        if self._builder.has_zones:
            raise PlatformError("<config> comes after a zone or cluster; move it before all of them")
        for name, value in element.properties.items():
            if name in self._config:
                raise PlatformError(f"option {name!r} is set twice")
            self._config[name] = value

    # Hosts, routers and links

    def _speed(self, element: OpenElement) -> float:
        return units.parse_speed(self._with_unit(element), f"speed of {element}")

    def _speeds(self, element: OpenElement) -> list[float]:
        return units.parse_speeds(self._with_unit(element), f"speed of {element}")

    def _with_unit(self, element: OpenElement) -> str:
        """Return the text of an element's speeds, with the unit flop/s added if none has a unit, as in old files.

        A warning is given for the first such element of a file.
        """
        text = element["speed"]
        speeds = text.split(",")
        if len(text) > LONGEST_PLAIN or not all(
            PLAIN_NUMBER.fullmatch(each) and 0 < float(each) < math.inf for each in speeds
        ):
            return text
        if not self._without_unit:
            self._without_unit = True
            warnings.warn(
                f"{element.place}: speed {text!r} of {element} has no unit and is taken in flop/s, as are all speeds "
                f"of this file without unit; write '{speeds[0].strip()}f'",
                PlatformWarning,
                stacklevel=2,
            )
        return ",".join(f"{each.strip()}f" for each in speeds)

    def _host(self, element: OpenElement) -> None:
        self._builder.add_host(
            element["id"],
            self._speeds(element),
            cores=units.parse_whole_number(element["core"], f"core of {element}", 1),
            pstate=units.parse_whole_number(element["pstate"].removesuffix(".0"), f"pstate of {element}", 0),
            coordinates=_coordinates(element),
            properties=element.properties,
        )
        for disk in element.disks:
            try:
                self._add_disk(element["id"], disk)
            except PlatformError as error:
                raise error if error.place else error_at(disk.place, str(error)) from None
        self._add_host_profiles(element)

    def _add_disk(self, host: str, disk: OpenElement) -> None:
        read, write = (units.parse_bandwidth(disk[name], f"{name} of {disk}") for name in ("read_bw", "write_bw"))
        self._builder.add_disk(host, disk["id"], read, write, disk.properties)

    def _peer(self, element: OpenElement) -> None:
        if units.parse_time(element["lat"] or "0", f"lat of {element}") > 0:
            raise PlatformError(
                f"lat of {element} has no meaning in SimGrid; add it to the third of its coordinates, in milliseconds"
            )
        self._builder.add_peer(
            element["id"],
            self._speed(element),
            units.parse_bandwidth(element["bw_in"], f"bw_in of {element}"),
            units.parse_bandwidth(element["bw_out"], f"bw_out of {element}"),
            _coordinates(element),
        )
        self._add_host_profiles(element)

    def _router(self, element: OpenElement) -> None:
        self._builder.add_router(element["id"], _coordinates(element))

    def _link(self, element: OpenElement) -> None:
        bandwidths = units.parse_bandwidths(element["bandwidth"], f"bandwidth of {element}")
        policy = element["sharing_policy"]
        if policy == "WIFI":
            raise PlatformError(
                f"{element}: WIFI links are not simulated; for stations that share one medium use a SHARED link"
            )
        if len(bandwidths) > 1:
            raise PlatformError(f"{element} has {len(bandwidths)} bandwidths; only WIFI links have more than one")
        self._builder.add_link(
            element["id"],
            bandwidths[0],
            units.parse_time(element["latency"], f"latency of {element}"),
            "SPLITDUPLEX" if policy == "FULLDUPLEX" else policy,
            element.properties,
        )
        for attribute, kind in (
            ("bandwidth_file", "BANDWIDTH"),
            ("latency_file", "LATENCY"),
            ("state_file", "LINK_AVAIL"),
        ):
            self._add_profile_file(element, attribute, kind)

    # Clusters

    def _cluster(self, element: OpenElement) -> None:
        def bandwidth(attribute: str) -> float:
            text = element[attribute]
            return units.parse_bandwidth(text, f"{attribute} of {element}") if text.strip("0. ") else 0.0

        def latency(attribute: str) -> float:
            return units.parse_time(element[attribute] or "0", f"{attribute} of {element}")

        topology = element["topology"]
        kind = TOPOLOGIES[topology]
        if element["bb_bw"] and not kind.has_router:
            valid = ", ".join(name for name, other in TOPOLOGIES.items() if other.has_router)
            raise PlatformError(f"bb_bw is for clusters of topology {valid}; {element['id']!r} is a {topology}")
        if element["topo_parameters"] and not kind.syntax:
            raise PlatformError(
                f"topo_parameters {element['topo_parameters']!r} of cluster {element['id']!r}: topology {topology} "
                "takes none; remove them or set topology"
            )
        for attribute, partner in (("loopback_bw", "loopback_lat"), ("bb_bw", "bb_lat")):
            if latency(partner) > 0 and bandwidth(attribute) == 0:
                raise PlatformError(f"{element} has {partner} but no {attribute}")
        loopback = bandwidth("loopback_bw")
        backbone = bandwidth("bb_bw")
        self._builder.add_cluster(
            ClusterDescription(
                element["id"],
                element["prefix"],
                element["suffix"],
                parse_radical(element["radical"]),
                self._speeds(element),
                units.parse_bandwidth(element["bw"], f"bw of {element}"),
                latency("lat"),
                cores=units.parse_whole_number(element["core"], f"core of {element}", 1),
                split_duplex=element["sharing_policy"] in ("SPLITDUPLEX", "FULLDUPLEX"),
                topology=topology,
                parameters=element["topo_parameters"],
                loopback=(loopback, latency("loopback_lat")) if loopback else None,
                limiter=bandwidth("limiter_link"),
                backbone=(backbone, latency("bb_lat"), element["bb_sharing_policy"]) if backbone else None,
                # SimGrid ignores the name of the router in topologies that have none.
                router=element["router_id"] if kind.has_router else "",
                properties=element.properties,
            )
        )

    def _cabinet(self, element: OpenElement) -> None:
        self._builder.add_cabinet(
            Cabinet(
                element["id"],
                element["prefix"],
                element["suffix"],
                parse_radical(element["radical"]),
                self._speed(element),
                units.parse_bandwidth(element["bw"], f"bw of {element}"),
                units.parse_time(element["lat"], f"lat of {element}"),
            )
        )

    def _backbone(self, element: OpenElement) -> None:
        self._builder.add_backbone(
            element["id"],
            units.parse_bandwidth(element["bandwidth"], f"bandwidth of {element}"),
            units.parse_time(element["latency"], f"latency of {element}"),
        )

    # Routes

    def _route(self, element: OpenElement) -> None:
        self._builder.add_route(element["src"], element["dst"], element.links, symmetrical=_symmetrical(element))

    def _zone_route(self, element: OpenElement) -> None:
        self._builder.add_zone_route(
            element["src"],
            element["dst"],
            element["gw_src"],
            element["gw_dst"],
            element.links,
            symmetrical=_symmetrical(element),
        )

    def _zone_bypass(self, element: OpenElement) -> None:
        self._builder.add_zone_bypass(
            element["src"], element["dst"], element["gw_src"], element["gw_dst"], element.links
        )

    # Profiles

    def _begin_trace(self, element: OpenElement) -> None:
        text = element["periodicity"]
        if not PLAIN_NUMBER.fullmatch(text):
            raise PlatformError(f"periodicity {text!r} of {element} is not a number of seconds")
        if not element["file"]:
            element.profile = ProfileText(element.place, float(text))

    def _end_trace(self, element: OpenElement) -> None:
        name = element["id"]
        if name in self._traces:
            first = self._traces[name][1].seen_from(element.place)
            raise PlatformError(f"{element} is described twice; first in {first}")
        if element.profile is None:
            profile = self._read_profile(element, "file")
        else:
            profile = element.profile.finish()
            self._count(profile)
        self._traces[name] = profile, element.place

    def _connect(self, element: OpenElement) -> None:
        if element["trace"] not in self._traces:
            raise PlatformError(
                f"trace {element['trace']!r} is not defined above this trace_connect (valid: "
                f"{', '.join(self._traces) or 'none'})"
            )
        self._connections.append(Connection(element["kind"], element["trace"], element["element"], element.place))

    def _add_host_profiles(self, element: OpenElement) -> None:
        if element["availability_file"] and element["speed_file"]:
            raise PlatformError(f"{element} has an availability_file and a speed_file, which mean the same; remove one")
        self._add_profile_file(element, "availability_file", "SPEED")
        self._add_profile_file(element, "speed_file", "SPEED")
        self._add_profile_file(element, "state_file", "HOST_AVAIL")

    def _add_profile_file(self, element: OpenElement, attribute: str, kind: str) -> None:
        if element[attribute]:
            self._add_profile(kind, element["id"], self._read_profile(element, attribute))

    def _add_profile(self, kind: str, name: str, profile: Profile) -> None:
        self._builder.add_profile(KINDS[kind], name, profile)

    def _read_profile(self, element: OpenElement, attribute: str) -> Profile:
        path = files.find(element[attribute], os.path.dirname(element.place.file))
        if path not in self._profiles:
            try:
                self._profiles[path] = read_profile(path)
            except PlatformError as error:
                if error.place is None:
                    raise
                raise with_context(error, f"{attribute} of {element}, {element.place}") from None
            self._count(self._profiles[path])
        return self._profiles[path]

    def _count(self, profile: Profile) -> None:
        self._profile_events += len(profile.dates)
        if self._profile_events > MAX_PROFILE_EVENTS:
            raise PlatformError(f"all profiles together have more than {MAX_PROFILE_EVENTS} events; shorten them")


def _coordinates(element: OpenElement) -> tuple[float, ...]:
    text = element["coordinates"]
    return units.parse_coordinates(text, f"coordinates of {element}") if text else ()


def _symmetrical(element: OpenElement) -> bool:
    return element["symmetrical"].upper() == "YES"
