"""Durations of BLAS and LAPACK routines: measured, and fitted by polynomials in their sizes."""

from pysmpi.calibrate.blas.fit import RoutineFit, fit_routine, fit_table, model_document
from pysmpi.calibrate.blas.kernels import KERNELS
from pysmpi.calibrate.blas.measure import COLUMNS, Extent, measure
from pysmpi.calibrate.blas.report import draw, report_text

__all__ = [
    "COLUMNS",
    "KERNELS",
    "Extent",
    "RoutineFit",
    "draw",
    "fit_routine",
    "fit_table",
    "measure",
    "model_document",
    "report_text",
]
