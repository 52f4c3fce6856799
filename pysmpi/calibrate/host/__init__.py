"""What a host does by itself: flop/s, bandwidth of its memory and caches, what Python takes in a call of MPI."""

from pysmpi.calibrate.host.measure import COLUMNS, Extent, measure, plan
from pysmpi.calibrate.host.model import HostModel, host_model, model_document
from pysmpi.calibrate.host.report import draw, report_text

__all__ = [
    "COLUMNS",
    "Extent",
    "HostModel",
    "draw",
    "host_model",
    "measure",
    "model_document",
    "plan",
    "report_text",
]
