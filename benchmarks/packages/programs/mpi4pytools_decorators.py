"""Run functions on one rank or on all with the decorators of mpi4pytools, as in its README."""

from mpitools import eval_on_main, setup_mpi
from mpitools.comms import broadcast_from_main, gather_to_main

comm, rank, size = setup_mpi()


@broadcast_from_main()
def load() -> dict[str, int]:
    """Return the settings, read by rank 0 only."""
    return {"rank": rank, "steps": 10}


@gather_to_main()
def part() -> int:
    """Return this rank's part of a sum."""
    return sum(range(rank * 100, (rank + 1) * 100))


@eval_on_main()
def show(values: list[int]) -> None:
    """Print on rank 0 only."""
    print(sum(values))


settings, values = load(), part()
show(values)
print(rank, settings)
