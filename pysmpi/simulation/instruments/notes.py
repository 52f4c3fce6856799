"""Notes on a run: remarks of its instruments, each with an importance, which the summary at the end shows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

__all__ = ["Importance", "Note", "listed", "most_important_first"]

_LISTED = 16  # entries that a note lists before it counts the others


class Importance(IntEnum):
    """Importance of a note: it decides whether and where the note stands in the summary's last line."""

    DETAIL = 0  # a number or a condition of the run; only --verbose prints it
    REMARK = 1  # worth knowing before the result is used
    LIMIT = 2  # something that the simulation leaves out or takes from elsewhere
    DOUBT = 3  # a reason for which the result may be wrong; the summary calls the run questionable


@dataclass(frozen=True, slots=True)
class Note:
    """Remark on a run.

    Attributes:
        importance: importance of the note.
        headline: a few words for the summary's last line; empty for a detail.
        text: whole sentence or list, which ``--verbose`` prints and a saved run contains.
    """

    importance: Importance
    headline: str
    text: str


def most_important_first(notes: Iterable[Note]) -> list[Note]:
    """Return the notes by importance; equally important ones stay in the order in which they were given."""
    return sorted(notes, key=lambda note: -note.importance)


def listed(entries: Sequence[str]) -> list[str]:
    """Return the entries of a note, or the first 16 of them and a text with the number of the others."""
    more = len(entries) - _LISTED
    return [*entries[:_LISTED], f"… and {more:,} more"] if more > 0 else list(entries)
