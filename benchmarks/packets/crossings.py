"""Processor time of packets and of lower bounds without ranks: crossings.py PLATFORM HOSTS MESSAGES.

Each of the first HOSTS hosts sends messages of 16 packets to another one of them, four at a time, all of them MESSAGES
in all. The lower bound is that of an exchange of each of the hosts with 500 others.
"""

import resource
import sys

import numpy as np

from pysmpi.native import ffi, lib
from pysmpi.platform import Platform, read
from pysmpi.platform.lower_bound import LowerBound
from pysmpi.simulation.settings.configuration import Configuration

PACKETS, UNDER_WAY, PARTNERS = 16, 4, 500


def seconds_of(platform: Platform, to: np.ndarray, messages: int) -> tuple[float, int]:
    """Return the processor seconds of messages of packets, and the number of messages that have arrived."""
    configuration = Configuration()
    configuration.update({"network/model": "Packets"}, "cfg")
    configuration.hand_to_engine()
    platform.install()
    out = ffi.new("pysmpi_traffic*")
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    lib.pysmpi_carry_traffic(ffi.from_buffer("uint32_t[]", to), messages, UNDER_WAY, PACKETS * 4096, 1, out)
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin, out.arrived


def main(word: str, hosts: int, messages: int) -> None:
    """Print the time of a packet over a link, and that of a message of a lower bound."""
    platform = read(word)
    to = np.arange(len(platform.hosts), dtype=np.uint32)
    to[:hosts] = np.random.default_rng(1).permutation(hosts)
    ways = LowerBound(platform)
    ways.add(np.arange(hosts), to[:hosts], 1.0)
    links = ways.link_bytes.sum() / hosts
    spent, arrived = seconds_of(platform, to, messages)
    print(
        f"{arrived * PACKETS:,} packets over {links:.1f} links: {spent / arrived / PACKETS / links * 1e6:.3f} us a link"
    )
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    bound = LowerBound(platform)
    for distance in range(1, PARTNERS + 1):
        bound.add(np.arange(hosts), (np.arange(hosts) + distance * (hosts // PARTNERS)) % hosts, 1.0)
    spent = resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin
    print(f"lower bound of {bound.messages:,} messages: {spent:.2f} s, {spent / bound.messages * 1e6:.3f} us a message")
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
