"""SimBLAS: calls of BLAS and LAPACK routines take the time that a fitted model predicts for them."""

from pysmpi.simulation.compute.blas.blas_table import BlasTable, load_table
from pysmpi.simulation.compute.blas.charging import RoutineUse, activate, deactivate
from pysmpi.simulation.compute.blas.model import BlasModel, RoutineModel, load
from pysmpi.simulation.compute.blas.replaced_function import ReplacedFunction
from pysmpi.simulation.compute.blas.replacements import forget_found_functions, replacements
from pysmpi.simulation.compute.blas.routines import ROUTINES

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
