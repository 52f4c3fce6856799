"""SimBLAS: calls of BLAS and LAPACK routines take the time that a fitted model predicts for them."""

from pysmpi.compute.blas.calls import ReplacedFunction
from pysmpi.compute.blas.charging import RoutineUse, activate, deactivate
from pysmpi.compute.blas.model import BlasModel, RoutineModel, load
from pysmpi.compute.blas.replacements import forget_found_functions, replacements
from pysmpi.compute.blas.routines import ROUTINES
from pysmpi.compute.blas.tables import BlasTable, load_table

__all__ = [
    "ROUTINES",
    "BlasModel",
    "BlasTable",
    "ReplacedFunction",
    "RoutineModel",
    "RoutineUse",
    "activate",
    "deactivate",
    "forget_found_functions",
    "load",
    "load_table",
    "replacements",
]
