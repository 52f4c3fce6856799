"""SMPI's own factors, fitted to a cluster with gigabit Ethernet in 2011."""

from pysmpi.platform.fabrics.fabric import Fabric

__all__ = ["SMPI_FABRIC"]

SMPI_FABRIC = Fabric(name="smpi", meaning="defaults of SMPI 3.32, which were fitted to gigabit Ethernet in 2011")
