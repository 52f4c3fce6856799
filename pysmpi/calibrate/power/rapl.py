"""Energy counters of the processor (RAPL), as provided by Linux under /sys/class/powercap.

Each processor package is a zone with subzones for its parts. The counter of a package includes all its subzones but
that of the memory. See Documentation/power/powercap/powercap.rst of the kernel.
"""

from dataclasses import dataclass
from pathlib import Path

from pysmpi.errors import CalibrationError

__all__ = ["Counters"]

_ROOT = Path("/sys/class/powercap")
_INSTEAD = "instead use a wattmeter's table with the columns cores and watts: pysmpi-calibrate power --from CSV"


@dataclass(frozen=True)
class Counters:
    """Energy counters of all packages and their memory.

    Attributes:
        zones: folder of each counter.
        ranges: joules after which each counter restarts at zero.
    """

    zones: tuple[Path, ...]
    ranges: tuple[float, ...]

    @classmethod
    def find(cls, root: Path = _ROOT) -> "Counters":
        """Return the counters of this machine.

        Raises:
            CalibrationError: if the machine has no counters, or this process is not allowed to read them.
        """
        packages = sorted(root.glob("intel-rapl:[0-9]*"))
        zones = [
            zone for zone in packages if zone.name.count(":") == 1 or (zone / "name").read_text().strip() == "dram"
        ]
        if not zones:
            raise CalibrationError(
                f"no energy counters (RAPL) found under {root}, as in most virtual machines; {_INSTEAD}"
            )
        ranges = []
        for zone in zones:
            try:
                (zone / "energy_uj").read_text()
                ranges.append(int((zone / "max_energy_range_uj").read_text()) / 1e6)
            except PermissionError:
                raise CalibrationError(
                    f"no permission to read {zone / 'energy_uj'}: run as root, or let root make the file readable "
                    f"(chmod a+r); {_INSTEAD}"
                ) from None
            except (OSError, ValueError) as error:
                raise CalibrationError(f"cannot read the energy counters in {zone}: {error}; {_INSTEAD}") from None
        return cls(tuple(zones), tuple(ranges))

    def read(self) -> tuple[float, ...]:
        """Return the current value of each counter, in joules."""
        return tuple(int((zone / "energy_uj").read_text()) / 1e6 for zone in self.zones)

    def between(self, before: tuple[float, ...], after: tuple[float, ...]) -> float:
        """Return the joules that all counters added between two readings; a counter may have restarted at zero once."""
        return sum((end - begin) % span for begin, end, span in zip(before, after, self.ranges, strict=True))
