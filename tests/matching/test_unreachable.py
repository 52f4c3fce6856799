"""A message between hosts that no route joins ends the simulation with a word about the platform."""

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
    """Rank 0 sends to rank 1."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        comm.send("word", 1)
    else:
        comm.recv(source=0)


def barrier() -> None:
    """A message inside a collective."""
    from mpi4py import MPI

    MPI.COMM_WORLD.Barrier()


@pytest.mark.parametrize("program", [exchange, barrier])
def test_hosts_without_a_route_are_named(program: object, tmp_path: Path) -> None:
    """The error names both hosts and both ranks."""
    platform = tmp_path / "islands.xml"
    platform.write_text(ISLANDS)
    with pytest.raises(PlatformError, match=r"no route from host (here|there) \(rank [01]\) to host (here|there)"):
        pysmpi.simulate(program, np=2, platform=platform)
