"""Model of the inside of nodes (sockets, shared memory, network cards, polling), from messages between ranks."""

from pysmpi.calibrate.node.measure import COLUMNS, FIGURES, Extent, campaign_of
from pysmpi.calibrate.node.model import FORMAT, NodeModel, model_document, model_of, node_model, properties_of
from pysmpi.calibrate.node.report import draw, report_text
from pysmpi.calibrate.node.tables import steps_through

__all__ = [
    "COLUMNS",
    "FIGURES",
    "FORMAT",
    "Extent",
    "NodeModel",
    "campaign_of",
    "draw",
    "model_document",
    "model_of",
    "node_model",
    "properties_of",
    "report_text",
    "steps_through",
]
