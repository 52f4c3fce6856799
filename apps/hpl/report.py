"""Output of HPL 2.3, line by line: parameters, results, residuals, summary (HPL_pdinfo, HPL_pdtest, HPL_pddriver).

Two things differ from HPL. Times and Gflop/s have more digits, in HPL's columns. A simulation prints what it models in
the place where HPL explains its residual.
"""

import time
from collections import Counter
from collections.abc import Iterable, Sequence

from model_factorisation import Coefficients
from options import Plan
from residual import EPSILON, Residual
from variant import BROADCASTS, LOOKING, MIX, SWAPS, Variant

DOUBLE_RULE = "=" * 80
RULE = "-" * 80
BANNER = f"""\
{DOUBLE_RULE}
HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018
Written by A. Petitet and R. Clint Whaley,  Innovative Computing Laboratory, UTK
Modified by Piotr Luszczek, Innovative Computing Laboratory, UTK
Modified by Julien Langou, University of Colorado Denver
{DOUBLE_RULE}

An explanation of the input/output parameters follows:
T/V    : Wall time / encoded variant.
N      : The order of the coefficient matrix A.
NB     : The partitioning blocking factor.
P      : The number of process rows.
Q      : The number of process columns.
Time   : Time in seconds to solve the linear system.
Gflops : Rate of execution for solving the linear system.

The following parameter values will be used:
"""
HEADING = f"""\
{DOUBLE_RULE}
T/V                N    NB     P     Q               Time                 Gflops
{RULE}"""


def header(plan: Plan) -> str:
    """Return the text about what will be run and how it is checked."""
    asked = plan.asked
    swap = SWAPS[asked.swap] + (f" (threshold = {asked.swap_threshold})" if asked.swap == MIX else "")
    lines = [
        BANNER,
        listed("N", asked.ns),
        listed("NB", asked.nbs),
        f"PMAP   : {'Column' if asked.column_major else 'Row'}-major process mapping",
        listed("P", asked.ps),
        listed("Q", asked.qs),
        listed("PFACT", [LOOKING[which] for which in asked.pfacts]),
        listed("NBMIN", asked.nbmins),
        listed("NDIV", asked.ndivs),
        listed("RFACT", [LOOKING[which] for which in asked.rfacts]),
        listed("BCAST", [BROADCASTS[which] for which in asked.bcasts]),
        listed("DEPTH", asked.depths),
        f"SWAP   : {swap}",
        f"L1     : {'' if asked.l1_transposed else 'no-'}transposed form",
        f"U      : {'' if asked.u_transposed else 'no-'}transposed form",
        f"EQUIL  : {'yes' if asked.equilibration else 'no'}",
        f"ALIGN  : {asked.alignment} double precision words",
        "",
    ]
    if plan.checks():
        lines += [
            RULE,
            "",
            "- The matrix A is randomly generated for each test.",
            "- The following scaled residual check will be computed:",
            "      ||Ax-b||_oo / ( eps * ( || x ||_oo * || A ||_oo + || b ||_oo ) * N )",
            f"- The relative machine precision (eps) is taken to be {EPSILON:26.6e}",
            f"- Computational tests pass if scaled residuals are less than {asked.threshold:19.1f}",
            "",
        ]
    elif plan.model is not None:
        lines += [
            RULE,
            "",
            "- Simulated computation: nothing is calculated, and residuals are not checked.",
            *(published_durations(plan.model) if plan.pivots is None else plan.rates.described()),
            "",
        ]
    return "\n".join(lines)


def published_durations(model: Coefficients) -> list[str]:
    """Return the line on the coefficients of the published model."""
    return [f"- dgemm takes {model.gemm:e} s * M*N*K, dtrsm {model.trsm:e} s * M*N*N, all else no time."]


def listed(name: str, values: Sequence[object]) -> str:
    """Return the values of a parameter as given: eight per line on two lines, then all others."""
    rows = [row for row in (values[:8], values[8:16], values[16:]) if row]
    return f"{name:7}:" + "\n        ".join("".join(f"{value!s:>8} " for value in row) for row in rows)


def result(variant: Variant, seconds: float) -> str:
    """Return encoded variant, N, NB, P, Q, time and Gflop/s, and the dates, for a run that has just ended."""
    gflops = variant.operations() / seconds / 1e9
    end = time.time()
    return (
        f"{variant.code()}{variant.n:12d} {variant.nb:5d} {variant.p:5d} {variant.q:5d} "
        f"{seconds:18.9f} {gflops:22.9e}\n"
        f"HPL_pdgesv() start time {time.ctime(end - seconds)}\n\n"
        f"HPL_pdgesv() end time   {time.ctime(end)}\n"
    )


def check(residual: Residual, threshold: float) -> str:
    """Return the residual's line, with the norms if it is too large."""
    passed = residual.scaled < threshold
    lines = [
        RULE,
        f"||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= {residual.scaled:16.8e} ...... "
        + ("PASSED" if passed else "FAILED"),
    ]
    if not passed:
        lines += [
            f"||Ax-b||_oo  . . . . . . . . . . . . . . . . . = {residual.unscaled:18.6f}",
            f"||A||_oo . . . . . . . . . . . . . . . . . . . = {residual.a_infinity:18.6f}",
            f"||A||_1  . . . . . . . . . . . . . . . . . . . = {residual.a_one:18.6f}",
            f"||x||_oo . . . . . . . . . . . . . . . . . . . = {residual.x_infinity:18.6f}",
            f"||x||_1  . . . . . . . . . . . . . . . . . . . = {residual.x_one:18.6f}",
            f"||b||_oo . . . . . . . . . . . . . . . . . . . = {residual.b_infinity:18.6f}",
        ]
    return "\n".join(lines)


def summary(outcomes: Iterable[str], checks: bool) -> str:
    """Return the counts of outcomes, which are "passed", "failed", "unchecked" and "skipped"."""
    count = Counter(outcomes)
    if checks:
        lines = [
            f"         {count['passed']:6d} tests completed and passed residual checks,",
            f"         {count['failed']:6d} tests completed and failed residual checks,",
        ]
    else:
        lines = [f"         {count['unchecked']:6d} tests completed without checking,"]
    return "\n".join(
        [
            DOUBLE_RULE,
            "",
            f"Finished {count.total():6d} tests with the following results:",
            *lines,
            f"         {count['skipped']:6d} tests skipped because of illegal input values.",
            RULE,
            "",
            "End of Tests.",
            DOUBLE_RULE,
        ]
    )
