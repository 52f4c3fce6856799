"""Command ``pysmpi platform``: check, describe and draw a platform."""

import argparse
import math
import os
import sys
import textwrap
from typing import TYPE_CHECKING

from pysmpi.errors import PlatformError, PysmpiError
from pysmpi.util.columns import aligned
from pysmpi.util.commands.parser import Parser
from pysmpi.util.quantities import counted, human_bandwidth, human_seconds, human_speed

if TYPE_CHECKING:
    from pysmpi.platform import Platform

__all__ = ["main"]

_WRONG = 1
_ABOUT = 64  # characters of a platform's description in the list
_PROPERTIES = ("title", "cpu", "fabric", "host-memory-bandwidth", "watts", "price", "source")
_SHOWN = 8  # largest number of bandwidths, speeds and link names that are listed


def main(words: list[str]) -> int:
    """Run ``pysmpi platform`` and return the exit status, which is 1 if a checked platform has an error."""
    parser = Parser(prog="pysmpi platform", description="Check, describe or draw a platform before simulating on it.")
    machine = "the machine, as for pysmpirun"
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    check = commands.add_parser("check", help="report errors in platforms, with file and line")
    check.add_argument("files", nargs="+", metavar="FILE", help=machine)
    known = commands.add_parser("list", help="list the platforms that come with pysmpi, for --platform NAME")
    known.add_argument("--json", action="store_true", help="print JSON")
    info = commands.add_parser("info", help="print hosts, links, speeds, distances and bisection bandwidth")
    info.add_argument("file", metavar="FILE", help=machine)
    info.add_argument("--json", action="store_true", help="print numbers of parts, and seconds to build them, as JSON")
    route = commands.add_parser("route", help="print the links from one host to another, with latencies and bandwidths")
    route.add_argument("source", metavar="A", help="host at the start of the route")
    route.add_argument("destination", metavar="B", help="host at the end of the route")
    route.add_argument("file", metavar="FILE", help=machine)
    draw = commands.add_parser("draw", help="draw hosts, switches and links")
    draw.add_argument("file", metavar="FILE", help=machine)
    draw.add_argument(
        "-o",
        "--output",
        metavar="PICTURE",
        help="NAME.svg, .png or .pdf (default: name of FILE with .svg, in the working directory)",
    )
    draw.add_argument("--hosts", type=int, metavar="N", help="largest number of hosts to draw (default 96)")
    arguments = parser.parse_args(words)
    act = {"check": _check, "list": _list, "info": _info, "route": _route, "draw": _draw}[arguments.command]
    return act(arguments)


def _read(file: str) -> "Platform":
    from pysmpi.platform import read

    return read(file)


def _check(arguments: argparse.Namespace) -> int:
    from pysmpi.platform.survey import survey
    from pysmpi.simulation.settings.configuration import Configuration

    status = 0
    for file in arguments.files:
        try:
            platform = _read(file)
            configuration = Configuration()
            configuration.update_from(platform)
            configuration.check()
        except PysmpiError as error:
            print(error, file=sys.stderr)
            status = _WRONG
            continue
        found = survey(platform)
        looked_at = "" if found.examined == found.hosts else f" (of {counted(found.examined, 'host')}, spread evenly)"
        if found.unreachable:
            (source, destination), *_ = found.unreachable
            pairs = counted(found.unreachable_count, "pair")
            example = f"such as {source!r} to {destination!r}"
            print(f"{file}: {pairs} of hosts{looked_at} cannot reach each other, {example}", file=sys.stderr)
            status = _WRONG
        else:
            print(f"{file}: {counted(found.hosts, 'host')}, {counted(found.links, 'link')}; every host reaches every "
                  f"other{looked_at}")  # fmt: skip
        if found.unused:
            names = ", ".join(found.unused[:_SHOWN]) + (", …" if len(found.unused) > _SHOWN else "")
            print(f"{file}: note: no route crosses {counted(len(found.unused), 'link')}: {names}")
    return status


