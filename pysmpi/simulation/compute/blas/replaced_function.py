"""Replacement of a NumPy or SciPy function during a simulation: calls on folded arrays take the time of the BLAS model.

Nothing is computed on folded arrays, so these calls do not reach the BLAS library. All other calls do, and are charged
where they reach it (`pysmpi.simulation.compute.blas.watching`).
"""

from collections.abc import Callable
from time import perf_counter  # the real clock, imported before ranks get simulated ones
from typing import Any, NamedTuple

from pysmpi.native import lib
from pysmpi.simulation.compute import operations
from pysmpi.simulation.compute.blas.charging import charge, count_unmodelled, is_active, knows
from pysmpi.simulation.compute.blas.routines import split_name
from pysmpi.simulation.compute.folded.memory import is_folded
from pysmpi.simulation.compute.folded.operation_time import charge_elsewhere

__all__ = ["Part", "ReplacedFunction"]


class Part(NamedTuple):
    """BLAS or LAPACK routine that a NumPy or SciPy function calls, with its operand sizes and the number of calls."""

    routine: str
    sizes: dict[str, int]
    times: int = 1


_inside = False  # nested calls of replaced functions belong to the outermost one, and are not charged again


class ReplacedFunction:
    """Stand-in for a library function.

    Calls of ranks on folded arrays take the simulated time that the model predicts. Other calls run the original
    function.

    Args:
        original: the function to replace.
        name: name for reports when the model knows no routine for a call.
    """

    def __init__(self, original: Any, name: str) -> None:
        self._original = original
        self.name = name
        self.__name__ = self.__qualname__ = getattr(original, "__name__", name)
        self.__module__ = getattr(original, "__module__", None) or type(self).__module__
        self.__doc__ = original.__doc__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function. If an operand is folded, charge the rank the time that the model predicts.

        A routine that the model lacks takes its measured time. Inside another replaced function, only the original
        function runs.
        """
        if _inside or not is_active() or not _any_is_folded(arguments, named):
            return self._original(*arguments, **named)
        begun = lib.pysmpi_begin_exclusion()
        try:
            parts = self.parts(arguments, named)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            parts = [Part(f"{self.name} of unknown sizes", {})]  # wrong arguments: the original reports them
        if parts is None:
            lib.pysmpi_end_exclusion(begun)
            return self._original(*arguments, **named)
        if not all(knows(part.routine) for part in parts):
            lib.pysmpi_end_exclusion(begun)
            routine = next(part.routine for part in parts if not knows(part.routine))
            return self._time(routine, arguments, named, free=begun < 0)
        try:
            charge_elsewhere(True)
            with operations.counted_as(arguments, named) as count:
                result = self.carry_out(arguments, named)
                count([(*split_name(part.routine), part.sizes, part.times) for part in parts], result)
            for part in parts:
                charge(*part)
            return result
        finally:
            charge_elsewhere(False)
            lib.pysmpi_end_exclusion(begun)

    def parts(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Part] | None:
        """Return the BLAS and LAPACK routines that a call runs, or None if it runs none.

        Errors raised here are ignored: the original function then receives the same wrong arguments and raises its own
        error.
        """
        raise NotImplementedError

    def carry_out(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the result of the call; nothing is computed if operands are folded arrays (without real contents)."""
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


def _any_is_folded(arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    return any(is_folded(each) for each in (*arguments, *named.values()))


def _undisturbed(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    global _inside
    _inside = True
    try:
        return function(*arguments, **named)
    finally:
        _inside = False
