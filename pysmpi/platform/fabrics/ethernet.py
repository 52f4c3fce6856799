"""Ethernet of 1 and 10 Gb/s with TCP, and of 25 and 100 Gb/s with RDMA (RoCE)."""

from pysmpi.platform.fabrics.fabric import Fabric
from pysmpi.platform.fabrics.measurement import Measurement, column

__all__ = ["ETHERNET_1G", "ETHERNET_10G", "ETHERNET_25G", "ETHERNET_100G"]

_ROCE = "ukri-excalibur/excalibur-tests, output/alaska/roce-gcc9-openmpi4-ucx: Broadwell, Open MPI 4.0.3 with UCX, 2020"

ETHERNET_1G = Fabric(
    name="ethernet-1g",
    short_names=("1g",),
    meaning="gigabit Ethernet with TCP",
    bandwidth=125e6,
    latency=2e-6,
    message_rate=1.4e6,
    eager_limit=65536,  # Open MPI's for TCP (btl_tcp_eager_limit)
    measurements=(
        Measurement(
            "osu_latency",
            "source of the plots of an InfiniBand tutorial in Julia (ompi_latency_tcp_vs_ib.svg): Open MPI 4.1.2, TCP",
            column(
                "24.62 24.49 24.50 24.50 24.59 24.51 24.57 25.00 48.98 51.99 74.88 118.95 154.72 202.36 252.88 "
                "432.08 973.53 1543.98 2650.59 4801.94"
            ),
        ),
        Measurement(
            "osu_bw",
            "the same (ompi_bw_tcp_vs_ib.svg)",
            column(
                "0.57 1.08 2.15 3.86 7.42 13.21 22.64 41.38 62.72 90.03 100.75 106.47 110.89 114.27 116.27 116.21 "
                "116.85 117.28 117.51 117.60 117.64 117.66",
                2,
            ),
        ),
    ),
)
ETHERNET_10G = Fabric(
    name="ethernet-10g",
    short_names=("10g",),
    meaning="10 Gb/s Ethernet with TCP",
    bandwidth=1.25e9,
    latency=5e-7,
    message_rate=1e7,
    eager_limit=65536,
    measurements=(
        Measurement(
            "osu_latency",
            "Open MPI development mailing list, 27 March 2014 (Wang): 10 Gb/s adapters, TCP",
            column(
                "22.48 22.38 22.39 22.52 22.52 22.59 22.73 23.01 24.32 28.50 31.06 56.06 68.53 77.09 105.23 "
                "143.51 229.79 285.28 423.26 693.82"
            ),
        ),
        Measurement(
            "osu_bw",
            "J. Zhuang, MPI on EC2 (c5n, one TCP stream of 10 Gb/s), Open MPI 4.0.0, OSU 5.5, 2019",
            column(
                "0.47 0.95 1.90 3.78 7.66 15.17 29.94 53.69 105.53 202.98 376.49 626.50 904.27 1193.19 1178.43 "
                "1180.01 1179.70 1180.92 1181.41 1181.67 1181.62 1181.72 1180.56"
            ),
        ),
    ),
)
ETHERNET_25G = Fabric(
    name="ethernet-25g",
    short_names=("25g",),
    meaning="25 Gb/s Ethernet with RDMA (RoCE)",
    bandwidth=3.125e9,
    latency=1.5e-7,
    message_rate=4e7,
    receive_share=0.5,
    measurements=(
        Measurement(
            "osu_latency",
            _ROCE,
            column(
                "1.38 1.38 1.37 1.38 1.39 1.43 1.48 1.58 2.08 2.29 2.79 3.72 5.66 7.92 10.56 16.03 26.95 48.86 "
                "92.16 177.92 349.82 692.38 1376.96"
            ),
        ),
        Measurement(
            "osu_bw",
            _ROCE,
            column(
                "5.30 10.69 21.41 42.73 85.37 169.29 337.97 648.36 1072.86 1709.88 2195.75 2557.36 2723.45 "
                "2871.21 2955.66 2989.19 3007.99 3017.49 3022.29 3024.93 3061.47 3062.55 3063.09"
            ),
        ),
        Measurement(
            "osu_bibw",
            _ROCE,
            column(
                "9.18 17.78 34.86 73.74 145.43 269.57 540.04 1000.00 447.65 2821.89 4338.37 5042.94 5405.98 "
                "5719.40 5868.35 5912.48 5956.25 5973.82 5981.74 5985.85 6115.48 6121.45 6124.25"
            ),
        ),
        Measurement(
            "osu_mbw_mr",
            _ROCE,
            column(
                "38.72 65.77 126.39 242.99 452.63 791.63 1258.28 1793.99 2298.92 2641.36 2864.19 2989.87 3031.14 "
                "3030.85 3041.08 3034.25 3031.34 3060.45 3062.07 3062.91 3063.36 3063.53 3063.63"
            ),
            ranks=16,
        ),
    ),
)
# No table of an OSU benchmark on 100 Gb/s RoCE was found. The latencies are those of 25 Gb/s, without the time that the
# bytes take; the bandwidth is the same share of the line rate as with 25 Gb/s.
ETHERNET_100G = Fabric(
    name="ethernet-100g",
    short_names=("100g",),
    meaning="100 Gb/s Ethernet with RDMA (RoCE); derived from 25 Gb/s",
    bandwidth=12.5e9,
    latency=1.5e-7,
    message_rate=1e8,
    derived_from=ETHERNET_25G,
    derived_rate=12.25e9,
)
