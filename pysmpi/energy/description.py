"""What a platform says of its hosts' power, in SimGrid's properties (3.32, src/plugins/host_energy.cpp).

``wattage_per_state`` has, for each performance state, ``Idle:Epsilon:AllCores`` in watts: of an idle host, of one with
a load of almost nothing, and with all cores busy; or ``Idle:AllCores``, where the second is as the first. States are
separated by commas. ``wattage_off`` is for a host that is off (0), ``carbon_intensity`` in grams of carbon dioxide per
kWh.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from pysmpi.errors import PlatformError
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
    """The power of each host, by its number; None of those without ``wattage_per_state``, which take none.

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
    states = tuple(_state(part, text, host, source) for part in text.split(","))
    if len(states) != len(host.speeds):
        raise PlatformError(
            f"{source}: property {_STATES!r} of host {host.name!r} is {text!r}: {len(states)} states of power for "
            f"{len(host.speeds)} of performance (speeds); there must be as many, separated by commas"
        )
    carbon = _watts(host.properties, _CARBON, host, source) if _CARBON in host.properties else None
    return HostPower(states, _watts(host.properties, _OFF, host, source), carbon)


def _state(part: str, text: str, host: Host, source: str) -> PowerState:
    try:
        watts = [float(each) for each in part.split(":")]
    except ValueError:
        watts = []
    if len(watts) not in (2, 3) or not all(math.isfinite(each) and each >= 0 for each in watts):
        raise PlatformError(
            f"{source}: property {_STATES!r} of host {host.name!r} is {text!r}: {part.strip()!r} is not valid (valid: "
            "Idle:Epsilon:AllCores or Idle:AllCores, in watts, 0 or more, such as 90:105:180)"
        )
    return PowerState(watts[0], watts[-2], watts[-1])


def _watts(properties: Mapping[str, str], name: str, host: Host, source: str) -> float:
    text = properties.get(name, "0")
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (math.isfinite(value) and value >= 0):
        raise PlatformError(
            f"{source}: property {name!r} of host {host.name!r} is {text!r} (valid: a number, 0 or more)"
        )
    return value
