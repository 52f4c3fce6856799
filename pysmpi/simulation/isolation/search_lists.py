"""Lists in which the import system searches: ``sys.path``, ``sys.meta_path`` and ``sys.path_hooks`` of each rank.

If a shared module changes one of its rank's lists while it is imported, the lists of all ranks are changed likewise.
Example: importlib_metadata removes a method of Python's finder, and adds a finder of its own.
"""

import sys
from dataclasses import dataclass
from typing import Any

from pysmpi.simulation.isolation.current import Private

__all__ = ["Change", "Contents", "apply", "changes_since", "contents", "of_ranks", "shared"]

Contents = dict[str, list[Any]]

of_ranks: dict[str, Private[list[Any]]] = {name: Private() for name in ("path", "meta_path", "path_hooks")}
shared: Contents = {}  # lists of ranks without their own, and of the launcher


@dataclass(frozen=True)
class Change:
    """Change of ``sys.path``, ``sys.meta_path`` or ``sys.path_hooks``.

    Attributes:
        name: name of the list in sys.
        added: new entries with their indices.
        removed: entries that the list no longer has.
    """

    name: str
    added: list[tuple[int, Any]]
    removed: list[Any]


def contents() -> Contents:
    """Return a copy of the lists that ``sys`` has now: those of the running rank, or of the launcher outside ranks."""
    return {name: list(vars(sys)[name]) for name in of_ranks}


def changes_since(before: Contents) -> list[Change]:
    """Return how the lists that ``sys`` has now differ from their earlier contents."""
    found = []
    for name, old in before.items():
        now = vars(sys)[name]
        if now != old:
            added = [(index, entry) for index, entry in enumerate(now) if entry not in old]
            found.append(Change(name, added, [entry for entry in old if entry not in now]))
    return found


def apply(changes: list[Change]) -> None:
    """Repeat changes of the running rank's lists in the lists of all other ranks and of the launcher."""
    for change in changes:
        for entries in (shared[change.name], *of_ranks[change.name].values()):
            if entries is vars(sys)[change.name]:
                continue
            for entry in change.removed:
                if entry in entries:
                    entries.remove(entry)
            for index, entry in change.added:
                if entry not in entries:
                    entries.insert(index, entry)
