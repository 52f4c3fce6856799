"""Listed routes between hosts, routers and zones, and bypasses, which take precedence over other routes."""

from collections.abc import Sequence
from dataclasses import dataclass

from pysmpi.errors import PlatformError, unknown
from pysmpi.native import ffi, lib
from pysmpi.platform.names import NOWHERE, Names

__all__ = ["LinkInRoute", "Routes"]

INSTEAD = {"Cluster": "use host_link for the others", "Vivaldi": "the others follow from the coordinates"}


@dataclass(frozen=True, slots=True)
class LinkInRoute:
    """A link of a listed route, with the direction if it is split."""

    name: str
    direction: str = "NONE"
    """Direction of a split link, UP or DOWN; NONE for other links."""


class Routes(Names):
    """A builder of the routes of the open zone. Methods raise PlatformError for invalid routes."""

    def add_route(
        self, source: str, destination: str, links: Sequence[LinkInRoute], *, symmetrical: bool = True
    ) -> None:
        """Add the route between two hosts or routers of the open zone, and by default the way back."""
        zone = self._zone_for("route", "hosts and routers")
        what = f"route from {source!r} to {destination!r}"
        if zone.routing == "None":
            raise PlatformError(f"zone {zone.name!r} has routing None, which takes no routes")
        if zone.routing in INSTEAD and source != destination:
            raise PlatformError(
                f"{what}: in zone {zone.name!r} of routing {zone.routing} only a route from a host to itself can be "
                f"listed; {INSTEAD[zone.routing]}"
            )
        ends = self._node_in_zone(source), self._node_in_zone(destination)
        self._list_both_ways(what, ends, ends, links, symmetrical)

    def add_zone_route(
        self,
        source: str,
        destination: str,
        source_gateway: str,
        destination_gateway: str,
        links: Sequence[LinkInRoute],
        *,
        symmetrical: bool = True,
    ) -> None:
        """Add the route between two zones of the open zone; gateways are a host or router in each of them."""
        zone = self._zone_for("zoneRoute", "zones")
        what = f"zoneRoute from {source!r} to {destination!r}"
        if zone.routing in ("None", "Cluster"):
            raise PlatformError(f"zone {zone.name!r} has routing {zone.routing} and takes no zoneRoutes")
        if source_gateway == destination_gateway:
            raise PlatformError(f"{what}: both gateways are {source_gateway!r}")
        ends = []
        gateways = []
        for name, gateway in ((source, source_gateway), (destination, destination_gateway)):
            inner, point = self._zone_and_gateway(what, name, gateway)
            ends.append(lib.pysmpi_platform_zone_point(self._handle, inner))
            if ends[-1] >> 32 != zone.index:
                raise PlatformError(f"{what}: zone {name!r} is not in zone {zone.name!r}, which lists the route")
            gateways.append(point)
        self._list_both_ways(what, (ends[0], ends[1]), (gateways[0], gateways[1]), links, symmetrical)

    def add_bypass(self, source: str, destination: str, links: Sequence[LinkInRoute]) -> None:
        """Add a route between two hosts or routers, in this direction only, that takes precedence over other routes."""
        self._zone_for("bypassRoute", "hosts and routers")
        what = f"bypassRoute from {source!r} to {destination!r}"
        ends = self._node_in_zone(source), self._node_in_zone(destination)
        self._list_bypass(what, (ends[0] & NOWHERE, ends[1] & NOWHERE), ends, links)

    def add_zone_bypass(
        self,
        source: str,
        destination: str,
        source_gateway: str,
        destination_gateway: str,
        links: Sequence[LinkInRoute],
    ) -> None:
        """Add a route from one zone to another, in this direction only, that takes precedence over other routes.

        The zones may be nested at any depth in the open zone, which must be the innermost zone that contains both.
        """
        zone = self._zone_for("bypassZoneRoute", "zones")
        what = f"bypassZoneRoute from {source!r} to {destination!r}"
        ends = []
        gateways = []
        for name, gateway in ((source, source_gateway), (destination, destination_gateway)):
            inner, point = self._zone_and_gateway(what, name, gateway)
            ends.append(inner)
            gateways.append(point)
        members = [self._member_around(what, inner) for inner in ends]
        if members[0] == members[1]:
            both = self._zone_names[members[0]]
            raise PlatformError(
                f"{what}: zone {both!r} contains both, so no message would use a bypass of zone {zone.name!r}; list it "
                f"in the innermost zone that contains both"
                if members[0] not in ends
                else f"{what}: one of the two zones contains the other, so no message would use this bypass; remove it"
            )
        self._list_bypass(what, (ends[0], ends[1]), (gateways[0], gateways[1]), links)

    def _zone_and_gateway(self, what: str, name: str, gateway: str) -> tuple[int, int]:
        try:
            zone = self._find_zone(name)
        except PlatformError as error:
            raise PlatformError(f"{what}: {error}") from None
        point = self._find_node(gateway)
        if not lib.pysmpi_platform_zone_holds(self._handle, zone, point):
            raise PlatformError(f"{what}: gateway {gateway!r} is not in zone {name!r}")
        return zone, point

    def _member_around(self, what: str, zone: int) -> int:
        """Return the zone directly inside the open zone that contains the given zone or is the given zone."""
        inner = zone
        while (outer := lib.pysmpi_platform_zone_point(self._handle, inner) >> 32) != self._open[-1].index:
            if outer == NOWHERE:
                raise PlatformError(
                    f"{what}: zone {self._zone_names[zone]!r} is not within zone {self._open[-1].name!r}, which "
                    "lists the route"
                )
            inner = outer
        return inner

    def _links_both_ways(self, what: str, links: Sequence[LinkInRoute]) -> list[tuple[int, int]]:
        """Return a pair for each link of the route: the link itself, and the link for the way back."""
        if not links:
            raise PlatformError(f"{what} has no links; list them with link_ctn")
        return [self._find_both_ways(link) for link in links]

    def _find_both_ways(self, link: LinkInRoute) -> tuple[int, int]:
        if link.direction == "NONE":
            index = self._find_link(link.name)
            return index, index
        if link.name in self._links:
            raise PlatformError(
                f"link {link.name!r} is not split (SPLITDUPLEX), so it has no direction {link.direction}"
            )
        directions = self._find_directions(link.name)
        if directions is None:
            raise PlatformError(unknown("link", link.name, sorted(self._split_links) or self._links))
        return directions if link.direction == "UP" else directions[::-1]

    def _list_both_ways(
        self,
        what: str,
        ends: tuple[int, int],
        gateways: tuple[int, int],
        links: Sequence[LinkInRoute],
        symmetrical: bool,
    ) -> None:
        both_ways = self._links_both_ways(what, links)
        forth = ffi.new("uint32_t[]", [link for link, _ in both_ways])
        if lib.pysmpi_platform_add_route(self._handle, *ends, *gateways, len(both_ways), forth) < 0:
            raise PlatformError(f"{what} is listed twice (a route includes the way back unless symmetrical is NO)")
        if symmetrical and ends[0] != ends[1]:
            back = ffi.new("uint32_t[]", [link for _, link in reversed(both_ways)])
            if lib.pysmpi_platform_add_route(self._handle, *ends[::-1], *gateways[::-1], len(both_ways), back) < 0:
                raise PlatformError(f'{what}: the way back is listed already; set symmetrical="NO"')

    def _list_bypass(
        self, what: str, ends: tuple[int, int], gateways: tuple[int, int], links: Sequence[LinkInRoute]
    ) -> None:
        forth = ffi.new("uint32_t[]", [link for link, _ in self._links_both_ways(what, links)])
        if lib.pysmpi_platform_add_bypass(self._handle, *ends, *gateways, len(links), forth) < 0:
            raise PlatformError(f"{what} is listed twice")
