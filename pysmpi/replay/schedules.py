"""Skeletons that are written in Python: a schedule for each rank."""

from collections.abc import Sequence

from pysmpi.collectives.schedule import Schedule
from pysmpi.native import ffi, lib
from pysmpi.replay.source import Skeleton, SkeletonError

__all__ = ["Schedules"]


class Schedules(Skeleton):
    """Schedules, one for each rank, whose peers are ranks of the world; several ranks may have the same one.

    Messages with ``None`` for a buffer carry no data, and ``amount`` says how long they are.

    Raises:
        SkeletonError: they are something else, there is none, or a peer is no rank.
        SimulationError: a schedule has sizes.
    """

    def __init__(self, schedules: Sequence[Schedule]) -> None:
        if not isinstance(schedules, Sequence) or not all(isinstance(each, Schedule) for each in schedules):
            raise SkeletonError(
                f"{type(schedules).__name__} is no skeleton: that is a path, what read_skeleton returns, or a list of "
                "a pysmpi.Schedule for each rank"
            )
        if not schedules:
            raise SkeletonError("a skeleton has a schedule for each rank, and there are none")
        self.ranks = len(schedules)
        self._steps = [schedule.native_steps() for schedule in schedules]
        for rank, steps in enumerate(self._steps):
            highest = max((step.peer for step in steps.steps), default=-1)
            if highest >= self.ranks:
                raise SkeletonError(f"the schedule of rank {rank} has a message with {highest} of {self.ranks} ranks")
        self._structs = [
            ffi.new("pysmpi_schedule *", (len(steps.steps), steps.pointer, steps.amounts, 0, 0, ffi.NULL, 0))
            for steps in self._steps
        ]

    def _load(self) -> None:
        lib.pysmpi_skeleton_schedules(self.ranks, ffi.new("pysmpi_schedule *[]", self._structs))

    def place(self, rank: int, line: int) -> str | None:
        """Nothing: they are in no file."""
        return None
