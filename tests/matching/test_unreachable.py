"""A message between hosts without a route ends the simulation with an error about the platform."""

from pathlib import Path

import pytest

import pysmpi
from pysmpi.errors import PlatformError

ISLANDS = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="islands" routing="Full">
    <host id="here" speed="1Gf"/>
    <host id="there" speed="1Gf"/>
  </zone>
</platform>
"""


def exchange() -> None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        comm.send("word", 1)
    else:
        comm.recv(source=0)


def barrier() -> None:
    from mpi4py import MPI

    MPI.COMM_WORLD.Barrier()


@pytest.mark.parametrize("program", [exchange, barrier])
def test_hosts_without_a_route_are_named(program: object, tmp_path: Path) -> None:
    platform = tmp_path / "islands.xml"
    platform.write_text(ISLANDS)
    with pytest.raises(PlatformError, match=r"no route from host (here|there) \(rank [01]\) to host (here|there)"):
        pysmpi.simulate(program, np=2, platform=platform)
