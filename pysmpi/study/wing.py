"""Registration of the command for studies."""

from pysmpi.util.wings import Wing

__all__ = ["WING"]

WING = Wing(commands={"study": "simulate a program under many conditions and collect the results in a table"})
