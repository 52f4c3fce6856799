"""Estimates: what a sequential NumPy program would send on many nodes, before there is a parallel version.

`estimate` runs a program with traced arrays and counts the words (of 8 bytes) that nodes must send to each other. Each
stage has its modules: the run (`recorder`, `traced`, `rules`), the data-flow graph (`value_flow`), the owners of array
elements (`block_cuts`, `partition`), the words (`word_count`), and the simulated time (`skeleton`, `estimate_machine`).

Terms in these modules:
    value: content of one array element, or a scalar, from one assignment to the next. Values are numbered.
    element position: one element of one array. The positions of all arrays are numbered (`home`, `loc`, `places`).
    execution: one execution of a statement of the program. Executions are numbered (`event`, `at`).
    data-flow graph: values, with an edge from each value that is read (source) to the value computed from it (sink).
    meeting: auxiliary vertex of this graph that stands for edges from all its sources to all its sinks.
    vertex: something that one node owns: an element position, or a scalar that lives in no array.
    cut: the node that owns each vertex. The usual cut is the cut into blocks that sends the fewest words.
    steady step: one period of the repetition that makes most of the program's computation, such as a time step.
    skeleton: messages and computations of each node in a step, as schedules that can be simulated.
"""

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.estimating import Estimate, estimate
from pysmpi.estimates.rows import Row
from pysmpi.estimates.rules import depends_on_all, estimate_rule

__all__ = ["Estimate", "EstimateError", "Row", "depends_on_all", "estimate", "estimate_rule"]
