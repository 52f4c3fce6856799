"""InfiniBand EDR, HDR and NDR."""

from pysmpi.platform.fabrics.fabric import Fabric
from pysmpi.platform.fabrics.measurement import Measurement, column

__all__ = ["EDR", "HDR", "NDR"]

_ALASKA = "ukri-excalibur/excalibur-tests, output/alaska/ib-gcc9-openmpi4-ucx: Broadwell, Open MPI 4.0.3 with UCX, 2020"
_ORFEO = "course on ORFEO by Pasianotto and Cozzini: two Genoa nodes, 200 Gb/s InfiniBand, OSU 7.5.2"

# A step of a ring of MPI_Sendrecv has a latency of 5.6 us at 16 KiB, 8.5 at 32 KiB, 10 at 64 KiB, and 15 from 128 KiB
# to 2 MiB (UCX 1.13, Open MPI 4.1; series of HLC-Lab/pico on MareNostrum 5, read 2026). osu_latency, which calls
# MPI_Send, has 1.6 to 4.8. Messages of less than 8 KiB are eager in both.
_EXCHANGE = "0:0:0;8191:2e-6:1.22e-10;32768:5.5e-6:1.53e-11;65536:2.8e-6:5.65e-11;131072:10.2e-6:0"
# Two ranks that exchange messages above 1 MiB get 12.5 to 15 GB/s each instead of 22.9 (same series; rings of ranks do
# not). Others publish osu_bibw of 1.7 to 2.0 times osu_bw: openucx/ucx issue 7245, and Alaska below.
_OPPOSITE = "0:2;1048576:1.1"
_UCX = {"fabric/exchange-latency": _EXCHANGE, "fabric/opposite-bandwidth": _OPPOSITE}

EDR = Fabric(
    name="infiniband-edr",
    short_names=("edr",),
    meaning="InfiniBand EDR, 100 Gb/s",
    bandwidth=12.5e9,
    latency=6.5e-8,
    message_rate=1.1e8,
    receive_share=0.8,
    measurements=(
        Measurement(
            "osu_latency",
            _ALASKA,
            column(
                "1.02 1.02 1.02 1.02 1.03 1.10 1.15 1.22 1.69 1.81 2.04 2.39 3.17 4.43 6.09 8.01 11.25 17.42 "
                "25.99 47.78 91.87 178.97 351.21"
            ),
        ),
        Measurement(
            "osu_bw",
            _ALASKA,
            column(
                "7.53 15.07 30.17 60.44 120.93 236.16 463.83 883.61 1344.75 2272.33 3644.06 7309.20 9660.55 "
                "10929.13 11481.34 11684.79 11925.27 12055.02 12122.59 12158.47 12171.87 12160.47 12164.86"
            ),
        ),
        Measurement(
            "osu_bibw",
            _ALASKA,
            column(
                "9.84 17.85 34.27 72.01 140.31 255.53 507.11 1006.61 709.57 1323.75 4561.27 8168.58 13489.13 "
                "17613.69 18705.82 19128.90 19986.61 20458.50 20579.30 20745.51 20930.11 20900.17 20799.10"
            ),
        ),
        Measurement(
            "osu_bibw",
            "openucx/ucx issue 7245: EPYC 7742, HDR100 (100 Gb/s), HPC-X 2.7 with UCX 1.9, 2021",
            column(
                "5.95 12.49 24.88 52.27 100.73 204.02 311.07 612.31 817.46 1787.83 3316.37 5218.08 8722.35 "
                "13899.90 18056.62 21316.22 22851.18 23690.87 24128.47 24381.31 24509.98 24575.19 24609.96"
            ),
        ),
        Measurement(
            "osu_mbw_mr",
            _ALASKA,
            column(
                "50.68 110.38 219.36 438.60 885.53 1700.36 3161.77 5700.98 7539.86 10409.82 11952.08 12244.30 "
                "12222.04 12304.16 12343.61 12329.73 12323.43 12320.60 12319.30 12391.25 12392.02 12392.33 "
                "12392.77"
            ),
            ranks=16,
        ),
        Measurement(
            "osu_allreduce",
            _ALASKA,
            column(
                "5.47 5.89 5.39 6.84 8.40 9.07 10.06 11.72 15.07 20.93 35.68 64.50 158.16 201.22 256.17 346.44 "
                "596.92 1258.59 3730.69",
                4,
            ),
            ranks=64,
        ),
    ),
)
HDR = Fabric(
    name="infiniband-hdr",
    short_names=("hdr",),
    meaning="InfiniBand HDR, 200 Gb/s",
    bandwidth=25e9,
    latency=7e-8,
    message_rate=2.15e8,
    others=_UCX,
    measurements=(
        Measurement(
            "osu_latency",
            _ORFEO,
            column(
                "1.34 1.34 1.34 1.34 1.36 1.45 1.49 1.51 1.80 1.85 2.15 2.27 2.56 3.07 4.01 5.20 8.04 13.58 15.41 "
                "26.05 47.22 89.88 174.24"
            ),
        ),
        Measurement(
            "osu_bw",
            _ORFEO,
            column(
                "4.85 9.74 19.44 39.65 79.27 156.19 307.94 610.30 1128.19 2073.82 3663.77 5581.60 8112.97 "
                "11627.75 20538.53 22824.77 23558.55 24213.54 24504.48 24643.49 24706.84 24745.92 24761.78"
            ),
        ),
    ),
)
# No table of an OSU benchmark on NDR was found. The latencies are those of HDR, without the time that the bytes take,
# and the bandwidth is the 46 to 48 GB/s that NVIDIA expects of an adapter (NVIDIA/nccl-tests issue 290).
NDR = Fabric(
    name="infiniband-ndr",
    short_names=("ndr",),
    meaning="InfiniBand NDR, 400 Gb/s; derived from HDR",
    bandwidth=50e9,
    latency=7e-8,
    message_rate=3.3e8,
    derived_from=HDR,
    others=_UCX,
    derived_rate=48e9,
)
