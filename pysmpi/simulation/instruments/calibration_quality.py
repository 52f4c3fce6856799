"""Quality of the calibration that a platform was made of, as ``pysmpi-calibrate platform`` writes it into the file.

Two properties of hosts hold it: ``calibration_errors``, the least and the greatest relative error of simulated
messages against the measured ones, as ``-0.03:0.05``; and ``calibration_forced``, the reasons against a calibration
that was written by ``--force``.
"""

from pysmpi.errors import PlatformError
from pysmpi.platform import Platform

__all__ = ["ERRORS", "FORCED", "errors_in_platform", "forced_in_platform"]

ERRORS, FORCED = "calibration_errors", "calibration_forced"


def errors_in_platform(platform: Platform) -> tuple[float, float] | None:
    """Return the least and the greatest relative error of the platform's calibration, or None if it has none.

    Raises:
        PlatformError: the property is not valid.
    """
    host = platform.host_with(ERRORS)
    if host is None:
        return None
    text = host.properties[ERRORS]
    try:
        low, high = (float(part) for part in text.split(":"))
        if not low <= high:
            raise ValueError
    except ValueError:
        raise PlatformError(
            f"{platform.source}: property {ERRORS!r} of host {host.name!r} is {text!r} (valid: LEAST:GREATEST, "
            "relative errors such as -0.03:0.05)"
        ) from None
    return low, high


def forced_in_platform(platform: Platform) -> list[str]:
    """Return a line with the reasons against the platform's calibration if ``--force`` wrote it; otherwise no line."""
    host = platform.host_with(FORCED)
    return [] if host is None else [f"{platform.source}: {host.properties[FORCED]}"]
