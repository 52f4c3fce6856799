"""Values that a property has on the hosts of a platform."""

from collections.abc import Callable
from typing import TypeVar

from pysmpi.errors import ConfigurationError
from pysmpi.platform import Platform

__all__ = ["values_by_host"]

_Value = TypeVar("_Value")


def values_by_host(platform: Platform, name: str, parse: Callable[[str], _Value], valid: str) -> dict[int, _Value]:
    """Return the parsed values of a property of hosts, by host number; hosts without the property are left out.

    Args:
        platform: the platform.
        name: the property.
        parse: parser of the text; raises ValueError if it is not valid.
        valid: description of valid values, for errors.

    Raises:
        ConfigurationError: a value is not valid.
    """
    found: dict[int, _Value] = {}
    for hosts, text in platform.hosts_with(name):
        try:
            found.update(dict.fromkeys(hosts, parse(text)))
        except ValueError as error:
            host = platform.hosts[hosts.start].name
            raise ConfigurationError(
                f"{platform.source}: property {name!r} of host {host!r} is {text!r}: {error} (valid: {valid})"
            ) from error
    return found
