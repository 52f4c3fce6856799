"""Environment variables that limit the threads of linear algebra libraries; a library reads them when it is loaded."""

__all__ = ["THREAD_VARIABLES"]

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
