"""Instruments: objects that observe a run and add to its result. Modifiers are instruments that change its timing."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TextIO

from pysmpi.errors import PysmpiError
from pysmpi.platform import Platform
from pysmpi.platform.scaling import Scaling
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.settings.configuration import Configuration

__all__ = ["Instrument", "Run", "observed_by"]


@dataclass
class Run:
    """Information about a run that instruments receive.

    Attributes:
        platform: simulated machine.
        configuration: settings of the run.
        command_line: function that returns the command lines of all programs, including spawned programs so far.
        program_of: program number of each rank; spawned ranks are appended.
        host_name: function that returns the host name of a rank.
        errors: stream for messages to the user.
        scalings: factors by which speeds, bandwidths or latencies of the platform are multiplied.
        failed: True if ranks were stopped before their end; set before `Instrument.end` is called.
    """

    platform: Platform
    configuration: Configuration
    command_line: Callable[[], str]
    program_of: Sequence[int]
    host_name: Callable[[int], str]
    errors: TextIO
    scalings: Sequence[Scaling] = ()
    failed: bool = False


class Instrument(ABC):
    """Observer of a run, which adds parts to the run's result; modifiers also change the run's timing.

    A run calls `begin` when the engine has started and no rank has run, `end` when all ranks have ended, and at last
    `close`, also after a failure. Instruments end and close in the reverse order of their beginning. An instrument's
    `end` may therefore read the parts of the result that were added by instruments that began later.
    Afterwards, `lines` and `write` report the result.

    Attributes:
        failure: error that the run reports although the simulation itself succeeded, or None.
    """

    failure: PysmpiError | None = None

    @abstractmethod
    def begin(self, run: Run) -> None:
        """Start observing.

        Raises:
            PysmpiError: the run cannot be observed; it ends before a rank has run.
        """

    def end(self, run: Run, result: Result) -> None:  # noqa: B027 - not every instrument has a part in the result
        """Add the observations to `result`. This method is not called if the run ended with an error of pysmpi."""

    def lines(self, result: Result) -> Iterable[str]:
        """Return the lines that pysmpirun prints after the summary."""
        return ()

    def write(self, result: Result) -> None:  # noqa: B027 - not every instrument writes a file
        """Write the files that were asked for. This is called after `lines` were printed, because a disk may be full.

        Raises:
            PysmpiError: a file cannot be written.
        """

    def close(self) -> None:  # noqa: B027 - not every instrument holds something
        """Stop observing and release the resources of `begin`. This is called once after each successful `begin`."""


@contextmanager
def observed_by(instruments: Sequence[Instrument], run: Run) -> Iterator[None]:
    """Begin the instruments in order; close them in reverse order when the context ends."""
    with ExitStack() as begun:
        for instrument in instruments:
            instrument.begin(run)
            begun.callback(instrument.close)
        yield
