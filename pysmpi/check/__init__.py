"""Mistakes in MPI programs that a run finds (``pysmpirun --check``). docs/checks.md has an example of each kind."""

from pysmpi.check.finding import KINDS, Finding, report
from pysmpi.check.observation import Observation, observed

__all__ = ["KINDS", "Finding", "Observation", "observed", "report"]
