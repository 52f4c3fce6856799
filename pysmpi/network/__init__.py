"""How messages take time: the network models and their parameters."""

from pysmpi.network.models import FLOW_MODELS, MODELS, NetworkModel

__all__ = ["FLOW_MODELS", "MODELS", "NetworkModel"]
