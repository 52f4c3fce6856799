"""The memory of hosts, as settings and platform describe it."""

from array import array
from collections.abc import Callable
from typing import TypeVar

from pysmpi.compute.folded.bandwidth import Bandwidth
from pysmpi.compute.folded.timing import Machine
from pysmpi.errors import ConfigurationError
from pysmpi.native import ffi, lib
from pysmpi.platform import Platform
from pysmpi.settings import option_parsers
from pysmpi.settings.configuration import Configuration

__all__ = ["memory_machine", "share_memory"]

_OF_A_RANK, _OF_A_HOST = "memory-bandwidth", "host-memory-bandwidth"
_Value = TypeVar("_Value")


def memory_machine(platform: Platform, configuration: Configuration) -> Machine:
    """How long operations on folded arrays take on the hosts of a platform.

    Raises:
        ConfigurationError: the property ``memory-bandwidth`` of a host is not valid.
    """
    given = configuration["smpi/new-memory-bandwidth"]
    valid = "a number above 0, or distance:bandwidth;distance:bandwidth;…, in bytes and bytes/s"
    own = _properties(platform, _OF_A_RANK, option_parsers.bandwidth, valid)
    return Machine(
        bandwidth=Bandwidth(configuration["smpi/memory-bandwidth"]),
        bandwidth_of={host: Bandwidth(points) for host, points in own.items()},
        new_memory=Bandwidth(given) if given else None,
        buffering=configuration["smpi/buffer-bandwidth"],
        shares_memory=bool(configuration["smpi/memory-sharing"]),
    )


def share_memory(platform: Platform, configuration: Configuration, machine: Machine) -> None:
    """In the simulation that has begun ranks of one host share its memory, if the settings say so.

    Raises:
        ConfigurationError: the property ``host-memory-bandwidth`` of a host is not valid.
    """
    if not machine.shares_memory:
        return
    together = configuration["smpi/host-memory-bandwidth"]
    whole = array("d", [together or machine.bandwidth.of_memory]) * len(platform.hosts)
    if not together:
        for host, bandwidth in machine.bandwidth_of.items():
            whole[host] = bandwidth.of_memory
    for host, value in _properties(
        platform, _OF_A_HOST, option_parsers.number_above(0.0), "a number above 0, bytes/s"
    ).items():
        whole[host] = value
    lib.pysmpi_share_memory(ffi.from_buffer("double[]", whole))


def _properties(platform: Platform, name: str, parse: Callable[[str], _Value], valid: str) -> dict[int, _Value]:
    """What hosts say that have the property, by their numbers."""
    if platform.host_with(name) is None:
        return {}
    found = {}
    for host in platform.hosts:
        text = host.properties.get(name)
        if text is None:
            continue
        try:
            found[host.index] = parse(text)
        except ValueError as error:
            raise ConfigurationError(
                f"{platform.source}: property {name!r} of host {host.name!r} is {text!r}: {error} (valid: {valid})"
            ) from error
    return found
