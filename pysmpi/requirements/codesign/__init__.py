"""Co-design: what a machine must have for a program, from formulas of the program's requirements.

A machine has a number of processes p, and a memory for each of them. The largest problem that fits into the memory
gives the problem size n of a process; n and p give every other requirement. `upgraded` and `ratios` compare a machine
with larger ones. `on_systems` divides requirements by the rates of machines, and finds the resource that limits the
program on each.
"""

from pysmpi.requirements.codesign.filling import MEMORY, PARAMETERS, Point, Requirements, fill, largest_processes
from pysmpi.requirements.codesign.leading_powers import leading_powers
from pysmpi.requirements.codesign.systems import System, benchmark, on_systems, read_systems
from pysmpi.requirements.codesign.upgrade import (
    UPGRADES,
    Upgrade,
    leading_ratios,
    linear_ratios,
    parse_upgrade,
    ratios,
    upgraded,
)

__all__ = [
    "MEMORY",
    "PARAMETERS",
    "UPGRADES",
    "Point",
    "Requirements",
    "System",
    "Upgrade",
    "benchmark",
    "fill",
    "largest_processes",
    "leading_powers",
    "leading_ratios",
    "linear_ratios",
    "on_systems",
    "parse_upgrade",
    "ratios",
    "read_systems",
    "upgraded",
]
