"""Panels of the published model: sizes of each panel and of the trailing matrix on this process."""

from distribution import local_count
from grid import Grid
from variant import Variant


class Panel:
    """Sizes of a panel, and of this process's columns to which the panel has not yet been applied."""

    __slots__ = (
        "below", "columns", "current_row", "elements", "holders", "on_current_row", "on_root", "pivots_afar", "root",
        "rows", "width",
    )  # fmt: skip

    width: int
    current_row: int  # process row that holds the diagonal block
    root: int  # process column that holds the panel
    on_current_row: bool
    on_root: bool
    rows: int  # local rows from the diagonal block on
    below: int  # local rows of L2
    columns: int  # local trailing columns not yet updated
    holders: int  # number of process rows that hold rows from the diagonal block on
    pivots_afar: bool  # process row 0 has all pivots, owns one row, and is not the current row
    elements: int  # number of elements of L2, L1, pivots and info


class Panels:
    """Panels by index: all, or `count` of them from the panel `first` on."""

    def __init__(self, grid: Grid, variant: Variant, first: int = 0, count: int | None = None) -> None:
        n, nb = variant.n, variant.nb
        self.grid, self.n, self.nb = grid, n, nb
        self.first, self.total = first, -(-n // nb)
        self.count = self.total - first if count is None else count
        self.rows = local_count(n, nb, grid.my_row, grid.p)
        self.columns = local_count(n + 1, nb, grid.my_column, grid.q)

    def __len__(self) -> int:
        """Return the number of panels."""
        return self.count

    def __getitem__(self, index: int) -> Panel:
        """Return a panel before it has been applied to any column."""
        index += self.first
        grid, nb = self.grid, self.nb
        p, q, my_row, my_column = grid.p, grid.q, grid.my_row, grid.my_column
        panel = Panel()
        panel.width = width = min(nb, self.n - index * nb)
        panel.current_row = current_row = index % p
        panel.root = root = index % q
        panel.on_current_row = on_current_row = current_row == my_row
        panel.on_root = on_root = root == my_column
        # Of the blocks before this one, every p-th is in this process row and every q-th in this process column.
        panel.rows = rows = self.rows - nb * ((index - my_row + p - 1) // p)
        panel.below = below = rows - width if on_current_row else rows
        columns = self.columns - nb * ((index - my_column + q - 1) // q)
        panel.columns = columns - width if on_root else columns
        panel.holders = min(p, self.total - index)
        # Process row 0 has all pivots unless it has no rows left.
        panel.pivots_afar = current_row != 0 and self.total > index + p - current_row
        panel.elements = below * width + width**2 + width + 1
        return panel
