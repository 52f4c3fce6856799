"""Message times: measured between two ranks, and fitted by SMPI's overheads, factors and thresholds."""

from pysmpi.calibrate.network.fit import NetworkFit, fit_table, model_document
from pysmpi.calibrate.network.measure import COLUMNS, Extent, campaign_of
from pysmpi.calibrate.network.public_campaign import read_public_campaign
from pysmpi.calibrate.network.report import draw, report_text
from pysmpi.calibrate.network.segments import Segment, segments

__all__ = [
    "COLUMNS",
    "Extent",
    "NetworkFit",
    "Segment",
    "campaign_of",
    "draw",
    "fit_table",
    "model_document",
    "read_public_campaign",
    "report_text",
    "segments",
]
