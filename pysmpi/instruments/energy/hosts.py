"""What a platform says of its hosts' power, in SimGrid's properties (3.32, src/plugins/host_energy.cpp).

``wattage_per_state`` has, for each performance state, ``Idle:Epsilon:AllCores`` in watts: of an idle host, of one with
a load of almost nothing, and with all cores busy; or ``Idle:AllCores``, where the second is as the first. An
``Epsilon`` below ``Idle`` is taken as it stands, as SimGrid takes it. States are separated by commas. ``wattage_off``
is for a host that is off (0), ``carbon_intensity`` in grams of carbon dioxide per kWh.
"""

from typing import NamedTuple

from pysmpi.errors import PlatformError
from pysmpi.instruments.energy.properties import number, numbers
from pysmpi.platform import Platform
from pysmpi.platform.machine import Host

__all__ = ["HostPower", "PowerState", "host_powers"]

_STATES, _OFF, _CARBON = "wattage_per_state", "wattage_off", "carbon_intensity"
_FORMER = "watt_per_state"  # SimGrid's name until 3.27


class PowerState(NamedTuple):
    """Watts of a host in one performance state: idle, with a load of almost nothing, and with all cores busy."""

    idle: float
    epsilon: float
    all_cores: float


class HostPower(NamedTuple):
    """Of one host: watts in each performance state and while it is off; grams of carbon dioxide per kWh, if told."""

    states: tuple[PowerState, ...]
    off: float
    carbon_intensity: float | None


def host_powers(platform: Platform) -> list[HostPower | None]:
    """Return the power of each host, by its number; None of those without ``wattage_per_state``, which take none.

    Raises:
        PlatformError: a property is not valid, or no host has any.
    """
    if platform.host_with(_STATES) is None:
        former = platform.host_with(_FORMER)
        hint = f"; host {former.name!r} has {_FORMER!r}, which is the former name of that" if former else ""
        raise PlatformError(
            f"{platform.source}: energy was asked for, but no host has a property {_STATES!r}, such as "
            f'<prop id="{_STATES}" value="90:105:180"/>: watts idle, with almost no load, and with all cores busy{hint}'
        )
    known: dict[int, HostPower | None] = {}  # by identity: hosts of a cluster share their properties
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
            f"{source}: property {_STATES!r} of {owner} is {text!r}: {len(states)} states of power for "
            f"{len(host.speeds)} of performance (speeds); there must be as many, separated by commas"
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
