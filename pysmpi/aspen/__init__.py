"""Aspen, a language for models of applications and machines.

A model of an application says what an algorithm needs: operations, bytes of memory and of messages, as formulas of
parameters. A model of a machine says how long its components take for a unit of each resource. The time of the
application on the machine is computed from both.

The language has two dialects, which may be mixed: that of the paper by Spafford and Vetter (SC12), and that of Oak
Ridge's (ORNL's) tools of 2013 to 2017. docs/aspen.md describes them.
"""

from pysmpi.aspen.application import Amount
from pysmpi.aspen.capacity import Warned
from pysmpi.aspen.cost import Cost, Row
from pysmpi.aspen.interface import Application, Machine, read_application, read_machine

__all__ = ["Amount", "Application", "Cost", "Machine", "Row", "Warned", "read_application", "read_machine"]
