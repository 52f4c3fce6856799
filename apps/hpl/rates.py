"""Durations of dgemm and dtrsm in a simulation, and their origin: the platform, a BLAS model, or the command line."""

from typing import NamedTuple

from model_factorisation import Coefficients

import pysmpi

EFFICIENCY = 0.9
"""Share of the host's speed that dgemm reaches in the update, where K is NB: tuned libraries reach 85 to 95 %."""

TRSM_SHARE = 0.96
"""Rate of dtrsm over that of dgemm, as in T. Cornebize's measurements (see README of the published model)."""


class Rates(NamedTuple):
    """Origin of the durations. The method `here` converts them to the host of each process.

    Attributes:
        efficiency: share of the host's speed that dgemm reaches, if no other field determines the durations.
        gemm: seconds per M·N·K of dgemm, or None.
        trsm: seconds per M·N² of dtrsm, or None for the same rate as without `gemm`, relative to dgemm.
        speed: speed (flop/s) of the host on which `gemm` and `trsm` were measured; None if they hold for every host.
        blas: True if the model of ``pysmpirun --blas`` gives the time of each routine.
    """

    efficiency: float = EFFICIENCY
    gemm: float | None = None
    trsm: float | None = None
    speed: float | None = None
    blas: bool = False

    def here(self) -> Coefficients:
        """Return the coefficients on the host of the calling process."""
        speed = pysmpi.host().speed
        assert speed is not None  # a simulated host
        if self.gemm is None:
            gemm = 2 / (self.efficiency * speed)
            return Coefficients(gemm, gemm / 2 / TRSM_SHARE)
        scale = self.speed / speed if self.speed is not None else 1.0
        trsm = self.gemm / 2 / TRSM_SHARE if self.trsm is None else self.trsm
        return Coefficients(self.gemm * scale, trsm * scale)

    def described(self) -> list[str]:
        """Return lines for the header on the durations and their origin."""
        gemm, trsm = self.here()
        durations = f"- dgemm takes {gemm:e} s * M*N*K, dtrsm {trsm:e} s * M*N*N, all else no time."
        if self.blas:
            named = ", ".join(sorted(pysmpi.modelled_routines() & ROUTINES))
            lines = [f"- The BLAS model of --blas gives the time of {named}; other routines take no time."]
            if "dtrsm" not in pysmpi.modelled_routines():
                lines[0] = lines[0].replace("; other", f", dtrsm takes {trsm:e} s * M*N*N; other")
            return lines
        if self.gemm is None:
            speed = pysmpi.host().speed
            assert speed is not None
            origin = f"- Origin: the platform. dgemm reaches {self.efficiency:g} of the host's {speed / 1e9:g} Gflop/s."
        elif self.speed is None:
            origin = "- Origin: the command line. These times are the same on every host, whatever its speed."
        else:
            origin = f"- Origin: the command line, measured on a host of {self.speed / 1e9:g} Gflop/s."
        return [durations, origin]


COPIES = frozenset(
    ("dlacpy", "dlaswp01t", "dlaswp02n", "dlaswp03t", "dlaswp04t", "dlaswp05t", "dlaswp06t", "dlaswp10n", "dlatcpy")
)
"""HPL's copies of rows whose time a BLAS model gives."""

ROUTINES = frozenset((*COPIES, "dcopy", "dgemm", "dgemv", "dger", "dlaswp", "dscal", "dtrsm", "dtrsv", "idamax"))
"""Routines of BLAS, LAPACK and HPL whose time a BLAS model gives."""
