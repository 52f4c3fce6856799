"""Tests of mappings of ranks to hosts."""

import pathlib

import pytest

from pysmpi.errors import PlacementError
from pysmpi.platform import Platform, read
from pysmpi.study.mapping import host_names

CORES = 2


@pytest.fixture
def machine() -> Platform:
    """Return three hosts with two cores each."""
    return read(f"flat:3:cores={CORES}")


def test_in_order(machine: Platform) -> None:
    names = [host.name for host in machine.hosts]
    assert host_names("sequential", 5, machine, 0) == [names[i] for i in (0, 0, 1, 1, 2)]
    assert host_names("round-robin", 5, machine, 0) == [names[i] for i in (0, 1, 2, 0, 1)]


def test_random(machine: Platform) -> None:
    drawn = [host_names("random", 4, machine, seed) for seed in range(8)]
    assert all(max(names.count(name) for name in names) <= CORES for names in drawn)
    assert len({tuple(names) for names in drawn}) > 3
    assert drawn[3] == host_names("random", 4, machine, 3)


def test_hostfiles_and_too_many_ranks(machine: Platform, tmp_path: pathlib.Path) -> None:
    """A hostfile names hosts; every mapping refuses more ranks than cores."""
    name = machine.hosts[1].name
    (tmp_path / "hosts").write_text(f"{name}:2\n")
    assert host_names(f"hostfile:{tmp_path / 'hosts'}", 2, machine, 0) == [name, name]
    for mapping in ("sequential", "round-robin", "random"):
        with pytest.raises(PlacementError, match="7 ranks, but the platform has 6 cores"):
            host_names(mapping, 7, machine, 0)
