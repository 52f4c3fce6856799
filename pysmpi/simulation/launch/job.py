"""Description of a run: which programs run on which hosts, with which options."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pysmpi.platform import Platform
from pysmpi.platform.scaling import Scaling
from pysmpi.simulation.launch.program import Program
from pysmpi.simulation.modifiers.best_selector import Trials
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.run_options import RunOptions

__all__ = ["Job"]


@dataclass
class Job:
    """A run to be simulated.

    Attributes:
        platform: simulated machine.
        placed: host number of each rank.
        programs: programs of the run.
        program_of: index into `programs` for each rank.
        configuration: settings of the simulation, such as ``network/model`` (``--cfg``).
        options: other options of the run, as on the command line of pysmpirun.
        scalings: factors on speeds, bandwidths and latencies of the platform.
        apart: True if each program has its own MPI_COMM_WORLD, False if all share one.
        first_seeded: number of the sequence of random numbers that rank 0 draws from; rank r has the sequence
            `first_seeded` + r. It is also the number of rank 0 in the file `intervals`.
        trials: function that returns a context manager around trial simulations, in which the selector ``best``
            compares the algorithms of a collective; None if the job does not support this selector.
        shares_intervals: whether the run shares its measured intervals of computation with other runs, or measures
            how far they differ.
        intervals: file of these intervals, which is written if it does not exist; None to share none.
    """

    platform: Platform
    placed: Sequence[int]
    programs: Sequence[Program]
    program_of: Sequence[int]
    configuration: Configuration = field(default_factory=Configuration)
    options: RunOptions = field(default_factory=RunOptions)
    scalings: Sequence[Scaling] = ()
    apart: bool = False
    first_seeded: int = 0
    trials: Trials | None = None
    shares_intervals: bool = False
    intervals: str | None = None
