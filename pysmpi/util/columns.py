"""Text tables with aligned columns."""

from collections.abc import Collection, Sequence

__all__ = ["aligned"]


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = (), indent: str = "") -> list[str]:
    """Return a line per row, with two spaces between columns and no trailing spaces.

    Args:
        rows: rows of cells, all of the same length.
        right: numbers of the columns that are right-aligned.
        indent: beginning of each line.
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
