"""What all ranks would calculate alike is calculated once."""

import functools
from collections.abc import Callable
from typing import TypeVar

__all__ = ["shared_cache"]

Function = TypeVar("Function", bound=Callable[..., object])


def shared_cache(function: Function) -> Function:
    """A decorator for a function whose result depends on its arguments alone, and which nobody changes afterwards.

    What it has returned is kept, as `functools.cache` does. In a simulation all ranks have the same results if they
    share the function's module, which is one without state at its top level (`pysmpirun --verbose` tells): thousands of
    ranks then calculate and store a table once. The first rank that asks is the one that takes time.
    """
    return functools.cache(function)  # type: ignore[return-value]
