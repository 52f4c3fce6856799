"""Slingshot 11."""

from pysmpi.platform.fabrics.fabric import Fabric
from pysmpi.platform.fabrics.measurement import Measurement, column

__all__ = ["SLINGSHOT_11"]

_CSCS = "eth-cscs, container of OSU 7.5 with Open MPI 5 and CXI: Alps, Grace nodes, host memory, 2025"
_CSCS_MPICH = "documentation of CSCS, MPICH 4.3.1 with libfabric 1.22 and CXI: Alps, Grace nodes, host memory, 2025"

SLINGSHOT_11 = Fabric(
    name="slingshot-11",
    short_names=("slingshot", "ss11"),
    meaning="Slingshot 11, 200 Gb/s",
    bandwidth=25e9,
    latency=1.75e-7,
    message_rate=1e8,
    eager_limit=16384,
    receive_share=1.0,
    measurements=(
        Measurement(
            "osu_latency",
            _CSCS_MPICH,
            column(
                "3.00 2.99 2.99 3.07 2.99 3.08 3.01 3.88 4.43 4.62 4.47 4.57 4.79 7.92 8.53 9.48 10.92 13.84 "
                "19.19 30.05 51.73 94.94 181.46"
            ),
        ),
        Measurement(
            "osu_bw",
            _CSCS,
            column(
                "1.47 3.00 5.72 12.03 23.95 47.92 95.84 190.46 380.65 763.58 1525.94 3038.59 6028.66 10906.83 "
                "18650.62 21252.10 22596.68 23308.82 23659.17 23847.87 23935.47 23982.65 24005.74"
            ),
        ),
        Measurement(
            "osu_bibw",
            _CSCS,
            column(
                "1.49 3.01 6.08 12.17 24.32 48.57 97.20 193.81 387.57 774.13 1549.50 3099.12 6196.92 11733.62 "
                "22015.19 29944.20 36536.17 41016.28 43677.34 45144.12 45916.67 46306.38 46506.47"
            ),
        ),
    ),
)
