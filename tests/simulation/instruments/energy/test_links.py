"""Tests of the energy of links: the integral of their power, which grows with the load."""

from pathlib import Path

import numpy as np
import pytest

import pysmpi
from pysmpi.errors import ConfigurationError, PlatformError
from pysmpi.platform import Platform, load
from pysmpi.simulation.instruments.energy import LinkPower, lines, link_powers

EXACT = {"smpi/simulate-computation": "no", "plugin": "link_energy", "network/model": "CM02"}
PLAIN = {"network/bandwidth-factor": 1, "network/latency-factor": 1, "network/crosstraffic": 0, "network/TCP-gamma": 0}


def machine(folder: Path, link: str = "", of_link: str = '<prop id="wattage_range" value="1.5:11.25"/>') -> Platform:
    """Return two hosts, with a link of 1 GB/s and 10 ms between them."""
    (folder / "two.xml").write_text(
        '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">'
        '<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
        f'<link id="wire" bandwidth="1GBps" latency="10ms" {link}>{of_link}</link>'
        '<link id="other" bandwidth="1GBps" latency="10ms"><prop id="wattage_range" value="2:3"/></link>'
        '<route src="a" dst="b"><link_ctn id="wire"/></route></zone></platform>'
    )
    return load(folder / "two.xml")


def send(size: int, after: float) -> None:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    buffer = pysmpi.folded_empty(size, np.int8)
    if world.rank == 0:
        world.Ssend(buffer, 1)
    else:
        world.Recv(buffer, 0)
    pysmpi.sleep(after)


def send_both(after: float) -> None:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    buffer = pysmpi.folded_empty((1 + world.rank % 2) * 1_000_000_000, np.int8)
    if world.rank < 2:
        world.Ssend(buffer, world.rank + 2)
    else:
        world.Recv(buffer, world.rank - 2)
    pysmpi.sleep(after)


def test_power_grows_with_the_load(tmp_path: Path) -> None:
    """2 GB on 1 GB/s fill the link for two of three seconds; one that carries nothing is idle all the time."""
    cfg = {**EXACT, **PLAIN}
    result = pysmpi.simulate(send, np=2, platform=machine(tmp_path), cfg=cfg, args=(2_000_000_000, 1.0))
    energy = result.link_energy
    assert energy is not None
    assert energy.link_names == ("wire", "other")
    seconds = result.simulated_time
    assert seconds == pytest.approx(3.01, rel=1e-3)
    assert energy.links == pytest.approx([1.5 * seconds + 9.75 * 2.0, 2.0 * seconds], rel=1e-6)
    assert list(lines(None, energy))[1] == f"Energy consumption of link 'wire': {energy.links[0]:f} Joules"


def test_what_bandwidth_factors_take_is_load_and_so_is_crosstraffic(tmp_path: Path) -> None:
    """A flow at its maximum rate loads the link fully, also if only part of that are the message's bytes."""
    cfg = {**EXACT, **PLAIN, "network/bandwidth-factor": 0.5, "network/crosstraffic": 1}
    result = pysmpi.simulate(send, np=2, platform=machine(tmp_path), cfg=cfg, args=(1_000_000_000, 0.0))
    assert result.link_energy is not None
    seconds = result.simulated_time
    assert seconds == pytest.approx(2.0 * 1.05 + 0.01, rel=1e-3)
    assert result.link_energy.links[0] == pytest.approx(11.25 * seconds, rel=1e-2)


def test_on_a_fat_pipe_the_greatest_load_counts(tmp_path: Path) -> None:
    cfg = {**EXACT, **PLAIN}
    platform = machine(tmp_path, 'sharing_policy="FATPIPE"')
    result = pysmpi.simulate(send_both, np=4, platform=platform, hosts=["a", "a", "b", "b"], cfg=cfg, args=(1.0,))
    assert result.link_energy is not None
    seconds = result.simulated_time
    assert seconds == pytest.approx(3.01, rel=1e-3)
    assert result.link_energy.links[0] == pytest.approx(1.5 * seconds + 9.75 * 2.0, rel=1e-6)


def test_on_a_fat_pipe_changes_of_bandwidth_are_followed(tmp_path: Path) -> None:
    """Full at 1 GB/s for a second and at half of that for two more, in which one of two messages goes on."""
    (tmp_path / "bandwidth.txt").write_text("1.01 5e8\n")
    cfg = {**EXACT, **PLAIN}
    platform = machine(tmp_path, 'sharing_policy="FATPIPE" bandwidth_file="bandwidth.txt"')
    result = pysmpi.simulate(send_both, np=4, platform=platform, hosts=["a", "a", "b", "b"], cfg=cfg, args=(0.0,))
    assert result.link_energy is not None
    assert result.simulated_time == pytest.approx(3.01, rel=1e-3)
    assert result.link_energy.links[0] == pytest.approx(1.5 * 3.01 + 9.75 * 3.0, rel=1e-4)


def test_changes_of_bandwidth_are_followed(tmp_path: Path) -> None:
    """The link is full at 1 GB/s for a second, then at half of that, and off after the message."""
    (tmp_path / "bandwidth.txt").write_text("1.01 5e8\n")
    (tmp_path / "state.txt").write_text("10 0\n")
    cfg = {**EXACT, **PLAIN}
    of_link = '<prop id="wattage_range" value="1.5:11.25"/><prop id="wattage_off" value="0.5"/>'
    platform = machine(tmp_path, 'bandwidth_file="bandwidth.txt" state_file="state.txt"', of_link)
    result = pysmpi.simulate(send, np=2, platform=platform, cfg=cfg, args=(2_000_000_000, 17.0))
    assert result.link_energy is not None
    assert result.simulated_time == pytest.approx(20.01, rel=1e-3)
    off = result.simulated_time - 10.0
    assert result.link_energy.links[0] == pytest.approx(1.5 * 10 + 9.75 * 3.0 + 0.5 * off, rel=1e-4)


def test_malformed_watts_are_shown_with_what_is_valid(tmp_path: Path) -> None:
    for value in ("", "1", "1:2:3", "1:x", "-1:2", "nan:1"):
        platform = machine(tmp_path, of_link=f'<prop id="wattage_range" value="{value}"/>')
        with pytest.raises(PlatformError, match=r"property 'wattage_range' of link 'wire' is .* such as 10:13"):
            link_powers(platform)
    platform = machine(tmp_path, of_link='<prop id="wattage_range" value="1:2"/><prop id="wattage_off" value="x"/>')
    with pytest.raises(PlatformError, match="property 'wattage_off' of link 'wire' is 'x'"):
        link_powers(platform)
    assert link_powers(machine(tmp_path))[1] == LinkPower(1, "other", 2.0, 3.0, 0.0)


def test_where_it_cannot_be_had(tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match="no link has a property 'wattage_range'"):
        pysmpi.simulate(print, np=1, platform="torus:2,2", cfg=EXACT)
    cfg = {"plugin": "link_energy", "network/model": "Constant"}
    with pytest.raises(ConfigurationError, match="does not simulate links"):
        pysmpi.simulate(print, np=1, platform=machine(tmp_path), cfg=cfg)
