"""Places in files, for error messages."""

from typing import NamedTuple

from pysmpi.errors import PlatformError

__all__ = ["Place", "error_at", "with_context"]

LONGEST_MESSAGE = 2000


class Place(NamedTuple):
    """A line of a file, as a place for error messages."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def seen_from(self, other: "Place | None") -> str:
        """Return this place as text for an error message about the line `other`.

        The file name is omitted if both lie in the same file.
        """
        return f"line {self.line}" if other is not None and other.file == self.file else str(self)


def error_at(place: Place, message: str) -> PlatformError:
    """Return an error that begins with its place.

    Overlong messages, which hostile files can cause, are cut in the middle.
    """
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[: LONGEST_MESSAGE // 2]} … {message[-LONGEST_MESSAGE // 2 :]}"
    error = PlatformError(f"{place}: {message}")
    error.place = str(place)
    return error


def with_context(error: PlatformError, context: str) -> PlatformError:
    """Return the error with a text about its context (such as the including file) added at the end."""
    wider = PlatformError(f"{error} ({context})")
    wider.place = error.place
    return wider
