"""Lower bounds of the patterns: seconds that the busiest cable needs for the bytes of each transposition or sweep."""

import numpy as np
from moves import MOVES, Grid
from partition import lengths, touched

from pysmpi.platform import Platform
from pysmpi.platform.lower_bound import LowerBound

ROUTES = 2**25
"""Routes that are drawn for all messages, if their routing draws them at random, but 4 to 256 for each message.

Each packet draws a route, and messages have thousands of packets if ranks are few.
"""


def transposition_floors(platform: Platform, grid: Grid, cx: int, cy: int) -> list[tuple[str, float]]:
    """Return the name and the floor of each transposition."""
    ranks = np.arange(cx * cy).reshape(cy, cx)
    found = []
    for name, divided, gathered, is_row, _ in MOVES:
        groups, parts, others = (ranks, cx, cy) if is_row else (ranks.T, cy, cx)
        blocks = 8.0 * np.outer(lengths(grid[gathered], parts), lengths(grid[divided], parts))
        np.fill_diagonal(blocks, 0)
        floor = LowerBound(platform, draws=_draws(ranks.size * (parts - 1)))
        for group, points in zip(groups, lengths(grid[3 - divided - gathered], others), strict=True):
            floor.add(group[:, None], group, blocks * points)
        found.append((name, floor.seconds))
    return found


def halo_floors(platform: Platform, grid: Grid, cx: int, cy: int, width: int) -> list[tuple[str, float]]:
    """Return the name and the floor of each sweep."""
    ranks = np.arange(cx * cy).reshape(cy, cx)
    wide = lengths(grid[0], cx) + 2 * width
    sweeps = (
        ("x sweep", ranks.T, grid[0], lengths(grid[1], cy)),
        ("y sweep", ranks, grid[1], wide),
    )
    found = []
    for name, lines, points, others in sweeps:
        floor = LowerBound(platform, draws=_draws(2 * ranks.size))
        for part, here in enumerate(lines):
            for _, other, (first, last) in touched(points, len(lines), part, width):
                if other % len(lines) != part:
                    floor.add(lines[other % len(lines)], here, 8.0 * (last - first) * grid[2] * others)
        found.append((name, floor.seconds))
    return found


def _draws(messages: int) -> int:
    return max(4, min(256, ROUTES // max(messages, 1)))
