"""Rows of texts as people read them: columns one under the other."""

from collections.abc import Collection, Sequence

__all__ = ["aligned"]


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = (), indent: str = "") -> list[str]:
    """A line for each row, with two spaces between columns and none at the end.

    Args:
        rows: all of the same length.
        right: the numbers of columns whose texts end at their right edge.
        indent: what each line begins with.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        indent
        + "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
