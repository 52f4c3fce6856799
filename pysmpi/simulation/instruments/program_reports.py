"""Phases and metrics that a program defines with `pysmpi.phase` and `pysmpi.report`, as parts of the run's result."""

from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.notes import Importance, Note, listed
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.instruments.profile.phases import PhaseUse, forget_phases, phase_uses
from pysmpi.simulation.instruments.reports import declared_better, forget_reports, reported
from pysmpi.util.quantities import counted, human_seconds

__all__ = ["ProgramReports"]


class ProgramReports(Instrument):
    """Instrument of every run that collects the program's phases and reported metrics."""

    def begin(self, run: Run) -> None:
        forget_phases()
        forget_reports(run.program_of)

    def end(self, run: Run, result: Result) -> None:
        result.parts |= {"phases": phase_uses(), "reported": reported(), "better": declared_better()}
        if result.phases:
            lines = [_line(use, has_energy=result.energy is not None) for use in result.phases]
            count = counted(len(lines), "phase")
            result.notes.append(Note(Importance.REMARK, count, "\n".join(listed(lines))))


def _line(use: PhaseUse, *, has_energy: bool) -> str:
    joules = f", {use.joules:,.6g} J" if has_energy else ""
    return (
        f"phase {use.name}: {human_seconds(use.seconds / use.ranks)} a rank, at most "
        f"{human_seconds(use.longest)}, on {counted(use.ranks, 'rank')}{joules}"
    )
