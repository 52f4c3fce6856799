"""Errors of estimates; each names the statement of the program that cannot be followed."""

from pysmpi.errors import PysmpiError

__all__ = ["EstimateError"]


class EstimateError(PysmpiError):
    """A sequential program cannot be followed element by element, or an estimate cannot be made from it; the message
    begins with file:line of the program's statement if there is one.

    Attributes:
        too_large: whether the record of the run needs more memory than is allowed.
    """

    slug = "estimate"
    too_large = False
