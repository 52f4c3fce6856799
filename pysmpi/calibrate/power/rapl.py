"""The processor's energy counters (RAPL), as Linux shows them under /sys/class/powercap.

Each package is a zone, with zones of its own for what it consists of, of which memory alone is not part of it.
Documentation/power/powercap/powercap.rst of the kernel.
"""

from dataclasses import dataclass
from pathlib import Path

from pysmpi.errors import CalibrationError

__all__ = ["Counters"]

_ROOT = Path("/sys/class/powercap")
_INSTEAD = "a wattmeter's table does as well: pysmpi-calibrate power --from CSV, with the columns cores and watts"


@dataclass(frozen=True)
class Counters:
    """All packages' counters, and their memory's.

    Attributes:
        zones: the folder of each.
        ranges: joules at which each begins at zero again.
    """

    zones: tuple[Path, ...]
    ranges: tuple[float, ...]

    @classmethod
    def find(cls, root: Path = _ROOT) -> "Counters":
        """Those of this machine.

        Raises:
            CalibrationError: there are none, or they may not be read.
        """
        packages = sorted(root.glob("intel-rapl:[0-9]*"))
        zones = [
            zone for zone in packages if zone.name.count(":") == 1 or (zone / "name").read_text().strip() == "dram"
        ]
        if not zones:
            raise CalibrationError(
                f"there are no energy counters (RAPL) under {root}, as in most virtual machines; {_INSTEAD}"
            )
        ranges = []
        for zone in zones:
            try:
                (zone / "energy_uj").read_text()
                ranges.append(int((zone / "max_energy_range_uj").read_text()) / 1e6)
            except PermissionError:
                raise CalibrationError(
                    f"no permission to read {zone / 'energy_uj'}: run it as root, or let root make that readable "
                    f"(chmod a+r); {_INSTEAD}"
                ) from None
            except (OSError, ValueError) as error:
                raise CalibrationError(f"cannot read the energy counters in {zone}: {error}; {_INSTEAD}") from None
        return cls(tuple(zones), tuple(ranges))

    def read(self) -> tuple[float, ...]:
        """Joules of each since some time."""
        return tuple(int((zone / "energy_uj").read_text()) / 1e6 for zone in self.zones)

    def between(self, before: tuple[float, ...], after: tuple[float, ...]) -> float:
        """Joules of all together; each may have begun at zero again once."""
        return sum((end - begin) % span for begin, end, span in zip(before, after, self.ranges, strict=True))
