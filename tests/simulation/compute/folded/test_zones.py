"""Folded arrays with private zones: contents that belong to one array, and that messages carry."""

import gc
import pathlib

import numpy as np
import pytest

import pysmpi

ZONES = [(1000, 2000), (4_000_001, 4_000_100), (9_990_000, 10_000_000)]


def _plain(array):
    return array.view(np.ndarray)


def _made(number):
    """Return an array of 10 MB whose private bytes hold a number."""
    array = pysmpi.folded_empty(10_000_000, np.uint8, private=ZONES)
    for start, stop in ZONES:
        _plain(array)[start:stop] = number
    return array


def _holds(array, number):
    return all((_plain(array)[start:stop] == number).all() for start, stop in ZONES)


def _mappings():
    return len(pathlib.Path("/proc/self/maps").read_text().splitlines())


def test_zones_are_each_array_s_own(run):
    assert run(_own, 2).values == [(True, True, 7)] * 2


def _own():
    mine, other = _made(1), _made(2)
    _plain(mine)[2_000_000:2_000_100] = 7
    shared = [_plain(array)[2_000_050] for array in (mine, other)]
    return _holds(mine, 1), _holds(other, 2), int(min(shared))


def _exchange(how):
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    mine, other = _made(world.rank), _made(100)
    left, right = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    if how == "rendezvous":
        world.Sendrecv(mine, right, 0, other, left)
    elif how == "detached":
        for part in (slice(0, 60_000), slice(4_000_000, 4_010_000)):
            world.Send(mine[part], right)
            world.Recv(other[part], left)
        world.Sendrecv(mine[9_900_000:], right, 0, other[9_900_000:], left)
    elif how == "replace":
        other = mine
        world.Sendrecv_replace(other, right, 0, left)
    elif how == "vector":
        vector = MPI.BYTE.Create_vector(10_000, 500, 1000).Commit()
        rest = MPI.BYTE.Create_hindexed([500] * 10_000, range(500, 10_000_000, 1000)).Commit()
        for kind in (vector, rest):
            world.Sendrecv([mine, 1, kind], right, 0, [other, 1, kind], left)
    elif how == "bcast":
        world.Bcast(mine, root=world.size - 1)
        other, left = mine, world.size - 1
    elif how == "put":
        window = MPI.Win.Create(other, comm=world)
        window.Fence()
        window.Put(mine, right)
        window.Fence()
        window.Free()
    return _holds(other, left)


@pytest.mark.smpi
@pytest.mark.parametrize("how", ["rendezvous", "detached", "replace", "vector", "bcast", "put"])
def test_messages_carry_private_bytes(run, how):
    assert run(_exchange, 3, how).values == [True] * 3


def _with_plain():
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    folded, plain = _made(5), np.full(10_000_000, 200, np.uint8)
    if world.rank == 0:
        world.Send(folded, 1)
        world.Recv(folded, 1)
        return _holds(folded, 6)
    world.Recv(plain, 0)
    kept = all((plain[start:stop] == 5).all() for start, stop in ZONES) and (plain[2000:4_000_000] == 200).all()
    plain[:] = 6
    world.Send(plain, 0)
    return kept


def test_between_private_and_plain_memory_private_bytes_move(run):
    """Bytes opposite folded ones stay unchanged."""
    assert run(_with_plain, 2).values == [True, True]


def _told():
    array = _made(1)
    parts = (array, array[1000:2000], array[999:2000], array[2000:3000], array[1000:2001], array[1500:1400:-1])
    return [pysmpi.is_folded(part) for part in parts]


def test_parts_within_a_zone_are_not_folded(run):
    assert run(_told, 1).values == [[True, False, True, True, True, False]]


def _many():
    from mpi4py import MPI

    arrays = [_made(number) for number in range(12)]
    MPI.COMM_WORLD.Barrier()
    right = all(_holds(array, number) for number, array in enumerate(arrays))
    MPI.COMM_WORLD.Barrier()
    return right, _mappings() if MPI.COMM_WORLD.rank == 0 else 0


def test_mappings_and_memory_are_bounded(run):
    """12,288 arrays of 10 MB with 37,000 private zones need fewer than 20,000 mappings, all released with the
    arrays."""
    gc.collect()
    before = _mappings()
    result = run(_many, 1024)
    assert all(right for right, _ in result.values)
    assert max(mappings for _, mappings in result.values) < 20_000
    gc.collect()
    assert _mappings() < before + 1000


@pytest.mark.parametrize(
    "zones", [[(5, 5)], [(-1, 5)], [(0, 101)], [(0, 10), (10, 20)], [(20, 30), (0, 10)], [(1, 2, 3)], [4]]
)
def test_impossible_zones_are_refused(zones):
    with pytest.raises(pysmpi.FoldedMemoryError, match=r"give each zone as a pair of byte offsets"):
        pysmpi.folded_empty(100, np.uint8, private=zones)


def _with_simgrid_names():
    whole, part = (
        pysmpi.shared_malloc(1000),
        pysmpi.partial_shared_malloc(1_000_000, [5000, 900_000, 950_000, 1_000_000]),
    )
    folded = [pysmpi.is_folded(part[at : at + 1]) for at in (0, 4999, 5000, 899_999, 900_000, 949_999, 950_000)]
    for memory in (whole, part):
        pysmpi.shared_free(memory)
    try:
        pysmpi.shared_free(np.empty(5, np.uint8))
    except pysmpi.FoldedMemoryError:
        return pysmpi.is_folded(whole), folded
    return None


def test_simgrid_names(run):
    assert run(_with_simgrid_names, 1).values == [(True, [False, False, True, True, False, False, True])]
    with pytest.raises(pysmpi.FoldedMemoryError, match="partial_shared_malloc of 10 bytes"):
        pysmpi.partial_shared_malloc(10, [5, 3])
    pysmpi.shared_free(pysmpi.shared_malloc(10))
