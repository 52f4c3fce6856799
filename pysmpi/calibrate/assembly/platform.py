"""Text of a platform file with measured values: a single host or a topology of hosts, and SMPI's settings."""

import dataclasses
from xml.etree import ElementTree

from pysmpi.calibrate.assembly.parts import Parts
from pysmpi.calibrate.node import properties_of
from pysmpi.errors import CalibrationError
from pysmpi.platform import Description, Host, Link, Route, Zone
from pysmpi.platform.cluster_spec import from_text
from pysmpi.platform.topologies import ClusterOfHosts
from pysmpi.simulation.instruments.calibration_quality import ERRORS, FORCED
from pysmpi.simulation.settings.option_parsers import overheads

__all__ = ["platform_text"]

# Settings with the time that a message spends in MPI_Send and MPI_Recv, and the setting with the size in bytes from
# which on it spends none.
_CALLS = ("smpi/os", "smpi/or")
_WAITS_FROM = "smpi/send-is-detached-thresh"


def platform_text(
    parts: Parts, topology: str | None, cores: int | None, errors: tuple[float, float] | None = None
) -> str:
    """Return the text of a platform file in SimGrid's XML.

    Args:
        parts: measured values.
        topology: topology of the hosts such as ``flat:16``, or None for a single host.
        cores: number of cores of a host, or None for the number in the host's model (1 without a model).
        errors: least and greatest relative error of simulated messages, which become a property of hosts, or None.

    Raises:
        CalibrationError: if messages inside a host (or between hosts, for a topology) were not measured, or the
            topology sets a value that was measured, such as the bandwidth.
        PlatformError: if the topology is malformed, or SimGrid's XML does not support it.
    """
    properties = _properties(parts)
    if errors is not None:
        properties[ERRORS] = f"{errors[0]:.4g}:{errors[1]:.4g}"
    if parts.forced:
        properties[FORCED] = "; ".join(parts.forced)
    described = _host(parts, cores, properties) if topology is None else _hosts(parts, topology, cores, properties)
    root = ElementTree.Element("platform", version="4.1")
    for part, source in parts.sources.items():
        # An XML comment must not contain two dashes.
        root.append(ElementTree.Comment(f" {part}: {source.replace('--', '- -')} "))
    config = ElementTree.SubElement(root, "config")
    for name, text in parts.settings.items():
        ElementTree.SubElement(config, "prop", id=name, value=text)
    root.append(described.element())
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n{text}\n'


def _properties(parts: Parts) -> dict[str, str]:
    found = {"wattage_per_state": parts.watts, "memory-bandwidth": parts.memory}
    if parts.node is not None:
        found |= properties_of(parts.node, lambda size: _in_calls(parts, size))
    return {name: text for name, text in found.items() if text}


def _in_calls(parts: Parts, size: int) -> float:
    """Return the seconds that a message of `size` bytes spends in the calls of both sides in a simulation."""
    if size >= float(parts.settings.get(_WAITS_FROM, "inf")):
        return 0.0
    seconds = 0.0
    for name in _CALLS:
        steps = overheads(parts.settings[name]) if name in parts.settings else [(0.0, 0.0, 0.0)]
        _, startup, per_byte = ([step for step in steps if step[0] < size] or steps[:1])[-1]
        seconds += startup + size * per_byte
    return seconds


def _host(parts: Parts, cores: int | None, properties: dict[str, str]) -> Description:
    if "intra" not in parts.links:
        raise CalibrationError(
            "messages inside a host were not measured; give --topology to use the measurements between hosts"
        )
    latency, bandwidth = parts.links["intra"]
    host = Host("host", parts.speed, cores or parts.cores or 1, properties=properties)
    memory = Link("memory", bandwidth, latency, "FATPIPE")
    return Zone("machine", [host, memory, Route(host, host, [memory])])


def _hosts(parts: Parts, topology: str, cores: int | None, properties: dict[str, str]) -> Description:
    if "inter" not in parts.links:
        raise CalibrationError(
            f"option --topology: {topology!r} has several hosts, but messages between hosts were not measured"
        )
    shape = from_text(topology)
    plain = from_text(":".join(topology.split(":")[:2]))
    for field in ("speed", "cores", "bandwidth", "latency", "loopback_bandwidth", "loopback_latency", "fabric"):
        if getattr(shape, field) != getattr(plain, field):
            raise CalibrationError(f"option --topology: {field} is measured; remove it from {topology!r}")
    latency, bandwidth = parts.links["inter"]
    inside = parts.links.get("intra")
    return dataclasses.replace(
        shape,
        speed=parts.speed,
        cores=cores or parts.cores or 1,
        bandwidth=bandwidth,
        latency=latency / _links_between_neighbours(shape),
        loopback_bandwidth=inside[1] if inside else None,
        loopback_latency=inside[0] if inside else 0.0,
        properties={**shape.properties, **properties},
    )


def _links_between_neighbours(shape: ClusterOfHosts) -> float:
    """Return the number of links between the first two hosts.

    This is the latency of their route if each link has a latency of one second.
    """
    platform = dataclasses.replace(shape, latency=1.0).build()
    if len(platform.hosts) < 2:
        raise CalibrationError("option --topology: the topology has only one host; remove the option")
    return float(platform.route(platform.hosts[0], platform.hosts[1]).latency)
