"""Power of hosts, from SimGrid's platform properties (3.32, src/plugins/host_energy.cpp).

``wattage_per_state`` holds ``Idle:Epsilon:AllCores`` in watts for each performance state, separated by commas: the
power of an idle host, of a host with almost no load, and with all cores busy. In the short form ``Idle:AllCores``,
Epsilon equals Idle. As in SimGrid, Epsilon may be less than Idle. ``wattage_off`` is the power of a host that is off
(default 0), ``carbon_intensity`` is in grams of carbon dioxide per kWh.
"""

from typing import NamedTuple

from pysmpi.errors import PlatformError
from pysmpi.platform import Platform
from pysmpi.platform.machine import Host
from pysmpi.simulation.instruments.energy.properties import number, numbers

__all__ = ["HostPower", "PowerState", "host_powers"]

_STATES, _OFF, _CARBON = "wattage_per_state", "wattage_off", "carbon_intensity"
_FORMER = "watt_per_state"  # SimGrid's name until 3.27


class PowerState(NamedTuple):
    """Watts of a host in one performance state: idle, with almost no load, and with all cores busy."""

    idle: float
    epsilon: float
    all_cores: float


class HostPower(NamedTuple):
    """Power of a host: watts per performance state, watts while off, and grams of carbon dioxide per kWh or None."""

    states: tuple[PowerState, ...]
    off: float
    carbon_intensity: float | None


def host_powers(platform: Platform) -> list[HostPower | None]:
    """Return the power of each host by its index, or None for a host without ``wattage_per_state`` (no energy use).

    Raises:
        PlatformError: if a property is not valid, or no host has one.
    """
    if platform.host_with(_STATES) is None:
        former = platform.host_with(_FORMER)
        hint = f"; host {former.name!r} has {_FORMER!r}, the former name of this property" if former else ""
        raise PlatformError(
            f"{platform.source}: energy was asked for, but no host has a property {_STATES!r}, such as "
            f'<prop id="{_STATES}" value="90:105:180"/>, or {_STATES}=90:105:180 in a cluster in one word: watts idle, '
            f"with almost no load, and with all cores busy{hint}"
        )
    known: dict[int, HostPower | None] = {}  # by the id of the properties, which hosts of a cluster share
    powers = []
    for host in platform.hosts:
        key = id(host.properties)
        if key not in known:
            known[key] = _power(host, platform.source)
        powers.append(known[key])
    return powers


def _power(host: Host, source: str) -> HostPower | None:
    text = host.properties.get(_STATES)
    if text is None:
        return None
    owner = f"host {host.name!r}"
    states = tuple(_state(part, text, owner, source) for part in text.split(","))
    if len(states) != len(host.speeds):
        raise PlatformError(
            f"{source}: property {_STATES!r} of {owner} is {text!r}: {len(states)} power states for "
            f"{len(host.speeds)} performance states (speeds); give one power state per speed, separated by commas"
        )
    carbon = number(host.properties, _CARBON, owner, source) if _CARBON in host.properties else None
    return HostPower(states, number(host.properties, _OFF, owner, source), carbon)


def _state(part: str, text: str, owner: str, source: str) -> PowerState:
    watts = numbers(part)
    if len(watts) not in (2, 3):
        raise PlatformError(
            f"{source}: property {_STATES!r} of {owner} is {text!r}: {part.strip()!r} is not valid (valid: "
            "Idle:Epsilon:AllCores or Idle:AllCores, in watts, 0 or more, such as 90:105:180)"
        )
    return PowerState(watts[0], watts[-2], watts[-1])
