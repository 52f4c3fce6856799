"""Tests of the power properties of hosts, and of errors in them."""

from pathlib import Path

import pytest

import pysmpi
from pysmpi.errors import ConfigurationError, PlatformError
from pysmpi.platform import Cluster, Host, Platform, Zone, load
from pysmpi.simulation.instruments.energy import HostPower, host_powers

HERE = Path(__file__).parent


def machine(**properties: str) -> Platform:
    """Return a host of one speed with these properties."""
    return Zone("z", [Host("a", "1Gf", properties=properties)]).build()


def test_each_state_has_its_watts() -> None:
    powers = host_powers(load(HERE / "energy.xml"))
    assert powers == [HostPower(((90.0, 105.0, 180.0), (80.0, 90.0, 120.0)), 10.0, None)] * 4
    (power,) = host_powers(machine(wattage_per_state=" 90:180 ", carbon_intensity="55.5"))
    assert power == HostPower(((90.0, 90.0, 180.0),), 0.0, 55.5)


@pytest.mark.parametrize(
    "value", ["", "90", "90:105:180:200", "90:x:180", "90:-1:180", "nan:90:90", "inf:1:1", "90;105"]
)
def test_malformed_watts_are_shown_with_what_is_valid(value: str) -> None:
    with pytest.raises(PlatformError, match=r"property 'wattage_per_state' of host 'a' .* such as 90:105:180"):
        host_powers(machine(wattage_per_state=value))


@pytest.mark.parametrize("name", ["wattage_off", "carbon_intensity"])
@pytest.mark.parametrize("value", ["", "-1", "nan", "many"])
def test_other_properties_are_numbers(name: str, value: str) -> None:
    with pytest.raises(PlatformError, match=f"property '{name}' of host 'a' is '{value}'"):
        host_powers(machine(wattage_per_state="90:180", **{name: value}))


def test_there_are_as_many_states_as_speeds() -> None:
    for value in ("90:180", "90:180,1:2,3:4"):
        platform = Zone("z", [Host("a", ["2Gf", "1Gf"], properties={"wattage_per_state": value})]).build()
        with pytest.raises(PlatformError, match="power states for 2 performance states"):
            host_powers(platform)


def test_a_platform_without_power_is_refused() -> None:
    with pytest.raises(PlatformError, match="no host has a property 'wattage_per_state'"):
        pysmpi.simulate(print, np=1, platform=Cluster(2), cfg={"plugin": "host_energy"})
    with pytest.raises(PlatformError, match="'watt_per_state', the former name"):
        host_powers(machine(watt_per_state="90:180"))


def test_hosts_without_watts_take_none() -> None:
    platform = Zone("z", [Host("a", "1Gf"), Host("b", "1Gf", properties={"wattage_per_state": "90:180"})]).build()
    assert [power is None for power in host_powers(platform)] == [True, False]
    result = pysmpi.simulate(pysmpi.execute_flops, np=1, platform=platform, args=(1e9,), cfg={"plugin": "host_energy"})
    assert result.energy is not None
    assert result.energy.hosts == pytest.approx([0.0, 90.0], rel=1e-3)


def test_plugins_are_known_by_name() -> None:
    with pytest.raises(ConfigurationError, match="did you mean 'host_energy'"):
        pysmpi.simulate(print, np=1, platform=Cluster(2), cfg={"plugin": "host_enery"})
    with pytest.raises(ConfigurationError, match="its name is host_energy"):
        pysmpi.simulate(print, np=1, platform=Cluster(2), cfg={"plugin": "Energy"})
