"""Hosts and links of a platform that a name, or a pattern of names, stands for."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from pysmpi.errors import LONGEST_WORD, MOST_CHOICES, PlatformError, nearest
from pysmpi.platform.machine import Host, Link, Platform

__all__ = ["hosts_named", "links_named"]


def hosts_named(platform: Platform, name: str) -> Sequence[int]:
    """The host of that name, or those of a pattern as the shell has it (``node-*``).

    Raises:
        PlatformError: there is none; the message tells the nearest one.
    """
    found = platform.find_number(name)
    return _chosen(platform, name, [] if found is None else [found], platform.hosts, "host")


def links_named(platform: Platform, name: str) -> Sequence[int]:
    """The link of that name, with two directions or one, or those of a pattern as the shell has it.

    Raises:
        PlatformError: there is none; the message tells the nearest one.
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
    similar = nearest(name, (item.name for item in everything[:MOST_CHOICES]))
    hint = f"; did you mean {similar!r}?" if similar else ""
    names = f"{everything[0].name} to {everything[-1].name}" if everything else "none"
    raise PlatformError(
        f"{platform.source}: no {what} is called {name[:LONGEST_WORD]!r}{hint} (there are {len(everything)}: {names}; "
        "a pattern such as 'node-*' stands for several)"
    )
