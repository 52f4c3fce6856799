"""Broadcast of a panel along the process rows, with real data: HPL_binit, HPL_bcast and HPL_bwait."""

import numpy as np
import numpy.typing as npt
from mpi4py import MPI
from rings import is_long, long_rounds, ring
from variant import Variant

PANELS = 3  # tag

Vector = npt.NDArray[np.float64]


class Broadcast:
    """One process's part in successive broadcasts of panels along its process row."""

    def __init__(self, comm: MPI.Comm, variant: Variant) -> None:
        self.comm, self.columns, self.bcast = comm, comm.Get_size(), variant.bcast

    def start(self, root: int, contents: Vector) -> None:
        """Start the broadcast of `contents` from the process column `root`."""
        self.root, self.contents = root, contents
        self.distance = (self.comm.Get_rank() - root) % self.columns

    def finish(self) -> None:
        """Send the panel, or wait for it and pass it on."""
        while not self.look():
            pass

    def look(self) -> bool:
        """Make one call of HPL_bcast. Return True when this process's part is done."""
        if self.columns == 1:
            return True
        if is_long(self.bcast):
            self._go_round()
            return True
        source, targets = ring(self.bcast, self.columns, self.distance)
        if source is not None:
            sender = (source + self.root) % self.columns
            if not self.comm.Iprobe(sender, PANELS):
                return False
            self.comm.Recv(self.contents, sender, PANELS)
        for target in targets:
            self.comm.Send(self.contents, (target + self.root) % self.columns, PANELS)
        return True

    def _go_round(self) -> None:
        """Broadcast the panel in pieces, as HPL's "long" variants do."""
        for partner, sent, received in long_rounds(self.bcast, self.columns, self.distance, len(self.contents)):
            peer = (partner + self.root) % self.columns
            sending = None if sent is None else self.comm.Issend(self.contents[sent], peer, PANELS)
            if received is not None:
                self.comm.Recv(self.contents[received], peer, PANELS)
            if sending is not None:
                sending.Wait()
