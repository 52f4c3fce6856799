"""Execution of a job: build the simulation, start its observers (instruments), run the ranks, collect the result."""

from pysmpi.simulation.instruments.instrument import observed_by
from pysmpi.simulation.launch.build import built
from pysmpi.simulation.launch.busy_cores import keep_cores_busy
from pysmpi.simulation.launch.collect import Conclusion, collect
from pysmpi.simulation.launch.instrument_kinds import instruments_of
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
