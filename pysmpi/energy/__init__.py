"""Energy: joules of hosts, ranks and phases, and grams of carbon dioxide, from the watts that a platform describes."""

from pysmpi.energy.consumption import Consumption, lines
from pysmpi.energy.description import HostPower, PowerState, host_powers
from pysmpi.energy.meter import Meter

__all__ = ["Consumption", "HostPower", "Meter", "PowerState", "host_powers", "lines"]
