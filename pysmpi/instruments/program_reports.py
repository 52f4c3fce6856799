"""Phases and metrics that a program defines with `pysmpi.phase` and `pysmpi.report`, as parts of the run's result."""

from pysmpi.instruments.instrument import Instrument, Run
from pysmpi.instruments.outcome import Result
from pysmpi.instruments.profile.phases import forget_phases, phase_uses
from pysmpi.instruments.reports import declared_better, forget_reports, reported

__all__ = ["ProgramReports"]


class ProgramReports(Instrument):
    """Instrument of every run that collects the program's phases and reported metrics."""

    def begin(self, run: Run) -> None:
        forget_phases()
        forget_reports(run.program_of)

    def end(self, run: Run, result: Result) -> None:
        result.phases = phase_uses()
        result.reported = reported()
        result.better = declared_better()
