"""HPL's input file HPL.dat: 31 lines of fixed meaning; words after a line's values are ignored."""

from itertools import product
from typing import NamedTuple

from variant import Variant


class DatError(Exception):
    """Error in an HPL.dat file; the message names the line and the problem."""


class Input(NamedTuple):
    """Content of the file: lists whose combinations are all run, and values common to all runs."""

    ns: list[int]
    nbs: list[int]
    ps: list[int]
    qs: list[int]
    pfacts: list[int]
    nbmins: list[int]
    ndivs: list[int]
    rfacts: list[int]
    bcasts: list[int]
    depths: list[int]
    column_major: bool
    swap: int
    swap_threshold: int
    l1_transposed: bool
    u_transposed: bool
    equilibration: bool
    alignment: int
    threshold: float

    def variants(self) -> list[Variant]:
        """Return the runs in HPL's order: the last list changes fastest."""
        return [
            Variant(n, nb, p, q, self.column_major, pfact, nbmin, ndiv, rfact, bcast, depth, self.swap,
                    self.swap_threshold, self.l1_transposed, self.u_transposed, self.equilibration, self.alignment)
            for (p, q), n, nb, depth, bcast, rfact, pfact, nbmin, ndiv
            in product(zip(self.ps, self.qs, strict=True), self.ns, self.nbs, self.depths, self.bcasts, self.rfacts,
                       self.pfacts, self.nbmins, self.ndivs)
        ]  # fmt: skip


class _Lines:
    """Lines of the file, read one after the other; errors name file and line."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.lines, self.at = name, text.splitlines(), 0

    def skip(self, count: int) -> None:
        self.at += count

    def error(self, problem: str) -> DatError:
        return DatError(f"{self.name}:{self.at}: {problem}")

    def values(self, name: str, count: int, least: int, most: int | None = None) -> list[int]:
        """Return the first `count` words of the next line, as numbers from `least` to `most`."""
        words = self._words(name)
        numbers = []
        for word in words[:count]:
            try:
                numbers.append(int(word))
            except ValueError:
                raise self.error(f"{name} is {word!r}, not a whole number") from None
            if numbers[-1] < least or (most is not None and numbers[-1] > most):
                valid = f"at least {least}" if most is None else f"{least} to {most}"
                raise self.error(f"{name} is {numbers[-1]}; valid: {valid}")
        if len(numbers) < count:
            raise self.error(f"{count} values of {name} are announced, but {len(numbers)} found")
        return numbers

    def listed(self, name: str, least: int, most: int | None = None) -> list[int]:
        """Return the values of a list: a line with their number, and a line with the values."""
        (count,) = self.values(f"the number of {name} values", 1, 1)
        return self.values(name, count, least, most)

    def real(self, name: str) -> float:
        """Return the first word of the next line as a number."""
        word = self._words(name)[0]
        try:
            return float(word)
        except ValueError:
            raise self.error(f"{name} is {word!r}, not a number") from None

    def _words(self, name: str) -> list[str]:
        self.at += 1
        if self.at > len(self.lines) or not self.lines[self.at - 1].split():
            raise self.error(f"the line of {name} is missing; HPL.dat has 31 lines")
        return self.lines[self.at - 1].split()


def parse(name: str, text: str) -> Input:
    """Read the text of an HPL.dat file called `name`. Raises DatError."""
    lines = _Lines(name, text)
    lines.skip(4)  # two titles, output file and device; the output always goes to standard output
    ns = lines.listed("N", 1)
    nbs = lines.listed("NB", 1)
    (pmap,) = lines.values("PMAP", 1, 0, 1)
    (grids,) = lines.values("the number of grids", 1, 1)
    ps = lines.values("P", grids, 1)
    qs = lines.values("Q", grids, 1)
    threshold = lines.real("the residual's threshold")
    pfacts = lines.listed("PFACT", 0, 2)
    nbmins = lines.listed("NBMIN", 1)
    ndivs = lines.listed("NDIV", 2)
    rfacts = lines.listed("RFACT", 0, 2)
    bcasts = lines.listed("BCAST", 0, 5)
    depths = lines.listed("DEPTH", 0)
    (swap,) = lines.values("SWAP", 1, 0, 2)
    (swap_threshold,) = lines.values("the swapping threshold", 1, 0)
    (l1,) = lines.values("the form of L1", 1, 0, 1)
    (u,) = lines.values("the form of U", 1, 0, 1)
    (equilibration,) = lines.values("Equilibration", 1, 0, 1)
    (alignment,) = lines.values("the alignment", 1, 1)
    return Input(ns, nbs, ps, qs, pfacts, nbmins, ndivs, rfacts, bcasts, depths, bool(pmap), swap, swap_threshold,
                 not l1, not u, bool(equilibration), alignment, threshold)  # fmt: skip


def single(n: int, nb: int, p: int, q: int) -> Input:
    """Return the input for one problem on one grid, with usual values for all other parameters."""
    usual = Variant(n, nb, p, q)
    return Input([n], [nb], [p], [q], [usual.pfact], [usual.nbmin], [usual.ndiv], [usual.rfact], [usual.bcast],
                 [usual.depth], usual.column_major, usual.swap, usual.swap_threshold, usual.l1_transposed,
                 usual.u_transposed, usual.equilibration, usual.alignment, 16.0)  # fmt: skip
