"""A function of a library that is replaced for the time of a simulation: it takes the time of the model."""

from collections.abc import Callable
from time import perf_counter  # this machine's: ranks see the function that replaces it
from typing import Any, NamedTuple

from pysmpi.compute.blas.charging import charge, count_unmodelled, is_active, knows
from pysmpi.compute.folded.timing import charge_elsewhere
from pysmpi.native import lib

__all__ = ["Part", "ReplacedFunction"]


class Part(NamedTuple):
    """A routine that a function calls, so many times with operands of these sizes."""

    routine: str
    sizes: dict[str, int]
    times: int = 1


_inside = False  # what such a function calls in turn is part of it


class ReplacedFunction:
    """What stands for the function: in ranks it is charged; everywhere else it is the function.

    Args:
        original: the function.
        name: in reports, when no routine is known for a call.
    """

    def __init__(self, original: Any, name: str) -> None:
        self._original = original
        self.name = name
        self.__name__ = self.__qualname__ = getattr(original, "__name__", name)
        self.__module__ = getattr(original, "__module__", None) or type(self).__module__
        self.__doc__ = original.__doc__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Calls it."""
        if _inside or not is_active():
            return self._original(*arguments, **named)
        begun = lib.pysmpi_begin_exclusion()
        try:
            parts = self.parts(arguments, named)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            parts = [Part(f"{self.name} of unknown sizes", {})]  # most likely the original says what is wrong
        if parts is None:
            lib.pysmpi_end_exclusion(begun)
            return self._original(*arguments, **named)
        if not all(knows(part.routine) for part in parts):
            lib.pysmpi_end_exclusion(begun)
            routine = next(part.routine for part in parts if not knows(part.routine))
            return self._time(routine, arguments, named, free=begun < 0)
        try:
            charge_elsewhere(True)
            result = self.carry_out(arguments, named)
            for part in parts:
                charge(*part)
            return result
        finally:
            charge_elsewhere(False)
            lib.pysmpi_end_exclusion(begun)

    def parts(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Part] | None:
        """The routines that the call amounts to; None when it is not for such routines.

        Whatever goes wrong here goes wrong in the original too, whose errors are the ones to be seen.
        """
        raise NotImplementedError

    def carry_out(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What it returns. Of folded operands nothing is computed."""
        return _undisturbed(self._original, arguments, named)

    def _time(self, routine: str, arguments: tuple[Any, ...], named: dict[str, Any], *, free: bool) -> Any:
        started = perf_counter()
        result = _undisturbed(self._original, arguments, named)
        count_unmodelled(routine, perf_counter() - started, free=free)
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<{self.__qualname__}, which takes the time of a model in simulations>"


def _undisturbed(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    global _inside
    _inside = True
    try:
        return function(*arguments, **named)
    finally:
        _inside = False
