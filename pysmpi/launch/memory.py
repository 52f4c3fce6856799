"""The bandwidth of hosts' memory, as a platform describes it."""

from pysmpi.errors import ConfigurationError
from pysmpi.launch import values
from pysmpi.platform import Platform

__all__ = ["bandwidths"]

_PROPERTY = "memory-bandwidth"


def bandwidths(platform: Platform) -> dict[int, list[tuple[float, float]]]:
    """What a rank reads and writes on hosts with the property ``memory-bandwidth``, by the host's number.

    As in `smpi/memory-bandwidth`: distances in bytes, and bytes/s.

    Raises:
        ConfigurationError: the property of a host is not valid.
    """
    if platform.host_with(_PROPERTY) is None:
        return {}
    found = {}
    for host in platform.hosts:
        text = host.properties.get(_PROPERTY)
        if text is None:
            continue
        try:
            found[host.index] = values.bandwidth(text)
        except ValueError as error:
            raise ConfigurationError(
                f"{platform.source}: property {_PROPERTY!r} of host {host.name!r} is {text!r}: {error} (valid: "
                "a number above 0, or distance:bandwidth;distance:bandwidth;…, in bytes and bytes/s)"
            ) from error
    return found
