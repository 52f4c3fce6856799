"""Aspen, a language for models of applications and machines.

An application model says what an algorithm needs: operations, bytes of memory and of messages, in formulas of
parameters. A machine model says what a unit of each resource costs on which component. From both follows the time.
"""

from pysmpi.aspen.application import Amount
from pysmpi.aspen.capacity import Warned
from pysmpi.aspen.cost import Cost, Row
from pysmpi.aspen.interface import Application, Machine, read_application, read_machine

__all__ = ["Amount", "Application", "Cost", "Machine", "Row", "Warned", "read_application", "read_machine"]
