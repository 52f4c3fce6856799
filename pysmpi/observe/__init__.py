"""What a run can tell of itself beyond its times."""

from pysmpi.observe.phases import PhaseUse, phase

__all__ = ["PhaseUse", "phase"]
