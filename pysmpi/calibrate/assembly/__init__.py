"""Parts of a calibration put together into a platform file, and its simulation held against what was measured."""

from pysmpi.calibrate.assembly.check import Check, check_platform
from pysmpi.calibrate.assembly.parts import Parts, read_parts
from pysmpi.calibrate.assembly.platform import platform_text
from pysmpi.calibrate.assembly.report import draw, report_text

__all__ = ["Check", "Parts", "check_platform", "draw", "platform_text", "read_parts", "report_text"]
