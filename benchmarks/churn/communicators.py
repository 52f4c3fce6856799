"""Churn of communicators of all kinds, with attributes, names, error handlers, groups, and a collective in each."""

from churn import churn
from mpi4py import MPI

world = MPI.COMM_WORLD
key = MPI.Comm.Create_keyval(lambda comm, key, value: value, lambda comm, key, value: None)


def a_round(number: int) -> int:
    """Create nine communicators and free them."""
    copy = world.Dup()
    copy.Set_attr(key, number)
    copy.Set_name(f"copy {number}")
    copy.Set_errhandler(MPI.ERRORS_RETURN)
    again, request = copy.Idup()
    request.Wait()
    half = world.Split(world.rank % 2, world.rank)
    node = world.Split_type(MPI.COMM_TYPE_SHARED)
    group = half.Get_group()
    of_group = world.Create_group(group)
    group.Free()
    grid = world.Create_cart([world.size], [True])
    line = grid.Sub([True])
    between = MPI.Intracomm(half).Create_intercomm(0, world, 1 - world.rank % 2, number % 1000)
    merged = between.Merge(world.rank % 2 == 0)
    made = [copy, again, half, node, of_group, grid, line, between, merged]
    for each in made:
        each.Barrier()
    half.allgather(number)
    for each in made:
        each.Free()
    return len(made)


churn(5_000, a_round)
MPI.Comm.Free_keyval(key)
