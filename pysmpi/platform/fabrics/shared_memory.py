"""Messages inside a node, through shared memory."""

from pysmpi.platform.fabrics.fabric import Fabric
from pysmpi.platform.fabrics.inside import LATENCY

__all__ = ["SHARED_MEMORY"]

SHARED_MEMORY = Fabric(
    name="shared-memory",
    short_names=("shm",),
    meaning="one node: messages pass through memory; between nodes as neutral",
    measurements=(LATENCY,),
    others={
        "smpi/lat-factor": "0:1",
        "smpi/bw-factor": "0:1",
        "smpi/os": "0:6e-08:0",
        "smpi/ois": "0:6e-08:0",
        "smpi/or": "0:6e-08:0",
        "network/TCP-gamma": "0",
        "network/crosstraffic": "no",
    },
)
