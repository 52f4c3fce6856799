"""Panel broadcast of the published model."""

from collections.abc import Callable

from mpi4py import MPI
from rings import is_long, long_rounds, ring
from rounds import length
from variant import Variant

import pysmpi

DOUBLE = 8  # bytes
PANELS = 3  # tag

Run = Callable[..., None]  # takes a schedule and its sizes


@pysmpi.shared_cache
def _forwarding(polls: bool, sender: int | None, receivers: tuple[int, ...]) -> pysmpi.Schedule:
    """Return a schedule that receives a panel and sends it to others; the schedule's size is the panel's number of
    doubles."""
    schedule = pysmpi.Schedule(sizes=1)
    if sender is not None:
        if polls:
            schedule.poll(sender, PANELS)
        schedule.receive(None, sender, PANELS, per=(DOUBLE,))
        schedule.wait()
    for receiver in receivers:
        schedule.send(None, receiver, PANELS, per=(DOUBLE,))
        schedule.wait()
    return schedule


@pysmpi.shared_cache
def looking(sender: int) -> pysmpi.Schedule:
    """Return a schedule that looks once for a panel of this process column."""
    schedule = pysmpi.Schedule()
    schedule.look(sender, PANELS)
    return schedule


@pysmpi.shared_cache
def _round(partner: int, sends: bool, receives: bool) -> pysmpi.Schedule:
    """Return a schedule for a round of a long broadcast; its sizes are the numbers of doubles sent and received."""
    schedule = pysmpi.Schedule(sizes=2)
    if sends:
        schedule.send(None, partner, PANELS, synchronous=True, per=(DOUBLE, 0))
    if receives:
        schedule.receive(None, partner, PANELS, blocking=True, per=(0, DOUBLE))
    return schedule


class ModelledBroadcast:
    """One process's part in successive broadcasts of panels along its process row."""

    def __init__(self, comm: MPI.Comm, variant: Variant, run: Run, payload: object, probes: bool) -> None:
        """Create the broadcasts; schedules and sizes go to `run`. With `probes`, a process polls for its panel."""
        self.comm, self.columns, self.my_column = comm, comm.Get_size(), comm.Get_rank()
        self.bcast = variant.bcast
        self.run, self.payload, self.probes = run, payload, probes
        self.schedules: dict[tuple[object, ...], pysmpi.Schedule] = {}

    def start(self, root: int, elements: int) -> None:
        """Start the broadcast of a panel of `elements` doubles from a process column."""
        self.root, self.elements = root, elements
        self.distance = (self.my_column - root) % self.columns

    def finish(self) -> None:
        """Send the panel, or wait for it and pass it on."""
        if self.columns == 1:
            return
        if is_long(self.bcast):
            self._run_long()
        else:
            self._run_ring(self.probes)

    def sender(self) -> int | None:
        """Return the process column whose message HPL_bcast looks for, or None if it does not look."""
        if self.columns == 1 or is_long(self.bcast):
            return None
        source, _ = ring(self.bcast, self.columns, self.distance)
        return None if source is None else (source + self.root) % self.columns

    def pass_on(self) -> None:
        """Pass the panel on after it has arrived."""
        if self.columns > 1 and not is_long(self.bcast):
            self._run_ring(False)
        else:
            self.finish()

    def _run_ring(self, polls: bool) -> None:
        source, targets = ring(self.bcast, self.columns, self.distance)
        root, columns = self.root, self.columns
        sender = None if source is None else (source + root) % columns
        key = polls, sender, tuple([(target + root) % columns for target in targets])
        schedule = self.schedules.get(key)
        if schedule is None:
            self.schedules[key] = schedule = _forwarding(*key).on(self.comm, self.payload)
        self.run(schedule, self.elements)

    def _run_long(self) -> None:
        for partner, sent, received in long_rounds(self.bcast, self.columns, self.distance, self.elements):
            key = (partner + self.root) % self.columns, sent is not None, received is not None
            schedule = self.schedules.get(key)
            if schedule is None:
                self.schedules[key] = schedule = _round(*key).on(self.comm, self.payload)
            self.run(schedule, length(sent), length(received))
