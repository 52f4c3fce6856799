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


@pysmpi.shared_cache
def _partners(bcast: int, columns: int) -> tuple[list[int], list[tuple[int | None, tuple[int, ...]]]]:
    """Return the sender and the receivers of a ring's processes.

    There are only a few pairs of sender and receivers relative to the process itself. The second list has these pairs,
    and the first list the index of the pair for each distance from the root.
    """
    indices: list[int] = []
    pairs: list[tuple[int | None, tuple[int, ...]]] = []
    for me in range(columns):
        source, targets = ring(bcast, columns, me)
        pair = None if source is None else (source - me) % columns, tuple([(each - me) % columns for each in targets])
        if pair not in pairs:
            pairs.append(pair)
        indices.append(pairs.index(pair))
    return indices, pairs


class ModelledBroadcast:
    """One process's part in successive broadcasts of panels along its process row."""

    def __init__(self, comm: MPI.Comm, variant: Variant, run: Run, payload: object, probes: bool) -> None:
        """Create the broadcasts; schedules and sizes go to `run`. With `probes`, a process polls for its panel."""
        self.comm, self.columns, self.my_column = comm, comm.Get_size(), comm.Get_rank()
        self.bcast, self.is_long = variant.bcast, is_long(variant.bcast)
        self.run, self.payload, self.probes = run, payload, probes
        self.indices, self.pairs = ([], []) if self.is_long else _partners(variant.bcast, self.columns)
        self.schedules: dict[tuple[object, ...], pysmpi.Schedule] = {}

    def start(self, root: int, elements: int) -> None:
        """Start the broadcast of a panel of `elements` doubles from a process column."""
        self.root, self.elements = root, elements
        self.distance = (self.my_column - root) % self.columns

    def finish(self) -> None:
        """Send the panel, or wait for it and pass it on."""
        if self.columns == 1:
            return
        if self.is_long:
            self._run_long()
        else:
            self._run_ring(self.probes)

    def sender(self) -> int | None:
        """Return the process column whose message HPL_bcast looks for, or None if it does not look."""
        if self.columns == 1 or self.is_long:
            return None
        source, _ = self.pairs[self.indices[self.distance]]
        return None if source is None else (source + self.my_column) % self.columns

    def pass_on(self) -> None:
        """Pass the panel on after it has arrived."""
        if self.columns > 1 and not self.is_long:
            self._run_ring(False)
        else:
            self.finish()

    def _run_ring(self, polls: bool) -> None:
        key = polls, self.indices[self.distance]
        schedule = self.schedules.get(key)
        if schedule is None:
            source, targets = self.pairs[key[1]]
            me, columns = self.my_column, self.columns
            sender = None if source is None else (source + me) % columns
            receivers = tuple([(target + me) % columns for target in targets])
            self.schedules[key] = schedule = _forwarding(polls, sender, receivers).on(self.comm, self.payload)
        self.run(schedule, self.elements)

    def _run_long(self) -> None:
        for partner, sent, received in long_rounds(self.bcast, self.columns, self.distance, self.elements):
            key = (partner + self.root) % self.columns, sent is not None, received is not None
            schedule = self.schedules.get(key)
            if schedule is None:
                self.schedules[key] = schedule = _round(*key).on(self.comm, self.payload)
            self.run(schedule, length(sent), length(received))
