"""Error in a model in the language Aspen."""

from pysmpi.errors import PlacedError

__all__ = ["AspenError"]


class AspenError(PlacedError):
    """An Aspen model is not valid, or a value that a result needs is missing; the message begins with file and line.

    Attributes:
        needs_one_number: whether the model can only be evaluated if each parameter is one number, not an array of
            values or a symbol.
    """

    slug = "aspen"
    needs_one_number = False
