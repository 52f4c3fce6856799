"""Environment variables that limit the threads of linear algebra libraries, which read them when they are loaded."""

import os

__all__ = ["THREAD_VARIABLES", "set_threads"]

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
