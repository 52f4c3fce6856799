"""Energy meters in the engine: set up when a simulation starts, and read when it ends."""

from collections.abc import Collection, Iterator

import numpy as np

from pysmpi.errors import ConfigurationError
from pysmpi.native import ffi, lib
from pysmpi.platform import Platform
from pysmpi.simulation.instruments.energy.consumption import Consumption, LinkConsumption, lines
from pysmpi.simulation.instruments.energy.hosts import HostPower, host_powers
from pysmpi.simulation.instruments.energy.links import link_powers
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.outcome import Result

__all__ = ["EnergyMeters", "LinkMeter", "Meter"]

_KWH = 3.6e6  # joules per kWh


class Meter:
    """Meter of the energy of hosts. Create it after the start of the simulation and read it before the simulation's
    end."""

    def __init__(self, platform: Platform) -> None:
        """Start metering.

        Raises:
            PlatformError: if the platform has no power properties, or one is not valid.
        """
        self._platform = platform
        self._powers = host_powers(platform)
        numbers: dict[HostPower, int] = {}
        kinds = np.full(len(self._powers), -1, np.int32)
        for host, power in enumerate(self._powers):
            if power is None:
                continue
            if power not in numbers:
                numbers[power] = len(numbers)
                columns = [ffi.new("double[]", list(column)) for column in zip(*power.states, strict=True)]
                lib.pysmpi_meter_kind(len(power.states), *columns, power.off)
            kinds[host] = numbers[power]
        pstates = np.fromiter((host.pstate for host in platform.hosts), np.int32, kinds.size)
        lib.pysmpi_meter_hosts(ffi.from_buffer("int32_t[]", kinds), ffi.from_buffer("int32_t[]", pstates))

    def read(self) -> Consumption:
        """Return the energy that hosts and ranks have consumed from the creation of the meter until now."""
        hosts = np.empty(len(self._powers))
        used = np.empty(hosts.size, np.uint8)
        ranks = np.empty(lib.pysmpi_rank_count())
        columns = (("double[]", hosts), ("uint8_t[]", used), ("double[]", ranks))
        lib.pysmpi_read_joules(*(ffi.from_buffer(kind, array) for kind, array in columns))
        intensities = [power.carbon_intensity if power else None for power in self._powers]
        carbon = None
        if any(intensity is not None for intensity in intensities):
            carbon = hosts / _KWH * np.array([intensity or 0.0 for intensity in intensities])
        names = tuple(host.name for host in self._platform.hosts)
        return Consumption(names, hosts, used.astype(np.bool_), ranks, carbon)


class LinkMeter:
    """Meter of the energy of links. Create it after the start of the simulation and read it before the simulation's
    end."""

    def __init__(self, platform: Platform) -> None:
        """Start metering.

        Raises:
            PlatformError: if no link has power properties, or one is not valid.
            ConfigurationError: if messages use no links under the chosen network model.
        """
        self._powers = link_powers(platform)
        self._links = len(platform.links)
        if lib.pysmpi_meter_links() != 0:
            raise ConfigurationError(
                "plugin:link_energy is not valid with this network/model, which does not simulate links"
            )

    def read(self) -> LinkConsumption:
        """Return the energy that links have consumed since the start of the simulation."""
        loads, off = np.zeros(self._links), np.zeros(self._links)
        lib.pysmpi_read_links(ffi.from_buffer("double[]", loads), ffi.from_buffer("double[]", off))
        numbers, names, idle, busy, while_off = zip(*self._powers, strict=True)
        where = np.array(numbers)
        on = lib.pysmpi_now() - off[where]
        joules = np.array(idle) * on + (np.array(busy) - idle) * loads[where] + np.array(while_off) * off[where]
        return LinkConsumption(names, joules)


class EnergyMeters(Instrument):
    """Instrument that measures the energy of hosts and links, as far as the setting ``plugin`` requests it.

    Args:
        plugins: value of the setting ``plugin``: "host_energy", "link_energy", both or none.
    """

    def __init__(self, plugins: Collection[str]) -> None:
        self._plugins = plugins
        self._hosts: Meter | None = None
        self._links: LinkMeter | None = None

    def begin(self, run: Run) -> None:
        """Start the meters of hosts and links.

        Raises:
            PlatformError: the platform has no power properties, or one is not valid.
            ConfigurationError: the energy of links is requested, but messages use no links under the network model.
        """
        self._hosts = Meter(run.platform) if "host_energy" in self._plugins else None
        self._links = LinkMeter(run.platform) if "link_energy" in self._plugins else None

    def end(self, run: Run, result: Result) -> None:
        result.parts |= {"energy": self.hosts(), "link_energy": self.links()}

    def lines(self, result: Result) -> Iterator[str]:
        return lines(result.energy, result.link_energy)

    def hosts(self) -> Consumption | None:
        """Return the energy that hosts and ranks have consumed until now, or None without the plugin host_energy."""
        return self._hosts.read() if self._hosts else None

    def links(self) -> LinkConsumption | None:
        """Return the energy that links have consumed until now, or None without the plugin link_energy."""
        return self._links.read() if self._links else None
