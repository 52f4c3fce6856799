"""Environment variables that limit the threads of linear algebra libraries, which read them when they are loaded."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["THREAD_VARIABLES", "set_threads", "threads_restored"]

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def set_threads(number: int) -> None:
    """Set the number of threads of the libraries that this process loads from now on."""
    for name in THREAD_VARIABLES:
        os.environ[name] = str(number)


@contextmanager
def threads_restored() -> Iterator[None]:
    """Context at whose end the variables have the values that they had at its beginning."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
