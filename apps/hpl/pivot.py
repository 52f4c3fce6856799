"""Search for a pivot: all process rows agree on a column's largest entry, and receive its row and the current row.

One column of the panel costs one exchange along the process column, by recursive doubling (HPL_pdmxswp). A message
holds the candidate (value, global row, process row, local row) and its row of the panel: NB + 4 numbers. Until all
processes have the current row, it travels along, which makes 2·NB + 4 numbers. Process rows are numbered by their
distance from the current one; rows beyond the largest power of two take part through a partner.
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from rounds import Round, powers_down

if TYPE_CHECKING:
    from mpi4py import MPI

Vector = npt.NDArray[np.float64]

PIVOTS = 1  # tag
HEADER = 4
VALUE, GLOBAL_ROW, PROCESS_ROW, LOCAL_ROW = range(HEADER)


def exchange_steps(processes: int, me: int, width: int) -> list[Round]:
    """Return the rounds of the process row at distance `me` from the current one, as parts of the work array."""
    candidate = slice(0, HEADER + width)
    current = slice(HEADER + width, HEADER + 2 * width)
    both = slice(0, HEADER + 2 * width)
    power = 1 << (processes.bit_length() - 1)
    steps: list[Round] = []
    if me >= power:  # first, rows beyond the power of two send to a partner below it and receive the current row
        steps.append(Round(me - power, candidate, current if me == power else None))
        mask = 2 ** (processes - power - 1).bit_length() - 1
        for bit in powers_down(processes - power):
            mask ^= bit
            if (me - power) & mask:
                continue
            if (me - power) & bit:
                steps.append(Round(me - bit, None, current))
            elif me + bit < processes:
                steps.append(Round(me + bit, current, None))
    elif me + power < processes:
        steps.append(Round(me + power, current if me == 0 else None, candidate))
    if me < power:
        bit = 1
        while bit < power:
            steps.append(Round(me ^ bit, both if me < bit else candidate, both if bit <= me < 2 * bit else candidate))
            bit *= 2
    if me >= power:
        steps.append(Round(me - power, None, candidate))
    elif me + power < processes:
        steps.append(Round(me + power, candidate, None))
    return steps


class PivotExchange:
    """Exchanges of pivots in the factorisation of one panel, with their work arrays."""

    def __init__(self, comm: "MPI.Comm", current_row: int, width: int) -> None:
        """Create the work arrays; `comm` joins the process column."""
        processes = comm.Get_size()
        me = (comm.Get_rank() - current_row) % processes
        self.width = width
        self.work, self.incoming = np.zeros((2, HEADER + 2 * width))
        self.candidate_row = self.work[HEADER : HEADER + width]
        self.current_row = self.work[HEADER + width :]
        self.sendrecv, self.send, self.recv = comm.Sendrecv, comm.Send, comm.Recv
        self.steps = [
            (
                (step.partner + current_row) % processes,
                None if step.send is None else self.work[step.send],
                None if step.receive is None else self.incoming[step.receive],
                step.receive,
            )
            for step in exchange_steps(processes, me, width)
        ]

    def run(self) -> None:
        """Run the exchange; `work` then holds the winner, its row, and the current row."""
        for partner, outgoing, incoming, received in self.steps:
            if outgoing is None:
                self.recv(incoming, partner, PIVOTS)
            elif incoming is None:
                self.send(outgoing, partner, PIVOTS)
            else:
                self.sendrecv(outgoing, partner, PIVOTS, incoming, partner, PIVOTS)
            if received is not None:
                self._combine(received)

    def _combine(self, received: slice) -> None:
        """Keep the better candidate (the larger, or the lower process row if equal), and the current row."""
        end = HEADER + self.width
        if received.start == 0:
            mine, theirs = abs(self.work[VALUE]), abs(self.incoming[VALUE])
            if theirs > mine or (theirs == mine and self.incoming[PROCESS_ROW] < self.work[PROCESS_ROW]):
                self.work[:end] = self.incoming[:end]
        if received.stop > end:
            self.current_row[:] = self.incoming[end : received.stop]