def _list(arguments: argparse.Namespace) -> int:
    from pysmpi.platform.catalogue import describe, named

    entries = [describe(name, file) for name, file in named().items()]
    if arguments.json:
        import dataclasses
        import json

        print(json.dumps([dataclasses.asdict(entry) for entry in entries]))
        return 0
    rows = [("name", "hosts", "cores", "peak", "fabric", "memory", "watts", "price", "about")]
    for each in entries:
        memory, watts, price = (each.properties.get(name) for name in ("host-memory-bandwidth", "watts", "price"))
        rows.append(
            (
                each.name,
                f"{each.hosts:,}",
                f"{each.cores:,}",
                human_speed(each.speed),
                each.properties.get("fabric", "-"),
                "-" if memory is None else human_bandwidth(float(memory)),
                watts or "-",
                price or "-",
                textwrap.shorten(each.about, _ABOUT, placeholder=" …"),
            )
        )
    print("\n".join(aligned(rows, right=[1, 2, 3, 5])))
    print(
        "\nmemory: bandwidth of a host; watts and price: of a host, where public; more by 'pysmpi platform info NAME'"
    )
    return 0


def _info(arguments: argparse.Namespace) -> int:
    from pysmpi.platform import bisection_bandwidth
    from pysmpi.platform.survey import survey

    if arguments.json:
        return _print_parts(arguments.file)
    platform = _read(arguments.file)
    found = survey(platform)
    first = platform.hosts[0]
    rows = [
        ("hosts", f"{found.hosts:,}"),
        ("cores", f"{found.cores:,}"),
        ("links", f"{found.links:,} (a split one is two)"),
        ("peak", human_speed(found.peak)),
    ]
    rows += _classes("speed", "host", [(human_speed(each), count) for each, count in found.speeds])
    rows += _classes("bandwidth", "link", [(human_bandwidth(each), count) for each, count in found.bandwidths])
    if found.hops is not None and found.latencies is not None:
        of = "" if found.examined == found.hosts else f" between {counted(found.examined, 'host')}, spread evenly"
        rows.append(("route", f"{found.hops[0]} to {found.hops[1]} links{of}"))
        rows.append(("latency", " to ".join(map(human_seconds, found.latencies)) + of))
    bisection = bisection_bandwidth(platform)
    if bisection is not None:
        rows.append(("bisection", "nothing limits" if math.isinf(bisection) else human_bandwidth(bisection)))
    rows += [(name, first.properties[name]) for name in _PROPERTIES if name in first.properties]
    rows += [("option", f"{name}:{value}") for name, value in platform.config.items()]
    width = max(len(name) for name, _ in rows)
    print("\n".join(f"{name:{width}}  {text}" for name, text in rows))
    return 0


def _print_parts(file: str) -> int:
    """Print the numbers of hosts, switches and links, and the seconds to build them, as JSON.

    The number of switches is null if they cannot be counted: zones do not name switches, and large platforms are not
    searched for them.
    """
    import json
    import time

    from pysmpi.platform.platform_parts import parts_of

    begin = time.perf_counter()
    platform = _read(file)
    seconds = time.perf_counter() - begin
    try:
        switches: int | None = parts_of(platform).switches
    except PlatformError:
        switches = None
    found = {"hosts": len(platform.hosts), "switches": switches, "links": len(platform.links), "seconds": seconds}
    print(json.dumps(found))
    return 0


def _classes(name: str, of: str, classes: list[tuple[str, int]]) -> list[tuple[str, str]]:
    rows = [(name, f"{text} ({counted(count, of)})") for text, count in classes[:_SHOWN]]
    return rows + ([(name, f"… {len(classes) - _SHOWN} more")] if len(classes) > _SHOWN else [])


def _route(arguments: argparse.Namespace) -> int:
    if not os.path.exists(arguments.file) and os.path.isfile(arguments.source):
        raise PlatformError(f"{arguments.source!r} is a file; give the platform last: route A B FILE")
    route = _read(arguments.file).route(arguments.source, arguments.destination)
    rows = [("link", "latency", "bandwidth", "")]
    for link in route.links:
        policy = "" if link.policy == "SHARED" else link.policy
        rows.append((link.name, human_seconds(link.latency), human_bandwidth(link.bandwidth), policy))
    narrowest = min((link.bandwidth for link in route.links), default=None)
    total = counted(len(route.links), "link")
    rows.append((total, human_seconds(route.latency), "" if narrowest is None else human_bandwidth(narrowest), ""))
    print("\n".join(aligned(rows, right=[1, 2])))
    return 0


def _draw(arguments: argparse.Namespace) -> int:
    import pathlib

    from pysmpi.platform.drawing import MOST_HOSTS, draw

    described = pathlib.Path(arguments.file)  # a file, or a cluster such as fattree:2/4,4/1,2/1,2
    name = described.stem if described.exists() else arguments.file.partition(":")[0]
    picture = arguments.output or f"{name}.svg"
    draw(_read(arguments.file), picture, hosts=arguments.hosts or MOST_HOSTS)
    print(picture)
    return 0
