"""Error of estimates. Its message names the statement of the program that caused it, if there is one."""

from pysmpi.errors import PysmpiError

__all__ = ["EstimateError"]


class EstimateError(PysmpiError):
    """Error: a sequential program cannot be followed element by element, or an estimate cannot be made from it.

    The message begins with ``file:line`` of the program's statement if there is one.

    Attributes:
        too_large: True if the record of the run needs more memory than the argument `memory` allows.
    """

    slug = "estimate"
    too_large = False
