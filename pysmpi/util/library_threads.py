"""Environment variables that limit the threads of linear algebra libraries, which read them when they are loaded."""

__all__ = ["THREAD_VARIABLES"]

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
