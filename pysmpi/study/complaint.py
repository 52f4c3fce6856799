"""What is wrong with the description of a study, and with which part of it."""

from collections.abc import Sequence

from pysmpi.errors import StudyError

__all__ = ["Complaint"]


class Complaint(StudyError):
    """What is wrong with a part of the description.

    Attributes:
        keys: the names of the part, from the outermost table on.
        message: what is wrong.
        number: of the listed point that it is in, from 1 on; None: it is in none.
    """

    slug = "study-description"

    def __init__(self, keys: Sequence[str], message: str, number: int | None = None) -> None:
        super().__init__(f"{'.'.join(keys)}: {message}")
        self.keys = keys
        self.message = message
        self.number = number
