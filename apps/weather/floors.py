"""Lower bounds of the patterns: seconds that the busiest cable needs for the bytes of each transposition or sweep."""

import numpy as np
from moves import MOVES, Grid
from partition import lengths, touched

from pysmpi.platform import Platform
from pysmpi.platform.floors import Floor

DRAWS = 4
"""Routes among which a message is divided if its routing draws them at random."""


def transposition_floors(platform: Platform, grid: Grid, cx: int, cy: int) -> list[tuple[str, float]]:
    """Return the name and the floor of each transposition."""
    ranks = np.arange(cx * cy).reshape(cy, cx)
    found = []
    for name, divided, gathered, is_row, _ in MOVES:
        groups, parts, others = (ranks, cx, cy) if is_row else (ranks.T, cy, cx)
        blocks = 8.0 * np.outer(lengths(grid[gathered], parts), lengths(grid[divided], parts))
        np.fill_diagonal(blocks, 0)
        floor = Floor(platform, draws=DRAWS)
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
        floor = Floor(platform, draws=DRAWS)
        for part, here in enumerate(lines):
            for _, other, (first, last) in touched(points, len(lines), part, width):
                if other % len(lines) != part:
                    floor.add(lines[other % len(lines)], here, 8.0 * (last - first) * grid[2] * others)
        found.append((name, floor.seconds))
    return found
