"""Energy use: joules of hosts, ranks and links, and grams of carbon dioxide, from the platform's power properties."""

from pysmpi.simulation.instruments.energy.consumption import Consumption, LinkConsumption, lines
from pysmpi.simulation.instruments.energy.hosts import HostPower, PowerState, host_powers
from pysmpi.simulation.instruments.energy.links import LinkPower, link_powers

__all__ = [
    "Consumption",
    "HostPower",
    "LinkConsumption",
    "LinkPower",
    "PowerState",
    "host_powers",
    "lines",
    "link_powers",
]
