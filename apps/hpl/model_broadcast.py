"""The panel broadcast of the published model."""

import numpy as np
import numpy.typing as npt
from mpi4py import MPI
from rings import is_long, long_rounds, ring
from rounds import length
from variant import Variant

import pysmpi

DOUBLE = 8  # bytes
PANELS = 3  # tag

Amounts = npt.NDArray[np.float64]


class ModelledBroadcast:
    """One process's part in the broadcasts of panels along its process row, one after the other."""

    def __init__(self, comm: MPI.Comm, variant: Variant, payload: Amounts, probes: bool) -> None:
        """With `probes` a process polls for its panel; otherwise it waits for it."""
        self.comm, self.columns, self.my_column = comm, comm.Get_size(), comm.Get_rank()
        self.bcast = variant.bcast
        self.payload, self.probes = payload, probes
        self.schedules: dict[tuple[object, ...], tuple[pysmpi.Schedule, Amounts]] = {}

    def start(self, root: int, elements: int) -> None:
        """A panel of so many doubles is to be broadcast from this process column."""
        self.root, self.elements = root, elements
        self.distance = (self.my_column - root) % self.columns

    def finish(self) -> None:
        """Send it, or wait for it and pass it on."""
        if self.columns == 1:
            return
        if is_long(self.bcast):
            self._run_long()
        else:
            self._run_ring(self.probes)

    def look(self) -> bool:
        """One call of HPL_bcast: true when this process's part is done."""
        if self.columns > 1 and not is_long(self.bcast):
            source, _ = ring(self.bcast, self.columns, self.distance)
            if source is not None and not self.comm.Iprobe((source + self.root) % self.columns, PANELS):
                return False
            self._run_ring(False)
        else:
            self.finish()
        return True

    def _run_ring(self, polls: bool) -> None:
        source, targets = ring(self.bcast, self.columns, self.distance)
        root, columns = self.root, self.columns
        sender = None if source is None else (source + root) % columns
        receivers = [(target + root) % columns for target in targets]
        key = (polls, sender, *receivers)
        if key not in self.schedules:
            self.schedules[key] = self._ring(polls, sender, receivers)
        schedule, messages = self.schedules[key]
        schedule.run(messages * (DOUBLE * self.elements))

    def _ring(self, polls: bool, sender: int | None, receivers: list[int]) -> tuple[pysmpi.Schedule, Amounts]:
        """A schedule, and which of its steps are messages."""
        schedule = pysmpi.Schedule(self.comm)
        messages = []
        if sender is not None:
            if polls:
                schedule.poll(sender, PANELS)
                messages.append(0.0)
            schedule.receive(self.payload, sender, PANELS)
            schedule.wait()
            messages += [1.0, 0.0]
        for receiver in receivers:
            schedule.send(self.payload, receiver, PANELS)
            schedule.wait()
            messages += [1.0, 0.0]
        return schedule, np.array(messages)

    def _run_long(self) -> None:
        rounds = long_rounds(self.bcast, self.columns, self.distance, self.elements)
        amounts: list[float] = []
        for _, sent, received in rounds:
            amounts += [DOUBLE * length(part) for part in (sent, received) if part is not None] + [0.0]
        key = (self.distance,)
        if key not in self.schedules:
            schedule = pysmpi.Schedule(self.comm)
            for partner, sent, received in rounds:
                peer = (partner + self.root) % self.columns
                if sent is not None:
                    schedule.send(self.payload, peer, PANELS, synchronous=True)
                if received is not None:
                    schedule.receive(self.payload, peer, PANELS)
                schedule.wait()
            self.schedules[key] = schedule, np.empty(0)
        self.schedules[key][0].run(np.array(amounts))
