"""Profile as text for a terminal."""

import linecache
import os

import numpy as np

from pysmpi.simulation.instruments.profile.categories import CATEGORIES, PATH_KINDS
from pysmpi.simulation.instruments.profile.finding import Finding
from pysmpi.simulation.instruments.profile.profile import Profile
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import counted, human_bytes, human_seconds

__all__ = ["profile_lines", "short_place", "source_line"]

_MOST = 12  # largest number of source lines shown
_SOURCE = 44  # largest number of characters shown of a source line

# Columns of the table, with the categories that each adds up.
_COLUMNS = {
    "computing": ("measured", "sampled", "modelled", "injected"),
    "overhead": ("send overhead", "receive overhead"),
    "peers": ("waiting for peers",),
    "network": ("waiting for the network",),
    "collective": ("collective: waiting for peers", "collective: messages", "collective: arithmetic and copies"),
    "polling": ("polling",),
    "asleep": ("asleep",),
    "other": ("other",),
}


def profile_lines(profile: Profile, found: list[Finding]) -> list[str]:
    """Return lines of text on time by category, findings, the source lines that take longest, load balance and critical
    path."""
    if profile.total <= 0:
        return ["profile: no simulated time has passed"]
    shares = ", ".join(f"{share:.1%} {name}" for name, share in profile.shares.items() if share >= 5e-4)
    lines = [f"profile: the ranks' time: {shares}"]
    lines += [f"profile: {finding.kind}: {finding.text}" for finding in found]
    lines += [*_table(profile), _balance(profile), *_critical_path(profile)]
    return lines


def short_place(place: str) -> str:
    """Return the source line ``file:line`` with an absolute or relative path, whichever is shorter."""
    if not place:
        return "(end of program)"
    relative = os.path.relpath(place) if os.path.isabs(place) else place
    return min(relative, place, key=len)


def source_line(place: str) -> str:
    """Return the source code of a line ``file:line``, or an empty string if it cannot be read."""
    file, _, line = place.rpartition(":")
    text = " ".join(linecache.getline(file, int(line)).split()) if line.isdecimal() else ""
    return text if len(text) <= _SOURCE else f"{text[: _SOURCE - 1]}…"


def _table(profile: Profile) -> list[str]:
    own = {name: [CATEGORIES.index(each) for each in parts] for name, parts in _COLUMNS.items()}
    totals = profile.seconds.sum(axis=0)
    shown = [name for name, indices in own.items() if totals[indices].sum() >= 5e-4 * profile.total]
    rows = [["seconds", "of all", *shown, "calls", "sent", "place", "source"]]
    for place in profile.places[:_MOST]:
        parts = np.array(place.seconds)
        cells = [f"{float(parts[own[name]].sum()) / place.total:.0%}" if place.total > 0 else "" for name in shown]
        rows.append(
            [f"{place.total:.6g}", f"{place.total / profile.total:.1%}", *cells, f"{place.calls:,}",
             human_bytes(place.bytes), short_place(place.place), source_line(place.place)]
        )  # fmt: skip
    more = len(profile.places) - _MOST
    return [
        "profile: places of the program, seconds of all ranks together:",
        *aligned(rows, right=range(len(shown) + 4), indent="  "),
        *([f"  … and {counted(more, 'more place')}"] if more > 0 else []),
    ]


def _balance(profile: Profile) -> str:
    computation = profile.computation
    worst = int(np.argmax(computation))
    return (
        f"profile: load balance: ranks compute for {human_seconds(float(computation.mean()))} on average, at most "
        f"{human_seconds(float(computation[worst]))} (rank {worst}), {profile.imbalance:.1%} above"
    )


def _critical_path(profile: Profile) -> list[str]:
    length = sum(step.total for step in profile.critical_path)
    if length <= 0:
        return []
    kinds = [sum(step.seconds[kind] for step in profile.critical_path) / length for kind in range(len(PATH_KINDS))]
    parts = ", ".join(f"{part:.1%} {name}" for name, part in zip(PATH_KINDS, kinds, strict=True) if part >= 5e-4)
    rows = []
    for step in profile.critical_path[:_MOST]:
        main = step.seconds.index(max(step.seconds))
        share = f"{step.total / length:.1%}"
        rows.append([f"{step.total:.6g}", share, PATH_KINDS[main], short_place(step.place), source_line(step.place)])
    return [f"profile: critical path, {human_seconds(length)}: {parts}", *aligned(rows, right=(0, 1), indent="  ")]
