"""Exception for an error in one part of a study's description."""

from collections.abc import Sequence

from pysmpi.errors import StudyError

__all__ = ["Complaint"]


class Complaint(StudyError):
    """Error in one part of a study's description.

    Attributes:
        keys: keys of the TOML tables that lead to the part, outermost table first.
        message: the problem.
        number: if the error is in a point (simulation) that the description lists, the point's number, counted from 1;
            otherwise None.
    """

    slug = "study-description"

    def __init__(self, keys: Sequence[str], message: str, number: int | None = None) -> None:
        super().__init__(f"{'.'.join(keys)}: {message}")
        self.keys = keys
        self.message = message
        self.number = number
