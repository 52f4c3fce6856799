"""Kinds of instruments (observers of a run): the options and parts of the result that belong to an instrument class."""

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
    """Registration of a class of instruments, such as the profile: when a run has one, and what it adds.

    An object is cheap to create: its functions import modules only when they are called.

    Attributes:
        make: function that returns a new instrument for a job, or None if the job does not ask for one. The value of
            the option NAME is ``job.options.instruments.get(NAME)``.
        options: options of pysmpirun that ask for the instrument.
        parts: names of the parts that the instrument adds to the result (`Result.parts`), each with the value that it
            has in a run without the instrument.
        document: function that returns what the instrument adds to the ``result.json`` of a saved run, or None if it
            adds nothing.
        columns: function that returns the columns that the instrument adds to a study's table, or None if it adds none.
            A study has them if its description sets the name of the first option to true.
    """

    make: "Callable[[Job], Instrument | None]"
    options: tuple[RunOption, ...] = ()
    parts: Mapping[str, Any] = field(default_factory=dict)
    document: "Callable[[Result], dict[str, Any]] | None" = None
    columns: "Callable[[Result], dict[str, float | str]] | None" = None
