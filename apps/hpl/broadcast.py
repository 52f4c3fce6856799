"""Panel broadcast along the process rows: HPL's increasing ring (1ring).

The column that holds the panel sends it to its right-hand neighbour, and each column passes it on.
"""

from grid import Grid
from panel import Panel


def broadcast(grid: Grid, panel: Panel) -> None:
    """Every process of the grid gets the panel's contents."""
    if grid.my_column != panel.current_column:
        grid.row_comm.Recv(panel.contents, (grid.my_column - 1) % grid.q)
    following = (grid.my_column + 1) % grid.q
    if following != panel.current_column:
        grid.row_comm.Send(panel.contents, following)
