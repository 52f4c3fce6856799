"""Network technologies by name. To add a fabric, write a module here and add its fabric to `FABRICS`."""

from pysmpi.errors import PlatformError, unknown
from pysmpi.platform.fabrics.ethernet import ETHERNET_1G, ETHERNET_10G, ETHERNET_25G, ETHERNET_100G
from pysmpi.platform.fabrics.fabric import Fabric
from pysmpi.platform.fabrics.infiniband import EDR, HDR, NDR
from pysmpi.platform.fabrics.neutral import NEUTRAL
from pysmpi.platform.fabrics.omni_path import OMNI_PATH
from pysmpi.platform.fabrics.shared_memory import SHARED_MEMORY
from pysmpi.platform.fabrics.slingshot import SLINGSHOT_11
from pysmpi.platform.fabrics.smpi import SMPI_FABRIC
from pysmpi.platform.fabrics.tofu import TOFU_D

__all__ = ["FABRICS", "FABRIC_NAMES", "NEUTRAL", "Fabric", "find_fabric"]

FABRICS: dict[str, Fabric] = {
    fabric.name: fabric
    for fabric in (
        NEUTRAL,
        ETHERNET_1G,
        ETHERNET_10G,
        ETHERNET_25G,
        ETHERNET_100G,
        EDR,
        HDR,
        NDR,
        OMNI_PATH,
        SLINGSHOT_11,
        TOFU_D,
        SHARED_MEMORY,
        SMPI_FABRIC,
    )
}
"""All values of the setting ``fabric``, by name."""

FABRIC_NAMES: dict[str, Fabric] = FABRICS | {
    short: fabric for fabric in FABRICS.values() for short in fabric.short_names
}
"""The fabrics by name and by short names, such as ``hdr``."""


def find_fabric(name: str, place: str) -> Fabric:
    """Return the fabric with a name or short name.

    Args:
        name: the name.
        place: what the error text begins with: where the name was given.

    Raises:
        PlatformError: the name is unknown.
    """
    if name not in FABRIC_NAMES:
        raise PlatformError(f"{place}: {unknown('fabric', name, FABRIC_NAMES)}")
    return FABRIC_NAMES[name]
