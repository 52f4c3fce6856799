"""Command line: problems to solve, and treatment of computation."""

import argparse
import pathlib
import sys
from random import getrandbits
from typing import Any, NamedTuple, NoReturn

import dat
import information
from distribution import squarest
from model_factorisation import Coefficients
from mpi4py import MPI
from rates import EFFICIENCY, Rates

import pysmpi

DESCRIPTION = """\
The High-Performance Linpack benchmark in Python: solves a random dense system A·x = b of order N by LU with partial
pivoting on a P×Q grid of processes, and reports time and Gflop/s in HPL's format.

Under a real MPI it computes, and checks the residual. Under pysmpirun nothing is calculated, and only the time of
dgemm, dtrsm and the messages passes, so that any N fits; --exact computes there too.

The time of dgemm comes from the speed of the simulated host, from the model of pysmpirun --blas if one is given (then
also that of the other routines), or from --c-gemm.
"""


class Plan(NamedTuple):
    """Options that every rank needs."""

    asked: dat.Input
    model: Coefficients | None  # None: real computation
    rates: Rates  # origin of the coefficients, except in the published model
    pivots: int | None  # seed of random pivots; None: the published model, including its pivots and polls
    solution: str | None

    def checks(self) -> bool:
        """True if solutions are checked: only if they are really computed, and the threshold is above 0 (as in HPL)."""
        return self.model is None and self.asked.threshold > 0


