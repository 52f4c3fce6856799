"""What came out of a simulation of a skeleton."""

from array import array
from dataclasses import dataclass, field

from pysmpi.instruments.energy import Consumption, LinkConsumption
from pysmpi.instruments.outcome import Counters

__all__ = ["SkeletonResult"]


@dataclass(frozen=True)
class SkeletonResult:
    """What came out of a simulation of a skeleton.

    Attributes:
        simulated_time: seconds on the simulated clock when the last rank ended.
        wall_time: seconds that the simulation took here; reading the skeleton is not counted.
        peak_memory: bytes that this process has had resident at most.
        actions: of all ranks together.
        counters: what the engine did.
        end_times: when each rank ended, in simulated seconds.
        network_model: the setting network/model.
        energy: with the plugin host_energy, the joules of hosts and ranks.
        link_energy: with the plugin link_energy, the joules of links.
    """

    simulated_time: float
    wall_time: float
    peak_memory: int
    actions: int
    counters: Counters
    end_times: "array[float]" = field(repr=False)
    network_model: str = "SMPI"
    energy: Consumption | None = None
    link_energy: LinkConsumption | None = None

    @property
    def ranks(self) -> int:
        """How many there are."""
        return len(self.end_times)
