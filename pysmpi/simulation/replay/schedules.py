"""Replay programs written in Python: one schedule per rank."""

from collections.abc import Sequence

from pysmpi.native import ffi, lib
from pysmpi.simulation.collectives.schedule import Schedule
from pysmpi.simulation.replay.source import ReplayError, ReplayProgram

__all__ = ["Schedules"]


class Schedules(ReplayProgram):
    """Replay program made of one schedule per rank; several ranks may share a schedule.

    Peers are ranks of MPI_COMM_WORLD. Messages with ``None`` for a buffer carry no data and have the length ``amount``.

    Raises:
        ReplayError: if the argument is not a list of schedules, is empty, or a peer is not a valid rank.
        SimulationError: if a schedule has sizes.
    """

    def __init__(self, schedules: Sequence[Schedule]) -> None:
        if not isinstance(schedules, Sequence) or not all(isinstance(each, Schedule) for each in schedules):
            raise ReplayError(
                f"a {type(schedules).__name__} cannot be replayed; pass a path, a result of read_program, "
                "or a list with "
                "one pysmpi.Schedule per rank"
            )
        if not schedules:
            raise ReplayError("the list of schedules is empty; pass one pysmpi.Schedule per rank")
        self.ranks = len(schedules)
        self._steps = [schedule.native_steps() for schedule in schedules]
        for rank, steps in enumerate(self._steps):
            highest = max((step.peer for step in steps.steps), default=-1)
            if highest >= self.ranks:
                raise ReplayError(
                    f"the schedule of rank {rank} names peer {highest}, but the number of ranks is {self.ranks:,}"
                )
        self._structs = [
            ffi.new("pysmpi_schedule *", (len(steps.steps), steps.pointer, steps.amounts, 0, 0, ffi.NULL, 0))
            for steps in self._steps
        ]

    def _load(self) -> None:
        lib.pysmpi_replay_schedules(self.ranks, ffi.new("pysmpi_schedule *[]", self._structs))

    def place(self, rank: int, line: int) -> str | None:
        """Return None, since schedules are not stored in a file."""
        return None