def parse(arguments: list[str], ranks: int, simulated: bool) -> Plan:
    """Return the plan for the command line. Exit with a message if it is not valid or asks for help."""
    parser = argparse.ArgumentParser(
        prog="hpl.py",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("dat", nargs="?", metavar="HPL.dat", help="HPL's input file, instead of --n --nb --p --q")
    parser.add_argument("--n", type=positive, help="order of the system")
    parser.add_argument("--nb", type=positive, default=120, help="block size (default 120)")
    parser.add_argument("--p", type=positive, help="process rows (default: the squarest grid, or ranks / Q)")
    parser.add_argument("--q", type=positive, help="process columns (default: the squarest grid, or ranks / P)")
    parser.add_argument("--exact", action="store_true", help="compute for real in a simulation too")
    parser.add_argument("--efficiency", type=share_of_speed, metavar="SHARE",
                        help="share of the simulated host's speed that dgemm reaches, above 0 and at most 1 (default"
                        f" {EFFICIENCY:g}; 1 for platforms whose speed was measured in this dgemm)")  # fmt: skip
    parser.add_argument("--c-gemm", type=coefficient, metavar="SECONDS",
                        help="simulated seconds per M·N·K of dgemm, in place of the host's speed")  # fmt: skip
    parser.add_argument("--c-trsm", type=coefficient, metavar="SECONDS",
                        help="simulated seconds per M·N² of dtrsm (default: dgemm's / 1.92)")  # fmt: skip
    parser.add_argument("--c-speed", type=speed, metavar="FLOPS",
                        help="speed in flop/s of a core of the host on which the coefficients were measured: they are"
                        " scaled by it over the speed of the simulated host (default: the same on every"
                        " host)")  # fmt: skip
    parser.add_argument("--published-model", type=published, metavar="C_GEMM,C_TRSM[,HOST_SPEED]",
                        help="the modified HPL of the published experiments, which polls for panels as HPL does; with"
                        " HOST_SPEED (flop/s) coefficients are scaled by it over the host's speed")  # fmt: skip
    parser.add_argument("--solution", metavar="FILE", help="write x to this file in NumPy's format (exact runs)")
    options = parser.parse_args(arguments)
    exact = options.exact or not simulated
    if options.published_model is not None and exact:
        parser.error("--published-model is for simulations without --exact")
    if options.solution is not None and not exact:
        parser.error("--solution needs --exact: this simulation does not compute x")

    if (options.dat is None) == (options.n is None):
        parser.error("give either the name of an HPL.dat file or --n")
    if options.dat is not None:
        wanted = read(parser, options.dat)
    else:
        p, q = grid(parser, options.p, options.q, ranks)
        wanted = dat.single(options.n, options.nb, p, q)
    for p, q in zip(wanted.ps, wanted.qs, strict=True):
        if p * q > ranks:
            parser.error(f"a {p} x {q} grid needs {p * q} ranks, there are {ranks}")
    rates = origin(parser, options, exact)
    model = None if exact else options.published_model or rates.here()
    pivots = None if options.published_model is not None else getrandbits(32)  # depends on pysmpirun --seed
    return Plan(wanted, model, rates, pivots, options.solution)


def origin(parser: argparse.ArgumentParser, options: argparse.Namespace, exact: bool) -> Rates:
    """Return the origin of the durations of dgemm and dtrsm; exit if options exclude each other or have no effect."""
    refuse_unused_rates(parser, options, exact)
    routines = pysmpi.modelled_routines()
    blas = "dgemm" in routines and options.c_gemm is None
    if routines and not blas and options.c_gemm is None and not exact and options.published_model is None:
        parser.error("the BLAS model lacks dgemm; describe it in the model, or give --c-gemm")
    if blas and options.efficiency is not None and "dtrsm" in routines:
        parser.error("--efficiency has no effect: the BLAS model gives the times")
    return Rates(options.efficiency or EFFICIENCY, options.c_gemm, options.c_trsm, options.c_speed, blas and not exact)


def refuse_unused_rates(parser: argparse.ArgumentParser, options: argparse.Namespace, exact: bool) -> None:
    """Exit if options about durations exclude each other or have no effect."""
    names = ("--efficiency", "--c-gemm", "--c-trsm", "--c-speed")
    given = [name for name in names if getattr(options, name[2:].replace("-", "_")) is not None]
    if given and (exact or options.published_model is not None):
        why = "the run computes for real" if exact else "--published-model has its own coefficients"
        parser.error(f"{given[0]} has no effect: {why}")
    if options.efficiency is not None and options.c_gemm is not None:
        parser.error("--efficiency has no effect: --c-gemm gives the time of dgemm")
    if options.c_gemm is None and given and given != ["--efficiency"]:
        parser.error(f"{given[-1]} needs --c-gemm")


def share(world: MPI.Comm, plan: Plan | None) -> Plan:
    """Return the plan of process 0 on all processes, which must all call this.

    Under --published-model, only HPL's own messages are sent: each process reads the remaining options from its command
    line.
    """
    asked = information.share(world, None if plan is None else plan.asked)
    text = published_model(sys.argv[1:])
    if text is not None:
        return Plan(asked, published(text), Rates(), None, None)
    own_fields = plan and (plan.model is not None, tuple(plan.rates), plan.pivots, plan.solution)
    fields: tuple[Any, ...] = world.bcast(own_fields)
    modelled, rates, pivots, solution = fields
    own = Rates(*rates)
    return Plan(asked, own.here() if modelled else None, own, pivots, solution)  # hosts may differ in speed


def published_model(arguments: list[str]) -> str | None:
    """Return the value of --published-model, which every process finds in its own arguments."""
    name = "--published-model"
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument == name:
            return following
        if argument.startswith(f"{name}="):
            return argument.removeprefix(f"{name}=")
    return None


def read(parser: argparse.ArgumentParser, name: str) -> dat.Input:
    """Return the content of the input file."""
    try:
        return dat.parse(name, pathlib.Path(name).read_text())
    except OSError as error:
        fail(parser, f"{name} cannot be read: {error.strerror}")
    except dat.DatError as error:
        fail(parser, str(error))


def fail(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    """Exit with a message but without the usage text, which does not help with an input file."""
    parser.exit(2, f"hpl.py: {message}\n")


def grid(parser: argparse.ArgumentParser, p: int | None, q: int | None, ranks: int) -> tuple[int, int]:
    """Return P and Q, with defaults for missing ones."""
    if p is None and q is None:
        return squarest(ranks)
    p, q = p or ranks // (q or 1), q or ranks // (p or 1)
    if not p or not q:
        parser.error(f"there are only {ranks} ranks")
    return p, q


def positive(text: str) -> int:
    """Convert a text to a whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is too small; it must be at least 1")
    return number


def coefficient(text: str) -> float:
    """Convert a text to a finite number of at least 0."""
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number of seconds")
    return number


def share_of_speed(text: str) -> float:
    """Convert a text to a number above 0 and at most 1."""
    number = float(text)
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not valid; give a number above 0 and at most 1")
    return number


def speed(text: str) -> float:
    """Convert a text to a speed above 0 in flop/s."""
    number = coefficient(text)
    if number == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a speed above 0")
    return number


def published(text: str) -> Coefficients:
    """Convert a text to two coefficients, scaled if the speed of the host on which they were measured is given."""
    parts = text.split(",")
    if not 2 <= len(parts) <= 3:
        raise argparse.ArgumentTypeError(f"{text} is not valid; write C_GEMM,C_TRSM or C_GEMM,C_TRSM,HOST_SPEED")
    gemm, trsm, *speed = (coefficient(part) for part in parts)
    here = pysmpi.host().speed  # unknown in a real run
    scale = speed[0] / here if speed and here else 1.0
    return Coefficients(gemm * scale, trsm * scale)
