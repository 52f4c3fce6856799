"""What ranks have done over time, by interval of the run and row of ranks: a picture of any run in bounded memory."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pysmpi.instruments.profile.categories import CATEGORIES, COMPUTATION

__all__ = ["STATES", "Overview"]

STATES = ("computation", *CATEGORIES[COMPUTATION.stop :])
"""What a rank does: computation, or a category of a profile that is none."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The ranks' time by when it passed.

    The categories are a profile's, but that what a loop of probes has polled before its message was sent remains
    polling.

    Attributes:
        interval: how long each interval is, in seconds; the first one begins at 0, the last one ends with the run or
            behind its end. There are at most 256.
        ranks: how many there are.
        ranks_per_row: so many neighbours share a row: a power of two, such that there are at most 256 rows.
        seconds: by row, interval and state (`STATES`), summed over the ranks of the row.
    """

    interval: float
    ranks: int
    ranks_per_row: int
    seconds: npt.NDArray[np.float64] = field(repr=False)
