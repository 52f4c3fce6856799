"""One run: a combination of the parameters listed in HPL.dat."""

from typing import NamedTuple

LOOKING = ("Left", "Crout", "Right")
BROADCASTS = ("1ring", "1ringM", "2ring", "2ringM", "Blong", "BlongM")
SWAPS = ("Binary-exchange", "Spread-roll (long)", "Mix")
LEFT, CROUT, RIGHT = range(3)
ONE_RING, ONE_RING_M, TWO_RING, TWO_RING_M, LONG, LONG_M = range(6)
BINARY_EXCHANGE, SPREAD_ROLL, MIX = range(3)


class Variant(NamedTuple):
    """Problem, blocking, grid and choices of the algorithm, named and numbered as in HPL.dat."""

    n: int
    nb: int
    p: int
    q: int
    column_major: bool = False  # PMAP
    pfact: int = LEFT
    nbmin: int = 2
    ndiv: int = 2
    rfact: int = LEFT
    bcast: int = ONE_RING
    depth: int = 0
    swap: int = MIX
    swap_threshold: int = 64  # largest number of local columns for which Mix uses the binary exchange
    l1_transposed: bool = True
    u_transposed: bool = True
    equilibration: bool = True
    alignment: int = 8  # of local arrays, in doubles

    def code(self) -> str:
        """Return HPL's encoded variant (T/V): wall time, PMAP, DEPTH, BCAST, RFACT, NDIV, PFACT, NBMIN."""
        mapping = "C" if self.column_major else "R"
        rfact, pfact = LOOKING[self.rfact][0], LOOKING[self.pfact][0]
        return f"W{mapping}{self.depth}{self.bcast}{rfact}{self.ndiv}{pfact}{self.nbmin}"

    def operations(self) -> float:
        """Return the number of floating-point operations on which Gflop/s are based, whatever is really computed."""
        return 2 / 3 * self.n**3 + 3 / 2 * self.n**2

    def spreads(self, columns: int) -> bool:
        """Return whether rows with `columns` local columns are exchanged by spread and roll, not by binary exchange."""
        return self.swap == SPREAD_ROLL or (self.swap == MIX and columns > self.swap_threshold)
