"""The topologies of clusters, one module each. To add a topology, import its module and list its class here."""

from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts
from pysmpi.platform.topologies.dragonfly import Dragonfly
from pysmpi.platform.topologies.dragonfly_plus import DragonflyPlus
from pysmpi.platform.topologies.fat_tree import FatTree
from pysmpi.platform.topologies.flat import Cluster
from pysmpi.platform.topologies.full_mesh import FullMesh
from pysmpi.platform.topologies.hypercube import Hypercube
from pysmpi.platform.topologies.hyperx import HyperX
from pysmpi.platform.topologies.slim_fly import SlimFly
from pysmpi.platform.topologies.torus import Torus

__all__ = [
    "Cluster",
    "ClusterOfHosts",
    "Dragonfly",
    "DragonflyPlus",
    "FatTree",
    "FullMesh",
    "HyperX",
    "Hypercube",
    "SlimFly",
    "Torus",
]
