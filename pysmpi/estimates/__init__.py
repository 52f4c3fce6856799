"""Estimates: what a sequential NumPy program would send on many nodes, before there is a parallel version.

`estimate` runs a program with traced arrays and counts the words that nodes must send to each other. Each stage has its
modules: the run (`recorder`, `traced`, `rules`), the graph of values (`flow`), their owners (`blocks`, `partition`),
and the words (`counting`).
"""

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.estimating import Estimate, estimate
from pysmpi.estimates.rows import Row
from pysmpi.estimates.rules import depends_on_all, estimate_rule

__all__ = ["Estimate", "EstimateError", "Row", "depends_on_all", "estimate", "estimate_rule"]
