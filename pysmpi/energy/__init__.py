"""Energy: joules of hosts, ranks and links, and grams of carbon dioxide, from the watts that a platform tells."""

from pysmpi.energy.consumption import Consumption, LinkConsumption, lines, lines_of_links
from pysmpi.energy.hosts import HostPower, PowerState, host_powers
from pysmpi.energy.links import LinkPower, link_powers
from pysmpi.energy.meter import LinkMeter, Meter

__all__ = [
    "Consumption",
    "HostPower",
    "LinkConsumption",
    "LinkMeter",
    "LinkPower",
    "Meter",
    "PowerState",
    "host_powers",
    "lines",
    "lines_of_links",
    "link_powers",
]
