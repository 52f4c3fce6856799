"""Caches of processors, and the rates at which a core combines and copies data for MPI.

Rates of one operand of a reduction, or of copied data:

- From caches, a core combines 20 GB/s: eight bytes a cycle at 2.5 GHz, the throughput of a vector addition whose loads
  and stores are the limit.
- From memory, 9 GB/s: a combination reads two operands and writes one, so it gets a third of what a core reads and
  writes, 27 GB/s. A copy gets 5 GB/s: it also reads the lines that it writes, and does not use all of the core's
  requests to memory.
- An A64FX has 20 GB/s from both, because its memory is HBM2 (1,024 GB/s for 48 cores).

Intel's processors place received data in their last-level cache (Data Direct I/O), as the A64FX does. On EPYC
processors, data of more than 32 KiB come from memory.

Sources: data sheets of the processors for caches; Intel Data Direct I/O Technology (white paper of 2012); for the
rates, streams of one core on Xeon Platinum 8460Y+ and 8358 and EPYC 7A53 (validation/pico).
"""

import math
import re
from dataclasses import dataclass

__all__ = ["UNKNOWN", "Processor", "processor_of"]


@dataclass(frozen=True, slots=True)
class Processor:
    """Properties of a processor on which the time of MPI's own work on data depends.

    Attributes:
        cache: bytes of the last-level cache that one core can use.
        sharers: number of cores that share this cache.
        combining: bytes/s of one operand of a reduction, from caches and from memory.
        copying: bytes/s of copied data, from caches and from memory.
        received_in_cache: bytes of received data above which they lie in memory, not in a cache.
    """

    cache: float
    sharers: int
    combining: tuple[float, float] = (20e9, 9e9)
    copying: tuple[float, float] = (20e9, 5e9)
    received_in_cache: float = math.inf


_MIB = 1 << 20
_FROM_MEMORY = 32768  # bytes of received data that EPYC processors find in a cache

UNKNOWN = Processor(32 * _MIB, 16)
"""Processor of hosts whose description names none, or one that is not listed here."""

_PROCESSORS = {
    "A64FX": Processor(8 * _MIB, 12, (20e9, 20e9), (20e9, 20e9)),
    "EPYC 7A53": Processor(32 * _MIB, 8, received_in_cache=_FROM_MEMORY),
    "EPYC 7742": Processor(16 * _MIB, 4, received_in_cache=_FROM_MEMORY),
    "EPYC 7763": Processor(32 * _MIB, 8, received_in_cache=_FROM_MEMORY),
    "EPYC 7H12": Processor(16 * _MIB, 4, received_in_cache=_FROM_MEMORY),
    "EPYC 9654": Processor(32 * _MIB, 8, received_in_cache=_FROM_MEMORY),
    "EPYC 9V33X": Processor(96 * _MIB, 8, received_in_cache=_FROM_MEMORY),
    "Grace": Processor(114 * _MIB, 72),
    "Xeon E5-2630 v3": Processor(20 * _MIB, 8),
    "Xeon E5-2683 v4": Processor(40 * _MIB, 16),
    "Xeon Gold 6130": Processor(22 * _MIB, 16),
    "Xeon Gold 6148": Processor(27.5 * _MIB, 20),
    "Xeon Platinum 8124M": Processor(24.75 * _MIB, 18),
    "Xeon Platinum 8260M": Processor(35.75 * _MIB, 24),
    "Xeon Platinum 8358": Processor(48 * _MIB, 32),
    "Xeon Platinum 8460Y+": Processor(105 * _MIB, 40),
    "Xeon Platinum 8480+": Processor(105 * _MIB, 56),
    "Xeon X3440": Processor(8 * _MIB, 4),
}


def processor_of(description: str) -> Processor:
    """Return the processor that a host's property ``cpu`` names, such as "2 x EPYC 7763", or `UNKNOWN`."""
    name = re.sub(r"^\d+ x ", "", description.strip())
    return _PROCESSORS.get(name, UNKNOWN)
