"""The command line: which problems to solve, and how computation is treated."""

import argparse
import pathlib
from typing import NamedTuple, NoReturn

import dat
from distribution import squarest
from variant import Variant

# Seconds per M·N·K of dgemm and per M·N² of dtrsm: a laptop with ATLAS on one core of about 12 Gflop/s
# (T. Cornebize, "Capacity Planning of Supercomputers", 2017, public notebook).
C_GEMM = 1.658198e-10
C_TRSM = 8.624970e-11

DESCRIPTION = """\
The High-Performance Linpack benchmark in Python: solves a random dense system A·x = b of order N by LU with partial
pivoting on a P×Q grid of processes, and reports time and Gflop/s in HPL's format.

Under a real MPI it computes, and checks the residual. Under pysmpirun the matrix is folded memory and only the time of
dgemm and dtrsm passes, so that any N fits; --exact computes there too.
"""


class Plan(NamedTuple):
    """What every rank has to know."""

    variants: list[Variant]
    threshold: float
    exact: bool
    c_gemm: float
    c_trsm: float
    solution: str | None
    notices: list[str]


def parse(arguments: list[str], ranks: int, simulated: bool) -> Plan:
    """The plan that the command line asks for; exits with a message printed when it is wrong or asks for help."""
    parser = argparse.ArgumentParser(
        prog="hpl.py", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dat", nargs="?", metavar="HPL.dat", help="HPL's input file, instead of --n --nb --p --q")
    parser.add_argument("--n", type=positive, help="order of the system")
    parser.add_argument("--nb", type=positive, default=120, help="block size (default 120)")
    parser.add_argument("--p", type=positive, help="process rows (default: the squarest grid, or ranks / Q)")
    parser.add_argument("--q", type=positive, help="process columns (default: the squarest grid, or ranks / P)")
    parser.add_argument("--exact", action="store_true", help="compute for real in a simulation too")
    parser.add_argument("--c-gemm", type=coefficient, default=C_GEMM, metavar="SECONDS",
                        help="simulated seconds per M·N·K of dgemm (default %(default)s)")  # fmt: skip
    parser.add_argument("--c-trsm", type=coefficient, default=C_TRSM, metavar="SECONDS",
                        help="simulated seconds per M·N² of dtrsm (default %(default)s)")  # fmt: skip
    parser.add_argument("--solution", metavar="FILE", help="write x to this file in NumPy's format (exact runs)")
    options = parser.parse_args(arguments)
    exact = options.exact or not simulated
    if options.solution is not None and not exact:
        parser.error("--solution needs --exact: this simulation does not compute x")

    if (options.dat is None) == (options.n is None):
        parser.error("give either the name of an HPL.dat file or --n")
    if options.dat is not None:
        wanted = read(parser, options.dat)
    else:
        p, q = grid(parser, options.p, options.q, ranks)
        wanted = dat.Input([Variant(options.n, options.nb, p, q)], 16.0, [])
    for variant in wanted.variants:
        if variant.p * variant.q > ranks:
            parser.error(f"a {variant.p} x {variant.q} grid needs {variant.p * variant.q} ranks, there are {ranks}")
    return Plan(wanted.variants, wanted.threshold, exact, options.c_gemm, options.c_trsm, options.solution,
                wanted.notices)  # fmt: skip


def read(parser: argparse.ArgumentParser, name: str) -> dat.Input:
    """The input file's content."""
    try:
        return dat.parse(name, pathlib.Path(name).read_text())
    except OSError as error:
        fail(parser, f"{name} cannot be read: {error.strerror}")
    except dat.DatError as error:
        fail(parser, str(error))


def fail(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    """End with a message and without the usage, which does not help with an input file."""
    parser.exit(2, f"hpl.py: {message}\n")


def grid(parser: argparse.ArgumentParser, p: int | None, q: int | None, ranks: int) -> tuple[int, int]:
    """P and Q, where they are not both given."""
    if p is None and q is None:
        return squarest(ranks)
    p, q = p or ranks // (q or 1), q or ranks // (p or 1)
    if not p or not q:
        parser.error(f"there are only {ranks} ranks")
    return p, q


def positive(text: str) -> int:
    """A whole number from 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def coefficient(text: str) -> float:
    """A finite number from 0."""
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number of seconds")
    return number
