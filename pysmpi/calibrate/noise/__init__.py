"""Noise of the operating system (interruptions of programs), from the times of equal pieces of work on each core."""

from pysmpi.calibrate.noise.detours import Stretch, detours_in
from pysmpi.calibrate.noise.measure import COLUMNS, Extent, measure
from pysmpi.calibrate.noise.model import NoiseFit, model_document, noise_fit
from pysmpi.calibrate.noise.report import draw, report_text

__all__ = [
    "COLUMNS",
    "Extent",
    "NoiseFit",
    "Stretch",
    "detours_in",
    "draw",
    "measure",
    "model_document",
    "noise_fit",
    "report_text",
]
