"""Time that calls of a current MPI library take.

Sources:
    Unsuccessful MPI_Test and MPI_Iprobe: Open MPI 2.0.2 on Xeon Gold 6130 (second calibration of Grid'5000 Dahu,
    T. Cornebize, thesis 2021, notebook calibration_analysis/dahu/mpi/remote_calibration.ipynb).
    Sends and receives: Open MPI 4.0.3 with UCX on Broadwell and ConnectX-4 sends 7.8 million one-byte messages per
    second and core, and passes a message inside a socket in 0.19 us (osu_mbw_mr of ukri-excalibur/excalibur-tests,
    osu_latency of mzampar/High_Performance_Computing_2023). A fabric has its own values.
    Reductions and local copies: by the host's processor (pysmpi/platform/processors.py).
    New buffers: glibc's malloc returns blocks above 32 MiB to the system (M_MMAP_THRESHOLD's dynamic maximum).
"""

__all__ = ["CALLS"]

CALLS = {
    "smpi/test": "8.3e-07",
    "smpi/iprobe": "2.5e-07",
    "smpi/os": "0:6e-08:0",
    "smpi/ois": "0:1.1e-07:0",
    "smpi/or": "0:6e-08:0",
    "smpi/reduction-bandwidth": "host",
    "smpi/copy-bandwidth": "host",
    "smpi/new-buffers": "33554432",
}
