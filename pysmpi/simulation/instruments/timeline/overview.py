"""Overview of a run: the ranks' states over time, summed by interval and group of ranks to limit its memory."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pysmpi.simulation.instruments.profile.categories import CATEGORIES, COMPUTATION

__all__ = ["STATES", "Overview"]

STATES = ("computation", *CATEGORIES[COMPUTATION.stop :])
"""States of a rank: computation, or any category of a profile that is not computation."""


@dataclass(frozen=True, slots=True)
class Overview:
    """Time of the ranks by interval and state.

    The states are the categories of a profile, with one difference. While a rank polls for a message that has not yet
    been sent, the overview counts the time as polling, and a profile counts it as waiting for the peer.

    Attributes:
        interval: length of an interval in seconds. There are at most 256; the first starts at 0, and the last one ends
            at or after the end of the run.
        ranks: number of ranks.
        ranks_per_row: number of neighbouring ranks per row: a power of two that gives at most 256 rows.
        seconds: seconds, (rows, intervals, states) in the order of `STATES`, summed over the ranks of a row.
    """

    interval: float
    ranks: int
    ranks_per_row: int
    seconds: npt.NDArray[np.float64] = field(repr=False)
