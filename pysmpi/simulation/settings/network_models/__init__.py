"""The network models, one module each. To add a model, import it and add it to `MODELS` here.

Under SMPI, IB, LV08, CM02 and raw a message is a flow: it pays its route's latency times a factor, then shares the
links of the route with the other flows (weighted max-min fairness). Under Packets a message is cut into packets, which
queue for links and for room in buffers. Under Constant and LogGPS a message is a delay, which other messages on the
network do not change. docs/models.md helps to choose.
"""

from pysmpi.simulation.settings.network_models.cm02 import CM02
from pysmpi.simulation.settings.network_models.constant import CONSTANT
from pysmpi.simulation.settings.network_models.infiniband import IB
from pysmpi.simulation.settings.network_models.loggps import LOGGPS
from pysmpi.simulation.settings.network_models.lv08 import LV08
from pysmpi.simulation.settings.network_models.model import NetworkModel
from pysmpi.simulation.settings.network_models.packets import PACKETS
from pysmpi.simulation.settings.network_models.raw import RAW
from pysmpi.simulation.settings.network_models.smpi import SMPI

__all__ = ["DEFAULT", "FLOW_MODELS", "LINK_MODELS", "MODELS", "NetworkModel"]

DEFAULT = SMPI
MODELS: dict[str, NetworkModel] = {
    model.name: model for model in (SMPI, IB, LV08, CM02, RAW, CONSTANT, LOGGPS, PACKETS)
}
"""All values of ``network/model``, by name."""

FLOW_MODELS = tuple(model.name for model in MODELS.values() if model.has_flows)
"""Names of the models in which messages are flows over the links of their routes."""

LINK_MODELS = tuple(model.name for model in MODELS.values() if model.has_links)
"""Names of the models in which messages cross the links of their routes, as flows or as packets."""
