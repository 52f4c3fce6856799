"""Two ranks make grids of other shapes."""

# kind: mismatched-arguments
# ranks: 6

from mpi4py import MPI

world = MPI.COMM_WORLD

extents = [2, 3] if world.rank < 5 else [3, 2]
world.Create_cart(extents).Free()  # WRONG
