"""One rank frees the window while the others are at a fence."""

# kind: mismatched-collective

from mpi4py import MPI

world = MPI.COMM_WORLD

window = MPI.Win.Allocate(8, comm=world)
window.Fence()
if world.rank == 0:
    window.Fence()  # WRONG
window.Free()  # WRONG
