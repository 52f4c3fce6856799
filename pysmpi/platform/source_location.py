"""Where in which file something is described, for the texts of errors."""

from typing import NamedTuple

from pysmpi.errors import PlatformError

__all__ = ["Place", "error_at", "with_context"]

LONGEST_MESSAGE = 2000


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def seen_from(self, other: "Place | None") -> str:
        """Words for it in an error at the other place: its file is named where that is another one."""
        return f"line {self.line}" if other is not None and other.file == self.file else str(self)


def error_at(place: Place, message: str) -> PlatformError:
    """An error that begins with its place; what a hostile file blows up in it is cut in the middle."""
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[: LONGEST_MESSAGE // 2]} … {message[-LONGEST_MESSAGE // 2 :]}"
    error = PlatformError(f"{place}: {message}")
    error.place = str(place)
    return error


def with_context(error: PlatformError, context: str) -> PlatformError:
    """The same error, which also tells what led to that place."""
    wider = PlatformError(f"{error} ({context})")
    wider.place = error.place
    return wider
