"""HPL's output format: parameters, one result line for each variant, residual, summary."""

from collections import Counter
from collections.abc import Iterable

from options import Plan
from residual import EPSILON, Residual
from variant import Variant

DOUBLE_RULE = "=" * 80
RULE = "-" * 80


def header(plan: Plan) -> str:
    """What will be run."""
    variants = plan.asked.variants()
    lines = [
        DOUBLE_RULE,
        "HPL in Python  --  High-Performance Linpack benchmark, after HPL 2.3",
        DOUBLE_RULE,
        "",
        "The following parameter values will be used:",
        "",
        parameter("N", (variant.n for variant in variants)),
        parameter("NB", (variant.nb for variant in variants)),
        f"PMAP   : {'Column' if variants[0].column_major else 'Row'}-major process mapping",
        parameter("P", (variant.p for variant in variants)),
        parameter("Q", (variant.q for variant in variants)),
        parameter("PFACT", ["Left"]),
        parameter("NBMIN", (variant.nbmin for variant in variants)),
        parameter("NDIV", (variant.ndiv for variant in variants)),
        parameter("RFACT", ["Left"]),
        parameter("BCAST", ["1ring"]),
        parameter("DEPTH", [0]),
        "",
        RULE,
        "",
    ]
    if plan.model is None:
        lines += [
            "- The matrix A is randomly generated for each test.",
            "- The following scaled residual check will be computed:",
            "      ||Ax-b||_oo / ( eps * ( || x ||_oo * || A ||_oo + || b ||_oo ) * N )",
            f"- The relative machine precision (eps) is taken to be {EPSILON:26.6e}",
            f"- Computational tests pass if scaled residuals are less than {plan.asked.threshold:19.1f}",
        ]
    else:
        lines += [
            "- Simulated computation: nothing is calculated, and residuals are not checked.",
            f"- dgemm takes {plan.model.gemm:e} s * M*N*K, dtrsm {plan.model.trsm:e} s * M*N*N, all else no time.",
        ]
    return "\n".join([*lines, ""])


def parameter(name: str, values: Iterable[object]) -> str:
    """One line of the list of parameters: each value once, in order."""
    return f"{name:7}: " + " ".join(f"{value!s:>7}" for value in dict.fromkeys(values))


def result(variant: Variant, seconds: float) -> str:
    """The result line: encoded variant, N, NB, P, Q, time and Gflop/s, under its heading."""
    gflops = variant.operations() / seconds / 1e9
    return "\n".join(
        [
            DOUBLE_RULE,
            "T/V                N    NB     P     Q               Time                 Gflops",
            RULE,
            f"{variant.code()}{variant.n:12d} {variant.nb:5d} {variant.p:5d} {variant.q:5d} "
            f"{seconds:18.9f} {gflops:22.9e}",
        ]
    )


def check(residual: Residual, threshold: float) -> str:
    """The residual's line, and the norms when it is too large."""
    passed = residual.scaled < threshold
    lines = [
        RULE,
        f"||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= {residual.scaled:16.7f} ...... "
        + ("PASSED" if passed else "FAILED"),
    ]
    if not passed:
        lines += [
            f"||Ax-b||_oo  . . . . . . . . . . . . . . . . . = {residual.unscaled:18.6f}",
            f"||A||_oo . . . . . . . . . . . . . . . . . . . = {residual.a_infinity:18.6f}",
            f"||A||_1  . . . . . . . . . . . . . . . . . . . = {residual.a_one:18.6f}",
            f"||x||_oo . . . . . . . . . . . . . . . . . . . = {residual.x_infinity:18.6f}",
            f"||b||_oo . . . . . . . . . . . . . . . . . . . = {residual.b_infinity:18.6f}",
        ]
    return "\n".join(lines)


def summary(outcomes: Iterable[str]) -> str:
    """How many tests ended how: outcomes are "passed", "failed" and "unchecked"."""
    count = Counter(outcomes)
    return "\n".join(
        [
            DOUBLE_RULE,
            "",
            f"Finished {count.total():6d} tests with the following results:",
            f"         {count['passed']:6d} tests completed and passed residual checks,",
            f"         {count['failed']:6d} tests completed and failed residual checks,",
            f"         {count['unchecked']:6d} tests completed without checking.",
            RULE,
            "",
            "End of Tests.",
            DOUBLE_RULE,
        ]
    )
