"""Reading SimGrid's platform files: XML after simgrid.dtd, versions 4.0 and 4.1.

The file is streamed through expat. Nothing outside it is ever read (no DTD, no external entities), and entities may not
be declared. Elements and attributes are checked against :mod:`pysmpi.platform.elements`; what they mean is left to
:class:`pysmpi.platform.builder.Builder`. Every error begins with ``FILE:LINE:``.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, TypeVar
from xml.parsers import expat

from pysmpi.errors import PlatformError, nearest, unknown
from pysmpi.platform import units
from pysmpi.platform.builder import Builder, Cabinet, LinkInRoute
from pysmpi.platform.cluster import ClusterDescription, parse_radical
from pysmpi.platform.elements import ALIASES, ELEMENTS, NOT_YET, REMOVED
from pysmpi.platform.machine import Platform

__all__ = ["read"]

Result = TypeVar("Result")

CHUNK = 65536
VERSIONS = ("4", "4.0", "4.1")
PROFILES = ("speed_file", "availability_file", "state_file", "bandwidth_file", "latency_file")


@dataclass
class OpenElement:
    """An element whose end has not been read yet."""

    tag: str
    attributes: dict[str, str]
    line: int
    properties: dict[str, str] = field(default_factory=dict)
    links: list[LinkInRoute] = field(default_factory=list)

    def __getitem__(self, attribute: str) -> str:
        return self.attributes[attribute]


class Reader:
    """Reads one file into a builder."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._builder = Builder()
        self._open: list[OpenElement] = []
        self._config: dict[str, str] = {}
        # Elements that others follow inside act when they begin; the rest when they end, with what they hold.
        self._begin: dict[str, Callable[[OpenElement], None]] = {
            "platform": self._platform,
            "zone": lambda zone: self._builder.begin_zone(zone["id"], zone["routing"]),
            "prop": self._prop,
            "link_ctn": self._link_ctn,
        }
        self._end: dict[str, Callable[[OpenElement], None]] = {
            "config": self._set_config,
            "zone": lambda _: self._builder.end_zone(),
            "host": self._host,
            "router": lambda router: self._builder.add_router(router["id"]),
            "link": self._link,
            "cluster": self._cluster,
            "cabinet": self._cabinet,
            "host_link": lambda link: self._builder.add_host_link(link["id"], link["up"], link["down"]),
            "backbone": self._backbone,
            "route": self._route,
            "zoneRoute": self._zone_route,
        }
        parser = self._parser = expat.ParserCreate()
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler = self._start_element
        parser.EndElementHandler = self._end_element
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._skipped_entity

    def read(self, file: IO[bytes]) -> Platform:
        """Read the file to its end."""
        try:
            while chunk := file.read(CHUNK):
                self._parser.Parse(chunk, False)
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            inside = f" inside <{self._open[-1].tag}> of line {self._open[-1].line}" if self._open else ""
            raise self._error(f"not well-formed XML{inside}: {expat.ErrorString(error.code)}", error.lineno) from None
        try:
            return self._builder.finish(self._path, self._config)
        except PlatformError as error:
            raise self._error(str(error), self._builder.line or self._parser.CurrentLineNumber) from None

    # Structure

    def _error(self, message: str, line: int) -> PlatformError:
        return PlatformError(f"{self._path}:{line}: {message}")

    def _located(self, line: int, act: Callable[..., Result], *arguments: object) -> Result:
        try:
            return act(*arguments)
        except PlatformError as error:
            raise self._error(str(error), line) from None

    def _start_element(self, tag: str, given: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        self._builder.line = line
        element = self._located(line, self._checked, ALIASES.get(tag, tag), given, line)
        self._open.append(element)
        if act := self._begin.get(element.tag):
            self._located(line, act, element)

    def _end_element(self, _: str) -> None:
        element = self._open.pop()
        self._builder.line = element.line
        if act := self._end.get(element.tag):
            self._located(element.line, act, element)

    def _checked(self, tag: str, given: dict[str, str], line: int) -> OpenElement:
        if tag in REMOVED:
            raise PlatformError(f"<{tag}> cannot be used: {REMOVED[tag]}")
        valid = ELEMENTS[self._open[-1].tag].children if self._open else frozenset({"platform"})
        if tag not in valid:
            outer = f"<{self._open[-1].tag}>" if self._open else "a platform file"
            usable = sorted(valid & ELEMENTS.keys())
            if tag in ELEMENTS or tag in NOT_YET:
                raise PlatformError(f"<{tag}> is not allowed in {outer} (valid: {', '.join(usable) or 'nothing'})")
            raise PlatformError(unknown(f"element in {outer}", tag, usable))
        if tag in NOT_YET:
            raise PlatformError(f"<{tag}> is not implemented yet")
        description = ELEMENTS[tag]
        attributes = {name: default for name, default in description.attributes.items() if default is not None}
        for name, value in given.items():
            if name not in description.attributes:
                raise PlatformError(unknown(f"attribute of <{tag}>", name, description.attributes))
            choices = description.choices.get(name)
            if choices is not None and value not in choices:
                raise PlatformError(unknown(f"{name} of <{tag}>", value, choices))
            if value and name in PROFILES:
                raise PlatformError(f"{name} of <{tag}> is not implemented yet")
            attributes[name] = value
        missing = [name for name in description.attributes if name not in attributes]
        if missing:
            wrong = nearest(missing[0], given.keys() - description.attributes.keys())
            raise PlatformError(f"<{tag}> lacks the attribute {missing[0]!r}" + (f" ({wrong!r}?)" if wrong else ""))
        return OpenElement(tag, attributes, line)

    def _text(self, text: str) -> None:
        if stray := text.strip():
            raise self._error(f"stray text {stray[:40]!r}", self._parser.CurrentLineNumber)

    def _entity(self, name: str, *_: object) -> None:
        raise self._error(
            f"entity {name!r} is declared; platform files must not declare entities", self._parser.CurrentLineNumber
        )

    def _skipped_entity(self, name: str, *_: object) -> None:
        raise self._error(f"unknown entity {name!r}", self._parser.CurrentLineNumber)

    # Elements

    def _platform(self, element: OpenElement) -> None:
        version = element["version"]
        if version not in VERSIONS:
            raise PlatformError(
                f"version {version!r} of the platform format is not supported (valid: {', '.join(VERSIONS)}; "
                "simgrid_update_xml updates older files)"
            )

    def _set_config(self, element: OpenElement) -> None:
        if self._builder.has_zones:
            raise PlatformError("<config> comes after a zone or cluster; it must come before all of them")
        self._config.update(element.properties)

    def _prop(self, element: OpenElement) -> None:
        self._open[-2].properties[element["id"]] = element["value"]

    def _link_ctn(self, element: OpenElement) -> None:
        self._open[-2].links.append(LinkInRoute(element["id"], element["direction"]))

    def _host(self, element: OpenElement) -> None:
        name = element["id"]
        self._builder.add_host(
            name,
            units.parse_speeds(element["speed"], f"speed of host {name!r}"),
            cores=_integer(element["core"], f"core of host {name!r}", 1),
            pstate=_integer(element["pstate"].removesuffix(".0"), f"pstate of host {name!r}", 0),
            properties=element.properties,
        )

    def _link(self, element: OpenElement) -> None:
        name = element["id"]
        bandwidths = units.parse_bandwidths(element["bandwidth"], f"bandwidth of link {name!r}")
        policy = element["sharing_policy"]
        if policy == "WIFI":
            raise PlatformError(f"sharing_policy WIFI of link {name!r} is not implemented yet")
        if len(bandwidths) > 1:
            raise PlatformError(f"link {name!r} has {len(bandwidths)} bandwidths; only WIFI links have more than one")
        self._builder.add_link(
            name,
            bandwidths[0],
            units.parse_time(element["latency"], f"latency of link {name!r}"),
            "SPLITDUPLEX" if policy == "FULLDUPLEX" else policy,
        )

    def _cluster(self, element: OpenElement) -> None:
        name = element["id"]

        def bandwidth(attribute: str) -> float:
            text = element[attribute]
            return units.parse_bandwidth(text, f"{attribute} of cluster {name!r}") if text.strip("0. ") else 0.0

        def latency(attribute: str) -> float:
            return units.parse_time(element[attribute] or "0", f"{attribute} of cluster {name!r}")

        topology = element["topology"]
        for attribute, topologies in (("bb_bw", "FLAT"), ("router_id", "FLAT")):
            if element[attribute] and topology != topologies:
                raise PlatformError(f"{attribute} is for clusters of topology {topologies}; {name!r} is a {topology}")
        if topology == "FLAT" and element["topo_parameters"]:
            raise PlatformError(f"topo_parameters are for topologies other than FLAT, but {name!r} is FLAT")
        for attribute, partner in (("loopback_bw", "loopback_lat"), ("bb_bw", "bb_lat")):
            if latency(partner) > 0 and bandwidth(attribute) == 0:
                raise PlatformError(f"cluster {name!r} has {partner} but no {attribute}")
        loopback = bandwidth("loopback_bw")
        backbone = bandwidth("bb_bw")
        self._builder.add_cluster(
            ClusterDescription(
                name,
                element["prefix"],
                element["suffix"],
                parse_radical(element["radical"]),
                units.parse_speeds(element["speed"], f"speed of cluster {name!r}"),
                units.parse_bandwidth(element["bw"], f"bw of cluster {name!r}"),
                latency("lat"),
                cores=_integer(element["core"], f"core of cluster {name!r}", 1),
                split_duplex=element["sharing_policy"] in ("SPLITDUPLEX", "FULLDUPLEX"),
                topology=topology,
                parameters=element["topo_parameters"],
                loopback=(loopback, latency("loopback_lat")) if loopback else None,
                limiter=bandwidth("limiter_link"),
                backbone=(backbone, latency("bb_lat"), element["bb_sharing_policy"]) if backbone else None,
                router=element["router_id"],
                properties=element.properties,
            )
        )

    def _cabinet(self, element: OpenElement) -> None:
        name = element["id"]
        self._builder.add_cabinet(
            Cabinet(
                name,
                element["prefix"],
                element["suffix"],
                parse_radical(element["radical"]),
                units.parse_speed(element["speed"], f"speed of cabinet {name!r}"),
                units.parse_bandwidth(element["bw"], f"bw of cabinet {name!r}"),
                units.parse_time(element["lat"], f"lat of cabinet {name!r}"),
            )
        )

    def _backbone(self, element: OpenElement) -> None:
        name = element["id"]
        self._builder.add_backbone(
            name,
            units.parse_bandwidth(element["bandwidth"], f"bandwidth of backbone {name!r}"),
            units.parse_time(element["latency"], f"latency of backbone {name!r}"),
        )

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


def _symmetrical(element: OpenElement) -> bool:
    return element["symmetrical"].upper() == "YES"


def _integer(text: str, what: str, least: int) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 9 and int(digits) >= least):
        raise PlatformError(f"{what} {text!r} is not a whole number from {least} to 999999999")
    return int(digits)


def read(path: str | os.PathLike[str]) -> Platform:
    """The platform that a file describes.

    Raises:
        PlatformError: the file cannot be opened, or what is wrong in which line.
    """
    text = os.fspath(path)
    try:
        with open(path, "rb") as file:
            return Reader(text).read(file)
    except OSError as error:
        raise PlatformError(f"{text}: cannot read the platform file: {error.strerror}") from None
