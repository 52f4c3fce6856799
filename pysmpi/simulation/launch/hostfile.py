"""Reading of hostfiles, and of lists such as ``node-0:4,node-1``, which MPI's info key ``host`` may contain.

Both say how many ranks run on which host. A place is room for one rank on a host; Open MPI calls it a slot.
"""

import pathlib
import re
from collections.abc import Iterable, Iterator

from pysmpi.errors import PlacementError, PlatformError
from pysmpi.platform import Platform

__all__ = ["Places", "places_in", "places_named"]

Places = list[tuple[int, int]]
"""Host number, and number of ranks to place there, of each entry of a hostfile, in order."""

_LARGEST = 2**26  # largest number of characters of a hostfile; a device such as /dev/zero never ends
_COUNTED = re.compile(r"(?P<host>.*\S)\s*:\s*(?P<count>[^\s:]+)$")
_SLOTS = re.compile(r"(?P<host>.*\S)\s+slots\s*=\s*(?P<count>\S+?)(?:\s+max[_-]slots\s*=\s*\d+)?$")


def places_in(path: str | pathlib.Path, platform: Platform) -> Places:
    """Read a hostfile: lines ``host``, ``host:n`` or ``host slots=n``, where n is the number of ranks for the host.

    Without n, it is 1. ``#`` begins a comment. The number stands after the last colon, and a host's name may contain
    blanks, colons and ``#``. SimGrid's smpirun 3.32 reads hostfiles in this way, except for ``slots=`` and comments.
    Open MPI's ``max_slots=`` after ``slots=`` is accepted without effect.

    Args:
        path: path of the file.
        platform: platform that contains the hosts.

    Returns:
        Host number and number of ranks of each line that names a host.

    Raises:
        PlacementError: the file cannot be read, has a malformed line or room for no rank, or names an unknown host.
    """
    try:
        with open(path) as file:
            text = file.read(_LARGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise PlacementError(f"cannot read the hostfile {path}: {reason}") from error
    if len(text) > _LARGEST:
        raise PlacementError(f"{path}: not a hostfile: it has more than {_LARGEST:,} characters")
    lines = ((f"{path}:{number}: ", line.strip()) for number, line in enumerate(text.splitlines(), 1))
    places = list(_places(((where, line) for where, line in lines if line), platform))
    if not any(count for _, count in places):
        raise PlacementError(f"{path}: the hostfile has no place for a rank")
    return places


def places_named(text: str, platform: Platform) -> Places:
    """Read a list ``host,host:n,…``, where n is the number of ranks for the host, by default 1.

    Returns:
        Host number and number of ranks of each entry.

    Raises:
        PlacementError: a host is unknown, or a number of ranks is not valid.
    """
    return list(_places((("", each.strip()) for each in text.split(",") if each.strip()), platform))


def _places(entries: Iterable[tuple[str, str]], platform: Platform) -> Iterator[tuple[int, int]]:
    for where, entry in entries:
        text = entry.partition("#")[0].strip()
        found = _place(entry, platform) or _place(text, platform)
        if found is not None:
            yield found
        elif text:
            raise PlacementError(f"{where}{_mistake(text, platform)}")


def _place(entry: str, platform: Platform) -> tuple[int, int] | None:
    """Parse one entry of a hostfile or list: ``host``, ``host:n`` or ``host slots=n``.

    Returns:
        Host number and number of ranks to place there, or None if the platform has no such host.
    """
    for form in (_COUNTED, _SLOTS):
        match = form.match(entry)
        if match is not None and match["count"].isdecimal():
            host = platform.find_number(match["host"])
            if host is not None:
                return host, int(match["count"])
    host = platform.find_number(entry)
    return None if host is None else (host, 1)


def _mistake(text: str, platform: Platform) -> str:
    match = _COUNTED.match(text) or _SLOTS.match(text)
    host = match["host"] if match is not None else text
    if match is not None and platform.find_number(host) is not None:
        return f"{match['count']!r} ranks on {host}: the number of ranks must be a whole number, 0 or more"
    if platform.find_number(text.split(maxsplit=1)[0]) is not None:
        return f"{text!r} is not of the form 'host', 'host:n' or 'host slots=n'"
    try:
        platform.host(host)
    except PlatformError as error:
        return str(error)
    raise AssertionError(host)
