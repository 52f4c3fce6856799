"""Names in a platform description (zones, hosts, routers, links) and the places where they are described."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pysmpi.errors import PlatformError, did_you_mean, unknown
from pysmpi.native import ffi, lib
from pysmpi.platform.cluster import Radical
from pysmpi.platform.source_location import Place

__all__ = ["MAX_NAME", "NOWHERE", "Cabinet", "Names", "OpenZone"]

NOWHERE = 2**32 - 1
MAX_NAME = 255  # characters

Points = Literal["hosts and routers", "zones"]


@dataclass(frozen=True, slots=True)
class Cabinet:
    """Equal hosts of a zone with routing Cluster, each with its own link up and link down."""

    name: str
    prefix: str
    suffix: str
    radical: Radical
    speed: float
    bandwidth: float
    latency: float


@dataclass
class OpenZone:
    """A zone whose description has begun but has not ended."""

    index: int
    name: str
    routing: str
    holds: Points | None = None
    members: int = 0
    backbone: int | None = None
    cabinets: list[Cabinet] = field(default_factory=list)
    host_links: list[tuple[str, int, int]] = field(default_factory=list)


class Names:
    """The names in use, and the open zones. Methods raise PlatformError for unknown or duplicate names."""

    def __init__(self) -> None:
        self.place: Place | None = None
        """Place of the next description if it is in a file, otherwise None."""
        self._handle = ffi.gc(lib.pysmpi_platform_new(), lib.pysmpi_platform_free)
        self._open: list[OpenZone] = []
        self._zones: dict[str, Place | None] = {}
        self._zone_names: list[str] = []  # by zone id
        self._nodes: dict[str, Place | None] = {}
        self._links: dict[str, Place | None] = {}
        self._split_links: set[str] = set()

    def _first_at(self, first: Place | None) -> str:
        return "" if first is None else f"; first in {first.seen_from(self.place)}"

    def _enter_name(self, names: dict[str, Place | None], name: str, kind: str) -> None:
        if not name:
            raise PlatformError(f"the name of a {kind} is empty")
        if len(name) > MAX_NAME:
            raise PlatformError(f"the name of a {kind} has {len(name)} characters; the limit is {MAX_NAME}")
        if name in names:
            raise PlatformError(f"{kind} {name!r} is described twice{self._first_at(names[name])}")
        names[name] = self.place

    def _enter_zone(self, name: str) -> None:
        if self._open:
            outer = self._zone_for(f"zone {name!r}", "zones")
            if outer.routing == "Vivaldi":
                raise PlatformError(
                    f"zone {name!r} is in zone {outer.name!r} of routing Vivaldi, which needs coordinates that zones "
                    "do not have (nor does SimGrid 3.32 find a route there); use routing Full and list zoneRoutes"
                )
            outer.members += 1
        elif self._zone_names:
            raise PlatformError(f"zone {name!r} is a second root; put all zones into one, with zoneRoutes between them")
        self._enter_name(self._zones, name, "zone")
        self._zone_names.append(name)

    def _enter_node(self, name: str) -> None:
        self._zone_for(f"{name!r}", "hosts and routers").members += 1
        self._enter_name(self._nodes, name, "host or router")

    def _zone_for(self, what: str, points: Points | None = None) -> OpenZone:
        if not self._open:
            raise PlatformError(f"{what} is outside any zone")
        zone = self._open[-1]
        if points is not None:
            if zone.holds not in (None, points):
                raise PlatformError(f"{what}: zone {zone.name!r} contains {zone.holds}; it cannot contain {points} too")
            zone.holds = points
        return zone

    def _zone_of_routing(self, routing: str, what: str) -> OpenZone:
        zone = self._zone_for(what, "hosts and routers")
        if zone.routing != routing:
            raise PlatformError(
                f"{what} belongs in a zone of routing {routing}; {zone.name!r} has routing {zone.routing}"
            )
        return zone

    def _find_zone(self, name: str) -> int:
        zone: int = lib.pysmpi_platform_find_zone(self._handle, name.encode())
        if zone < 0:
            raise PlatformError(unknown("zone", name, self._zones))
        return zone

    def _find_host(self, name: str) -> int:
        host: int = lib.pysmpi_platform_find_host(self._handle, name.encode())
        if host < 0:
            raise PlatformError(self._unknown_node("host", name))
        return host

    def _find_node(self, name: str) -> int:
        point: int = lib.pysmpi_platform_find_node(self._handle, name.encode())
        if point < 0:
            raise PlatformError(self._unknown_node("host or router", name))
        return point

    def _node_in_zone(self, name: str) -> int:
        point = self._find_node(name)
        if point >> 32 != self._open[-1].index:
            raise PlatformError(f"{name!r} is not in zone {self._open[-1].name!r}, which lists the route")
        return point

    def _unknown_node(self, kind: str, name: str) -> str:
        hint = did_you_mean(name, self._nodes)
        return f"unknown {kind} {name!r}{hint}"

    def _find_link(self, name: str) -> int:
        if name in self._split_links:
            raise PlatformError(f"link {name!r} is split (SPLITDUPLEX); give direction UP or DOWN, or name one "
                                f"direction: '{name}_UP', '{name}_DOWN'")  # fmt: skip
        link: int = lib.pysmpi_platform_find_link(self._handle, name.encode())
        if link < 0:
            raise PlatformError(unknown("link", name, self._links))
        return link

    def _find_directions(self, name: str) -> tuple[int, int] | None:
        up, down = (
            lib.pysmpi_platform_find_link(self._handle, f"{name}_{direction}".encode()) for direction in ("UP", "DOWN")
        )
        return (up, down) if up >= 0 and down >= 0 and name not in self._links else None

    def _place_of(self, name: str, zone: int) -> Place | None:
        """Return the file and line where a host is described, or the cluster that contains it."""
        names: Mapping[str, Place | None] = self._nodes if zone == NOWHERE else self._zones
        return names.get(name if zone == NOWHERE else self._zone_names[zone])
