"""Estimates: what a sequential NumPy program would send on many nodes, before there is a parallel version.

`estimate` runs a program with traced arrays and counts what has to cross between nodes. The stages are modules of
their own: `recorder`, `traced`, `rules` (the run), `flow` (values and edges), `blocks` (owners), `counting` (words).
"""

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.estimating import Estimate, estimate
from pysmpi.estimates.function_rules import depends_on_all
from pysmpi.estimates.rows import Row
from pysmpi.estimates.rules import estimate_rule

__all__ = ["Estimate", "EstimateError", "Row", "depends_on_all", "estimate", "estimate_rule"]
