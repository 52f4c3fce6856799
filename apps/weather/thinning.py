"""Thinner grids, which take less time to simulate; their times are multiplied by the ratio of the grids' sizes.

With few ranks, messages consist of thousands of packets, and the time of a transposition or of a sweep is proportional
to its bytes. Transpositions keep all y and z, and a number of points in x that all ranks divide evenly. Sweeps keep all
x and y. Messages keep at least `MESSAGE` bytes.
"""

import math

from partition import lengths
from points import GRID, Grid

from pysmpi.platform.units import parse_time

MESSAGE = 2**16
"""Least size of a message in bytes. Shorter ones do not block their sender (`smpi/send-is-detached-thresh`)."""
BYTES = {"transposition": 1.4e11, "halo": 1e10}
"""Least number of bytes of all messages of a pattern."""


def thin_grid(pattern: str, cx: int, cy: int, width: int, latency: str) -> Grid:
    """Return the grid to simulate: the whole one for allreduces, and wherever messages are short.

    A thinner grid has fewer bytes, but not fewer latencies, so its messages are longer where latency is above 1 us.
    """
    message = MESSAGE * max(1.0, parse_time(latency, "--latency") / 1e-6)
    x, y, z = GRID
    if pattern == "transposition":
        smallest = int(lengths(y, cy).min()) * int(lengths(z, cx).min())  # of a block, for each point of x
        most = max(cx, cy)
        step = math.lcm(cx, cy)
        enough = max(message * most / (8 * smallest), BYTES[pattern] / (3 * 8 * y * z))
        points = step * math.ceil(enough / step)
        return (points, y, z) if points < x else GRID
    if pattern == "halo" and width > 0:
        across, down = int(lengths(x, cx).min()), int(lengths(y, cy).min())
        smallest = 8 * min(min(width, across) * down, min(width, down) * across)
        together = 16 * width * cx * cy * (across + down + 2 * width)
        enough = max(message / smallest, BYTES[pattern] / together)
        points = 2 ** math.ceil(math.log2(max(enough, 1)))
        return (x, y, points) if points < z else GRID
    return GRID
