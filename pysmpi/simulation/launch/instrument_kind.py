"""Kinds of instruments: what a kind adds to the command line and to the result, and when a run has one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pysmpi.simulation.settings.run_option import RunOption

if TYPE_CHECKING:
    from pysmpi.simulation.instruments.instrument import Instrument
    from pysmpi.simulation.instruments.outcome import Result
    from pysmpi.simulation.launch.job import Job

__all__ = ["InstrumentKind"]


@dataclass(frozen=True)
class InstrumentKind:
    """Kind of instruments. An object is cheap to create: its functions import modules only when they are called.

    Attributes:
        make: function that returns the instrument of a job, or None if the job has none of this kind. The value of an
            option is ``job.options.instruments.get(NAME)``.
        options: options of pysmpirun that ask for the instrument.
        parts: names of the parts that the instrument adds to the result (`Result.parts`), each with the value that it
            has in a run without the instrument.
        document: function that returns the entries of a saved run's ``result.json``, or None if there are none.
        columns: function that returns the columns of a study's table, or None if there are none. A study has them if
            its description sets the name of the first option to true.
    """

    make: "Callable[[Job], Instrument | None]"
    options: tuple[RunOption, ...] = ()
    parts: Mapping[str, Any] = field(default_factory=dict)
    document: "Callable[[Result], dict[str, Any]] | None" = None
    columns: "Callable[[Result], dict[str, float | str]] | None" = None
