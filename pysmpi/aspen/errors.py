"""Error in a model in the language Aspen."""

from pysmpi.errors import PlacedError

__all__ = ["AspenError"]


class AspenError(PlacedError):
    """An Aspen model is not valid, or a value that was asked for does not exist; the message begins with file and line.

    Attributes:
        needs_one_number: whether the model can be evaluated for one number, but not for arrays or names of parameters.
    """

    slug = "aspen"
    needs_one_number = False
