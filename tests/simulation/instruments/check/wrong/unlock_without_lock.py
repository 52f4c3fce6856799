"""A window is unlocked without having been locked."""

# kind: mpi-error

from mpi4py import MPI

world = MPI.COMM_WORLD

window = MPI.Win.Allocate(8, comm=world)
if world.rank == 0:
    window.Unlock(1)  # WRONG
window.Free()
