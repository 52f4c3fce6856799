"""Parts of a line of points: which points belong to which part, and which parts a halo touches.

Parts are numbered from 0. The line is periodic: part -1 is the last part again, one turn to the left, and its points
have negative numbers. So a halo that reaches beyond the neighbours, or around the whole line, needs no special case.
Example: 10 points in 3 parts are 0 to 2, 3 to 5 and 6 to 9. Part 0 with a halo of width 5 reaches from -5 to 7. On its
left it touches part -1 (points -4 to -1) and part -2 (point -5).
"""

from collections.abc import Iterator, Sequence

import numpy as np

Span = tuple[int, int]


def check_split(cx: int, cy: int, ranks: int, grid: Sequence[int], divided: str) -> str | None:
    """Return why ranks cannot be arranged as cx × cy, or would have no points of the divided dimensions, or None.

    x and z are divided into cx parts, y into cy.
    """
    if min(cx, cy, *grid) < 1:
        return "--cx, --cy and the sizes of --grid must be at least 1"
    if cx * cy != ranks:
        return f"--cx {cx} × --cy {cy} must be the number of ranks, {ranks}"
    for dimension in divided:
        name, parts = ("cy", cy) if dimension == "y" else ("cx", cx)
        points = grid["xyz".index(dimension)]
        if parts > points:
            return f"--{name} {parts} is more than the {points} points of {dimension}; give at most {points}"
    return None


def span(points: int, parts: int, number: int) -> Span:
    """Return the first point of a part, and the first point after it. Lengths of parts differ by at most one."""
    turns, part = divmod(number, parts)
    return turns * points + points * part // parts, turns * points + points * (part + 1) // parts


def lengths(points: int, parts: int) -> np.ndarray:
    """Return the numbers of points of all parts."""
    return np.diff(points * np.arange(parts + 1) // parts)


def touched(points: int, parts: int, number: int, width: int) -> Iterator[tuple[int, int, Span]]:
    """Yield the parts of which a part's halo has points: side (-1 or 1), number, and the points in the halo.

    On each side, the nearest part comes first. No part may be empty.
    """
    begin, end = span(points, parts, number)
    for side in (-1, 1):
        other = number + side
        while True:
            first, last = span(points, parts, other)
            cut = (max(first, begin - width), last) if side < 0 else (first, min(last, end + width))
            if cut[0] >= cut[1]:
                break
            yield side, other, cut
            other += side


def touching(points: int, parts: int, number: int, width: int) -> Iterator[tuple[int, int, Span]]:
    """Yield the parts whose halos have points of this part: side of their halo, number, and these points.

    On each side, the nearest part comes first. Points have this part's own numbers. No part may be empty.
    """
    begin, end = span(points, parts, number)
    for side in (-1, 1):
        other = number - side
        while True:
            first, last = span(points, parts, other)
            cut = (max(begin, first - width), end) if side < 0 else (begin, min(end, last + width))
            if cut[0] >= cut[1]:
                break
            yield side, other, cut
            other -= side
