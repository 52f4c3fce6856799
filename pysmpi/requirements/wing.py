"""Registration of the command for co-design."""

from pysmpi.util.wings import Wing

__all__ = ["WING"]

WING = Wing(commands={"codesign": "tell what a program needs of larger machines, and what limits it on each"})
