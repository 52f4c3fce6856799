"""Explanation of the duration of one message, term by term: ``pysmpi.explain``.

The terms come from the simulation's own code, which carries the message over a network without other messages.
"""

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from pysmpi.errors import LaunchError, SimulationError
from pysmpi.native import ffi, lib
from pysmpi.platform import Platform, read
from pysmpi.platform.machine import Link
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.network_models import NetworkModel

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Terms of the duration of one message on a network without other messages. Times are in seconds, sizes in bytes.

    Attributes:
        source: name of the sender's host.
        destination: name of the receiver's host; the receive is posted before the message is sent.
        size: size of the program's data.
        model: value of network/model.
        call: sending function: MPI_Send, MPI_Isend, MPI_Ssend or MPI_Issend.
        eager: True if the message may leave before its receive is posted.
        detached: True if the sender does not wait for the message.
        send_overhead: time before the message leaves (smpi/os, smpi/ois, loggps/o).
        handshake: time of LogGPS's rendezvous: a request and a reply.
        links: links of the route; empty under models without routes.
        route_latency: sum of the links' latencies.
        latency_factor: factor on this latency for messages of this size.
        end_latency: latency of adapters and library (fabric/latency, fabric/loopback-latency).
        latency: time until the bytes begin to move; under Constant, the time of every message.
        wire_size: data and, if messages are flows, 16 bytes of envelope.
        bandwidth_factor: factor on bandwidths for messages of this size.
        bottleneck: link with the lowest bandwidth, or None; under Packets, of the links that packets queue for.
        window: bytes/s that TCP's window permits, or None for no limit.
        rate: delivery rate in bytes/s. The message shares links with its own acknowledgements on the way back
            (network/crosstraffic) if they use the same links.
        held_by: link or setting that limits the rate; empty if nothing does.
        transfer: time while the bytes move.
        receive_overhead: time after the message has arrived (smpi/or, loggps/o).
        total: time until the receive is complete.
    """

    source: str
    destination: str
    size: int
    model: str
    call: str
    eager: bool
    detached: bool
    send_overhead: float
    handshake: float
    links: tuple[Link, ...]
    route_latency: float
    latency_factor: float
    end_latency: float
    latency: float
    wire_size: float
    bandwidth_factor: float
    bottleneck: Link | None
    window: float | None
    rate: float
    held_by: str
    transfer: float
    receive_overhead: float
    total: float

    def as_dict(self) -> dict[str, Any]:
        """Return all attributes as JSON types; a link is a dict of name, latency, bandwidth and policy."""

        def link(one: Link) -> dict[str, Any]:
            return {"name": one.name, "latency": one.latency, "bandwidth": one.bandwidth, "policy": one.policy}

        values = {each.name: getattr(self, each.name) for each in fields(self)}
        values["links"] = [link(each) for each in self.links]
        values["bottleneck"] = None if self.bottleneck is None else link(self.bottleneck)
        return values


def explain(
    platform: str | os.PathLike[str] | Platform,
    source: str,
    destination: str,
    size: int,
    *,
    cfg: Mapping[str, Any] | Iterable[str] = (),
    smpi: bool | None = None,
    mpi: str | None = None,
    fabric: str | None = None,
    nonblocking: bool = False,
    synchronous: bool = False,
) -> Explanation:
    """Explain the duration of one message, from the call that sends it to the end of its receive.

    Args:
        platform: a platform, or the path of a platform file.
        source: name of the sender's host.
        destination: name of the receiver's host.
        size: size of the data in bytes.
        cfg: settings by SimGrid's names: a mapping, or strings of the form KEY:VALUE.
        smpi: whether to take SMPI's defaults; `smpi`, `mpi` and `fabric` are as for `pysmpi.simulate`.
        mpi: MPI library, or None.
        fabric: network technology, or None.
        nonblocking: True if the sender calls MPI_Isend or MPI_Issend.
        synchronous: True if the sender calls MPI_Ssend or MPI_Issend.

    Raises:
        ConfigurationError: a setting is unknown, not valid or without effect.
        PlatformError: the platform file is malformed, a host is unknown, or no route joins them.
        SimulationError: a simulation is under way in this process.
        LaunchError: the size is negative.
    """
    if lib.pysmpi_rank_count() > 0:
        raise SimulationError("a simulation is running in this process; call explain after its end")
    if size < 0:
        raise LaunchError(f"size {size} is negative; give 0 or more bytes")
    machine = platform if isinstance(platform, Platform) else read(os.fspath(platform))
    configuration = Configuration()
    configuration.update_from(machine)
    configuration.choose(smpi, mpi, fabric, "argument")
    configuration.update(cfg, "cfg")
    configuration.hand_to_engine()
    machine.choose_cables(configuration.chosen_fabric)
    return _explain(machine, configuration, source, destination, size, nonblocking, synchronous)


def _explain(
    machine: Platform,
    configuration: Configuration,
    source: str,
    destination: str,
    size: int,
    nonblocking: bool,
    synchronous: bool,
) -> Explanation:
    model = configuration.network_model
    flows = model.has_flows
    ends = machine.host(source), machine.host(destination)
    route = machine.route(*ends) if model.has_links else None
    back = machine.route(ends[1], ends[0]) if flows and configuration["network/crosstraffic"] else None
    links = route.links if route else ()

    protocol = ffi.new("pysmpi_protocol *")
    lib.pysmpi_explain_protocol(size, nonblocking, synchronous, protocol)
    inside = ends[0].name == ends[1].name
    terms = _terms(machine, links, back.links if back else (), route.latency if route else 0.0, size, protocol, inside)
    shared = [link for link in links if link.policy == "SHARED"]
    limiting = links if flows else shared or links  # packets queue for shared links only
    bottleneck = min(limiting, key=lambda link: link.bandwidth, default=None)
    return Explanation(
        source=ends[0].name,
        destination=ends[1].name,
        size=size,
        model=model.name,
        call="MPI_" + (("I" if nonblocking else "") + ("ssend" if synchronous else "send")).capitalize(),
        eager=bool(protocol.eager),
        detached=bool(protocol.detached),
        send_overhead=protocol.send_overhead,
        handshake=terms.leaves - protocol.send_overhead,
        links=links,
        route_latency=route.latency if route else 0.0,
        latency_factor=terms.latency_factor,
        end_latency=terms.end_latency,
        latency=terms.delay,
        wire_size=terms.wire_bytes,
        bandwidth_factor=terms.bandwidth_factor,
        bottleneck=bottleneck,
        window=terms.window if flows and math.isfinite(terms.window) else None,
        rate=terms.rate,
        held_by=_held_by(model, terms, bottleneck, links, back.links if back else ()),
        transfer=terms.transfer,
        receive_overhead=protocol.receive_overhead,
        total=terms.arrives + protocol.receive_overhead,
    )


def _held_by(
    model: NetworkModel, terms: Any, bottleneck: Link | None, links: tuple[Link, ...], back: tuple[Link, ...]
) -> str:
    if not model.has_flows:
        if bottleneck is None or model.held_by:
            return model.held_by
        if terms.lacks_room and terms.rate < bottleneck.bandwidth * (1 - 1e-6):
            return "packets/buffer: the packets wait for room, until credits have come back"
        return f"link {bottleneck.name}"
    if bottleneck is None:
        return "TCP window" if math.isfinite(terms.window) else ""
    if terms.window < bottleneck.bandwidth:
        return "TCP window"
    if terms.rate < terms.bound * terms.bandwidth_factor * (1 - 1e-9):  # it gets only a share of a link
        returning = {link.index for link in back}
        both = min((link for link in links if link.index in returning), key=lambda link: link.bandwidth)
        return f"link {both.name}, which its acknowledgements cross, too"
    return f"link {bottleneck.name}"


def _terms(
    machine: Platform,
    links: tuple[Link, ...],
    back: tuple[Link, ...],
    latency: float,
    size: int,
    protocol: Any,
    inside: bool,
) -> Any:
    """Return the terms of a message's duration as the engine computes them, on a platform of only the links that the
    message and its acknowledgements cross."""
    by_index = {link.index: link for link in (*links, *back)}
    place = {index: number for number, index in enumerate(by_index)}
    crossed = by_index.values()
    kept = {
        "bandwidths": ffi.new("double[]", [link.bandwidth for link in crossed]),
        "latencies": ffi.new("double[]", [link.latency for link in crossed]),
        "fatpipes": ffi.new("int32_t[]", [link.policy == "FATPIPE" for link in crossed]),
        "route": ffi.new("uint32_t[]", [place[link.index] for link in links]),
        "back_route": ffi.new("uint32_t[]", [place[link.index] for link in back]),
    }
    message = ffi.new(
        "pysmpi_lone_message *",
        {
            "links": len(crossed),
            "route_links": len(links),
            "back_route_links": len(back),
            "latency": latency,
            "bytes": size,
            "sent": protocol.send_overhead,
            "eager": protocol.eager,
            "inside": inside,
            "channels": machine.channels,
            "routes_vary": machine.routes_vary,
            **kept,
        },
    )
    terms = ffi.new("pysmpi_lone_terms *")
    lib.pysmpi_explain_message(message, terms)
    return terms
