"""Registration of the command for co-design, and of the instrument that counts requirements."""

from typing import TYPE_CHECKING

from pysmpi.simulation.launch.instrument_kind import InstrumentKind
from pysmpi.simulation.settings.run_option import run_option
from pysmpi.util.wings import Wing

if TYPE_CHECKING:
    from pysmpi.simulation.instruments.instrument import Instrument
    from pysmpi.simulation.instruments.outcome import Result
    from pysmpi.simulation.launch.job import Job

__all__ = ["WING"]

_OPTION = run_option(
    "--requirements FILE",
    "print what the ranks ask of a machine: bytes and messages by kind of communication, memory of arrays, "
    "operations, bytes of their operands; FILE gets them by rank, as JSON",
    not_with="jobs replay what-if",
    of_one_run=True,
)


def _counting(job: "Job") -> "Instrument | None":
    file = job.options.instruments.get(_OPTION.field)
    if not file:
        return None
    from pysmpi.requirements.counting.counting import Counting

    return Counting(None if file is True else file)


def _columns(result: "Result") -> dict[str, float | str]:
    from pysmpi.study.amount_columns import columns_of

    return columns_of(result.requirements)


WING = Wing(
    commands={"codesign": "tell what a program needs of larger machines, and what limits it on each"},
    instruments=(InstrumentKind(_counting, (_OPTION,), {"requirements": None}, columns=_columns),),
)
