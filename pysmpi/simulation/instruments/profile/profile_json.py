"""Profile as JSON, for programs and for the HTML page of a run."""

import json
import os
from pathlib import Path
from typing import Any

from pysmpi.errors import LaunchError
from pysmpi.simulation.instruments.profile.categories import CATEGORIES, PATH_KINDS
from pysmpi.simulation.instruments.profile.finding import Finding
from pysmpi.simulation.instruments.profile.profile import Profile
from pysmpi.util.whole_file import write_whole

__all__ = ["profile_document", "write_profile"]

_VERSION = 1


def profile_document(profile: Profile, found: list[Finding]) -> dict[str, Any]:
    """Return the profile and its findings as values that JSON can hold, with times in seconds.

    The array `Profile.by_rank` becomes one list for each of its columns.
    """
    return {
        "version": _VERSION,
        "categories": list(CATEGORIES),
        "path_kinds": list(PATH_KINDS),
        "imbalance": profile.imbalance,
        "findings": [
            {"kind": one.kind, "subject": one.subject, "seconds": one.seconds, "text": one.text} for one in found
        ],
        "places": [
            {"place": one.place, "ranks": one.ranks, "calls": one.calls, "messages": one.messages, "bytes": one.bytes,
             "seconds": list(one.seconds), "longest": one.longest, "longest_rank": one.longest_rank}
            for one in profile.places
        ],
        "critical_path": [{"place": one.place, "seconds": list(one.seconds)} for one in profile.critical_path],
        "peer_waits": [
            {"place": one.place, "awaited": one.awaited, "what": one.what, "seconds": one.seconds, "count": one.count,
             "longest": one.longest, "waiting_rank": one.waiting_rank, "awaited_rank": one.awaited_rank}
            for one in profile.peer_waits
        ],
        "link_waits": [
            {"place": one.place, "link": one.link, "seconds": one.seconds, "count": one.count, "longest": one.longest,
             "waiting_rank": one.waiting_rank}
            for one in profile.link_waits
        ],
        "ranks": {
            "host": list(profile.hosts),
            "begun": profile.begun.tolist(),
            "ended": profile.ended.tolist(),
            "caused": profile.caused.tolist(),
            "seconds": profile.seconds.tolist(),
        },
        "texts": list(profile.texts),
        "by_rank": {name: profile.by_rank[name].tolist() for name in profile.by_rank.dtype.names or ()},
    }  # fmt: skip


def write_profile(profile: Profile, found: list[Finding], path: str | os.PathLike[str]) -> None:
    """Write the profile to a JSON file, completely or not at all.

    Raises:
        LaunchError: if the file cannot be written.
    """
    text = json.dumps(profile_document(profile, found), separators=(",", ":"), allow_nan=False)
    try:
        write_whole(Path(path), text.encode())
    except OSError as error:
        raise LaunchError(f"{path}: cannot write the profile: {error.strerror}") from None
