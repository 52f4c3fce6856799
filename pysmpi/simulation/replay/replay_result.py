"""Result of a replay: times, memory, and counters of the engine."""

from array import array
from dataclasses import dataclass, field

from pysmpi.simulation.instruments.energy import Consumption, LinkConsumption
from pysmpi.simulation.instruments.outcome import Counters
from pysmpi.simulation.settings.network_models import DEFAULT

__all__ = ["ReplayResult"]


@dataclass(frozen=True)
class ReplayResult:
    """Times, memory use and counters of one replay.

    Attributes:
        simulated_time: end of the last rank in simulated seconds.
        wall_time: real duration of the simulation in seconds, without reading the program.
        peak_memory: peak resident memory of this process in bytes.
        actions: number of actions of all ranks together.
        counters: counters of the engine's work.
        end_times: end of each rank in simulated seconds.
        network_model: value of the setting network/model.
        energy: energy of hosts and ranks with the plugin host_energy, else None.
        link_energy: energy of links with the plugin link_energy, else None.
    """

    simulated_time: float
    wall_time: float
    peak_memory: int
    actions: int
    counters: Counters
    end_times: "array[float]" = field(repr=False)
    network_model: str = DEFAULT.name
    energy: Consumption | None = None
    link_energy: LinkConsumption | None = None

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self.end_times)
