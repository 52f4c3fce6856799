"""Calibration: measure a real machine, and produce files that simulate it, with the quality of every fit.

Each kind of measurement (`kinds`) measures into a table, and continues an interrupted measurement (`campaign`). It then
fits a model to this table, without measuring again, and reports the quality of the fit. The command is the same for all
kinds (`commands.measure`). The simulator imports nothing from this package.
"""

from pysmpi.calibrate.campaign import Campaign, remaining
from pysmpi.calibrate.table import Column, Table, read_table

__all__ = ["Campaign", "Column", "Table", "read_table", "remaining"]
