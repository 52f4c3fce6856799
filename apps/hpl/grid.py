"""P×Q process grid: the caller's place in it, and communicators along its row and its column."""

from mpi4py import MPI


class Grid:
    """Caller's place in a P×Q grid of processes, with communicators along its row and its column."""

    def __init__(self, world: MPI.Comm, p: int, q: int, column_major: bool = False) -> None:
        """Create the grid; every rank of `world` (exactly P·Q ranks) must call this. PMAP of HPL.dat sets the order."""
        self.world = world
        self.p, self.q = p, q
        rank = world.Get_rank()
        self.my_column, self.my_row = divmod(rank, p) if column_major else divmod(rank, q)[::-1]
        self.row_comm = world.Split(self.my_row, self.my_column)  # Q ranks: rank = process column
        self.column_comm = world.Split(self.my_column, self.my_row)  # P ranks: rank = process row

    def free(self) -> None:
        """Free the communicators."""
        self.row_comm.Free()
        self.column_comm.Free()
