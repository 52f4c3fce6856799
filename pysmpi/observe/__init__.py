"""What a run can tell of itself beyond its times."""

from pysmpi.observe.phases import PhaseUse, phase
from pysmpi.observe.reports import report

__all__ = ["PhaseUse", "phase", "report"]
