"""Hosts and links of a platform by name or by pattern."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from pysmpi.errors import LONGEST_WORD, MOST_CHOICES, PlatformError, did_you_mean
from pysmpi.platform.machine import Host, Link, Platform

__all__ = ["hosts_named", "links_named"]


def hosts_named(platform: Platform, name: str) -> Sequence[int]:
    """Return the host of that name, or all hosts that match a shell pattern such as ``node-*``.

    Raises:
        PlatformError: nothing matches; the message includes the nearest name.
    """
    found = platform.find_number(name)
    return _chosen(platform, name, [] if found is None else [found], platform.hosts, "host")


def links_named(platform: Platform, name: str) -> Sequence[int]:
    """Return the link of that name (two if it is split), or all links that match a shell pattern.

    Raises:
        PlatformError: nothing matches; the message includes the nearest name.
    """
    directions = [platform.find_link_number(each) for each in (name, f"{name}_UP", f"{name}_DOWN")]
    return _chosen(platform, name, [each for each in directions if each is not None], platform.links, "link")


def _chosen(
    platform: Platform, name: str, exact: Sequence[int], everything: Sequence[Host] | Sequence[Link], what: str
) -> Sequence[int]:
    found = exact
    if not found and any(wildcard in name for wildcard in "*?["):
        found = [item.index for item in everything if fnmatchcase(item.name, name)]
    if found:
        return found
    hint = did_you_mean(name, (item.name for item in everything[:MOST_CHOICES]))
    names = f"{everything[0].name} to {everything[-1].name}" if everything else "none"
    raise PlatformError(
        f"{platform.source}: no {what} is called {name[:LONGEST_WORD]!r}{hint} (there are {len(everything)}: {names}; "
        "a pattern such as 'node-*' selects several)"
    )
