"""Sharing of results: a computation that is equal in all ranks runs once."""

import functools
from collections.abc import Callable
from typing import TypeVar

__all__ = ["SHARED", "shared_cache"]

Function = TypeVar("Function", bound=Callable[..., object])


SHARED = "_pysmpi_shared"
"""Name of the attribute that marks a cache which ranks may share, although its contents change."""


def shared_cache(function: Function) -> Function:
    """Cache a function whose result depends only on its arguments and is never modified (decorator).

    As with `functools.cache`, results are never removed. In a simulation all ranks share one cache if they share the
    function's module; ``pysmpirun --verbose`` lists the shared modules, which have no state at their top level.
    Thousands of ranks then compute and store a table once. Only the first rank that needs the table spends time on it.
    """
    cached = functools.cache(function)
    cached.__dict__[SHARED] = True
    return cached  # type: ignore[return-value]
