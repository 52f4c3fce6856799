"""The bandwidth of hosts' memory, as a platform describes it."""

from pysmpi.errors import ConfigurationError
from pysmpi.launch import values
from pysmpi.platform import Platform

__all__ = ["bandwidths"]

_PROPERTY = "memory-bandwidth"


def bandwidths(platform: Platform) -> dict[int, float]:
    """What a rank reads and writes on hosts with the property ``memory-bandwidth``, bytes/s, by the host's number.

    Raises:
        ConfigurationError: the property of a host is not a number above 0.
    """
    if platform.host_with(_PROPERTY) is None:
        return {}
    found = {}
    parse = values.number_above(0.0)
    for host in platform.hosts:
        text = host.properties.get(_PROPERTY)
        if text is None:
            continue
        try:
            found[host.index] = parse(text)
        except ValueError as error:
            raise ConfigurationError(
                f"{platform.source}: property {_PROPERTY!r} of host {host.name!r} is {text!r}: {error} (valid: "
                "a number above 0, in bytes/s)"
            ) from error
    return found
