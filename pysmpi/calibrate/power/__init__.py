"""Power of a host, idle and with busy cores, from the processor's counters or a wattmeter's table."""

from pysmpi.calibrate.power.measure import COLUMNS, Extent, measure
from pysmpi.calibrate.power.model import PowerModel, model_document, power_model
from pysmpi.calibrate.power.rapl import Counters
from pysmpi.calibrate.power.report import draw, report_text

__all__ = [
    "COLUMNS",
    "Counters",
    "Extent",
    "PowerModel",
    "draw",
    "measure",
    "model_document",
    "power_model",
    "report_text",
]
