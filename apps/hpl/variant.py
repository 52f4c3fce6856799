"""What is run: one combination of the parameters that HPL.dat lists."""

from typing import NamedTuple


class Variant(NamedTuple):
    """Problem, blocking, grid and the choices of the algorithm, named as in HPL.dat."""

    n: int
    nb: int
    p: int
    q: int
    column_major: bool = False  # PMAP
    ndiv: int = 2
    nbmin: int = 2

    def code(self) -> str:
        """HPL's encoded variant (T/V): wall time, PMAP, DEPTH, BCAST, RFACT, NDIV, PFACT, NBMIN."""
        return f"W{'C' if self.column_major else 'R'}00L{self.ndiv}L{self.nbmin}"

    def operations(self) -> float:
        """The flops that the solution counts for, whatever is really computed."""
        return 2 / 3 * self.n**3 + 3 / 2 * self.n**2
