"""Properties of a single host: flop/s, bandwidth of memory and caches, and the time of a call through mpi4py."""

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
