"""Execution of a job: build the simulation, start its observers (instruments), run the ranks, collect the result."""

from pysmpi.requirements.counting.counting import Counting
from pysmpi.simulation.instruments.best_selector import BestSelector
from pysmpi.simulation.instruments.blas_charging import BlasCharging
from pysmpi.simulation.instruments.check.checking import Check
from pysmpi.simulation.instruments.effects import Effects
from pysmpi.simulation.instruments.energy.meter import EnergyMeters
from pysmpi.simulation.instruments.folded_memory import FoldedMemory
from pysmpi.simulation.instruments.instrument import Instrument, observed_by
from pysmpi.simulation.instruments.observation import Observation
from pysmpi.simulation.instruments.program_reports import ProgramReports
from pysmpi.simulation.instruments.progress import Progress
from pysmpi.simulation.instruments.saved_run.saved_run import SavingRun
from pysmpi.simulation.instruments.shared_intervals import SharedIntervals
from pysmpi.simulation.instruments.system_noise import SystemNoise
from pysmpi.simulation.instruments.ti_trace import TiTrace
from pysmpi.simulation.instruments.timeline.timeline import Timeline
from pysmpi.simulation.launch.basis import Basis
from pysmpi.simulation.launch.build import built
from pysmpi.simulation.launch.busy_cores import keep_cores_busy
from pysmpi.simulation.launch.collect import Conclusion, collect
from pysmpi.simulation.launch.job import Job

__all__ = ["run"]


def run(job: Job) -> Conclusion:
    """Run a job until all its ranks have ended, for whatever reason.

    Raises:
        SimulationError: another simulation is under way in this process.
        BindingError: mpi4py cannot be bound to the simulator.
        ConfigurationError: a setting has no effect.
        LaunchError: an output file cannot be written, or the rank to be debugged does not exist.
        PlatformError: the platform does not support the routing that the settings require, or lacks the power values
            for an energy report that they request.
        PlacementError: the host of a rank is off when the simulation begins.
    """
    with keep_cores_busy(job, _run_alone):
        return _run_alone(job)


def _run_alone(job: Job) -> Conclusion:
    instruments = instruments_of(job)
    with built(job) as simulation, observed_by(instruments, simulation.run):
        simulation.ranks.run_all()
        return collect(simulation, instruments)


def instruments_of(job: Job) -> list[Instrument]:
    """Return the instruments of a run (objects that observe it or change its timing) in the order in which they begin.

    They end and close in reverse order.
    """
    options, settings = job.options, job.configuration
    saves = options.save_run is not None
    times, traffic = bool(options.profile) or saves, bool(options.network_report) or saves
    instruments: list[Instrument | None] = [
        SavingRun(options.save_run) if options.save_run is not None else None,  # ends last: it writes the whole result
        Basis(),  # ends when all others have added their parts
        ProgramReports(),
        SharedIntervals(job.intervals, job.first_seeded) if job.shares_intervals else None,
        BlasCharging(options.blas, options.seed, job.first_seeded) if options.blas is not None else None,
        SystemNoise(settings["smpi/noise"], options.seed, job.first_seeded) if settings["smpi/noise"] else None,
        EnergyMeters(settings["plugin"]) if settings["plugin"] else None,
        Check() if options.check else None,
        BestSelector(job.trials) if settings.finds_best_algorithms else None,
        FoldedMemory(),
        Effects(),
        TiTrace(options.trace_ti) if options.trace_ti is not None else None,
        Timeline.of(options.trace, options.trace_format),
        Observation(times=times, traffic=traffic) if times or traffic else None,
        Counting() if options.requirements else None,
        Progress() if not options.quiet else None,  # ends first: its line disappears before others print messages
    ]
    return [each for each in instruments if each is not None]
