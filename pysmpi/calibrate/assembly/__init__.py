"""Assembly of the measured network, host, power and BLAS models into a platform file, with a check by simulation."""

from pysmpi.calibrate.assembly.check import Check, check_platform, inside_of_nodes
from pysmpi.calibrate.assembly.parts import Parts, read_parts
from pysmpi.calibrate.assembly.platform import platform_text
from pysmpi.calibrate.assembly.report import draw, report_text

__all__ = ["Check", "Parts", "check_platform", "draw", "inside_of_nodes", "platform_text", "read_parts", "report_text"]
