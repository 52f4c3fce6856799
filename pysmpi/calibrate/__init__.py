"""Calibration: from a real machine to the files that simulate it, with the quality of every fit.

Each part measures into a table that it continues when it was interrupted (`campaign`), fits a model to the table
alone, and reports how good the fit is. Nothing here is imported by what simulates.
"""

from pysmpi.calibrate.campaign import Campaign, remaining
from pysmpi.calibrate.table import Column, Table, read_table

__all__ = ["Campaign", "Column", "Table", "read_table", "remaining"]
