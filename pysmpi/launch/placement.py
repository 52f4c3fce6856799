"""Placement of ranks on hosts: by a hostfile, by names, or by the platform's cores in order."""

import collections
import math
import pathlib
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from pysmpi.errors import PlacementError, PlatformError, unknown
from pysmpi.platform import Platform

__all__ = [
    "MAPPINGS",
    "by_cores",
    "by_hostfile",
    "by_hosts",
    "by_mapping",
    "describe",
    "free_cores",
    "places_in",
    "places_named",
    "places_of",
    "repeated",
]

MAPPINGS = ("sequential", "round-robin", "random")
_LARGEST = 2**26  # characters of a hostfile; a device such as /dev/zero never ends
_LINE = re.compile(r"(?P<host>[^\s:=]+)(?:\s*:\s*(?P<count>\S+)|\s+slots\s*=\s*(?P<slots>\S+))?$")


def by_cores(ranks: int, platform: Platform) -> list[int]:
    """Place ranks on the platform's cores in order, all cores of a host before the next host.

    Raises:
        PlacementError: there are more ranks than cores.
    """
    placed: list[int] = []
    for host in platform.hosts:
        placed.extend([host.index] * min(host.cores, ranks - len(placed)))
        if len(placed) == ranks:
            return placed
    raise PlacementError(
        f"{ranks} ranks, but the platform has {len(placed)} cores on {len(platform.hosts)} hosts; "
        "use fewer ranks, or a hostfile that places several ranks on a core"
    )


def by_hostfile(ranks: int, path: str | pathlib.Path, platform: Platform) -> list[int]:
    """Place ranks by a hostfile with lines ``host``, ``host:n`` or ``host slots=n``; ``#`` begins a comment.

    Raises:
        PlacementError: the file cannot be read or has a malformed line, names an unknown host, or has fewer places
            (slots) than `ranks`.
    """
    placed: list[int] = []
    places = 0
    for number, host_name, count in _read(path):
        host = _find(host_name, platform, f"{path}:{number}: ")
        places += count
        placed.extend([host] * min(count, ranks - len(placed)))
    if len(placed) < ranks:
        raise PlacementError(
            f"{path}: {ranks} ranks, but the hostfile has {places} place{'s' if places != 1 else ''}; "
            "use fewer ranks, or write 'host:n' for n ranks on a host"
        )
    return placed


def by_hosts(ranks: int, names: Sequence[str], platform: Platform) -> list[int]:
    """Place one rank on each named host, in order.

    Raises:
        PlacementError: a host is unknown, or the list has fewer names than ranks.
    """
    if len(names) < ranks:
        raise PlacementError(f"{ranks} ranks, but only {len(names)} hosts are given")
    return [_find(name, platform, "") for name in names[:ranks]]


def by_mapping(mapping: str, ranks: int, cores: Sequence[int], seed: int = 0) -> list[int]:
    """Place ranks on some of the given cores.

    Args:
        mapping: "sequential" (all cores of a host before the next host), "round-robin" (a rank on each host, then a
            second one on each, and so on) or "random".
        ranks: number of ranks.
        cores: host number of each core; cores of a host are adjacent.
        seed: seed of a random mapping.

    Raises:
        PlacementError: the mapping is unknown, or there are more ranks than cores.
    """
    if mapping not in MAPPINGS:
        raise PlacementError(unknown("mapping", mapping, MAPPINGS))
    if ranks > len(cores):
        raise PlacementError(f"{ranks} ranks, but only {len(cores)} cores are free")
    if mapping == "sequential":
        return list(cores[:ranks])
    if mapping == "random":
        drawn = list(cores)
        random.Random(seed).shuffle(drawn)
        return drawn[:ranks]
    met: collections.Counter[int] = collections.Counter()
    turns = []
    for place, host in enumerate(cores):
        turns.append((met[host], place))
        met[host] += 1
    return [cores[place] for _, place in sorted(turns)[:ranks]]


def repeated(placed: Sequence[int], factor: Fraction) -> list[int]:
    """Return the host number of each of `factor` times as many ranks, rounded up.

    Args:
        placed: host number of each rank, as `by_cores` returns them. They are repeated on the hosts that follow: ranks
            on hosts 0, 0 and 1 become ranks on 0, 0, 1, 2, 2 and 3. So hosts keep their numbers of ranks.
        factor: number above 0.
    """
    hosts = placed[-1] + 1
    ranks = math.ceil(len(placed) * factor)
    return [placed[rank % len(placed)] + rank // len(placed) * hosts for rank in range(ranks)]


def free_cores(platform: Platform, taken: Iterable[int], is_on: Callable[[int], bool]) -> Iterator[int]:
    """Iterate over the host numbers of cores that run no rank, in order.

    Args:
        platform: the machine.
        taken: host number of each running rank.
        is_on: function that returns whether a host is on.
    """
    ranks = collections.Counter(taken)
    for host in platform.hosts:
        if ranks[host.index] < host.cores and is_on(host.index):
            yield from [host.index] * (host.cores - ranks[host.index])


def places_named(text: str, platform: Platform) -> list[int]:
    """Return the host number of each place (slot for a rank) in a list ``host,host:n,…``.

    Raises:
        PlacementError: a host is unknown, or a number of ranks is not valid.
    """
    placed: list[int] = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        host, _, count = part.partition(":")
        if count and (not count.isdecimal() or int(count) == 0):
            raise PlacementError(f"{count!r} ranks on {host}: the number of ranks must be a whole number, 1 or more")
        placed += [_find(host, platform, "")] * int(count or "1")
    return placed


def places_in(path: str | pathlib.Path, platform: Platform) -> list[int]:
    """Return the host number of each place (slot for a rank) in a hostfile.

    Raises:
        PlacementError: the file cannot be read or has a malformed line, or names an unknown host.
    """
    return by_hostfile(places_of(path), path, platform)


def places_of(path: str | pathlib.Path) -> int:
    """Return the number of places (slots for ranks) in a hostfile.

    Raises:
        PlacementError: the file cannot be read or has a malformed line.
    """
    return sum(count for _, _, count in _read(path))


def describe(placed: Sequence[int], platform: Platform) -> Iterator[str]:
    """Yield a line for each rank with its host, for ``--map``."""
    for rank, host in enumerate(placed):
        yield f"rank {rank} -> {platform.hosts[host].name}"


def _find(name: str, platform: Platform, where: str) -> int:
    try:
        return platform.host(name).index
    except PlatformError as error:
        raise PlacementError(f"{where}{error}") from error


def _read(path: str | pathlib.Path) -> Iterator[tuple[int, str, int]]:
    try:
        with open(path) as file:
            text = file.read(_LARGEST + 1)
        if len(text) > _LARGEST:
            raise PlacementError(f"{path}: not a hostfile: it has more than {_LARGEST:,} characters")
        lines = text.splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise PlacementError(f"cannot read the hostfile {path}: {reason}") from error
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        match = _LINE.match(text)
        if match is None:
            raise PlacementError(f"{path}:{number}: {text!r} is not of the form 'host', 'host:n' or 'host slots=n'")
        count = match["count"] or match["slots"] or "1"
        if not count.isdecimal() or int(count) == 0:
            raise PlacementError(
                f"{path}:{number}: {count!r} ranks on {match['host']}: the number of ranks must be a whole number, "
                "1 or more"
            )
        yield number, match["host"], int(count)
