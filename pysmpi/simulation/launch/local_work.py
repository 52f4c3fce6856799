"""Time of MPI's own work on data: combining the operands of reductions, and local copies of collectives.

It depends on the processor of the host, and on the ranks that share its caches and its memory.
"""

import math
from collections import Counter
from collections.abc import Sequence

from pysmpi.native import ffi, lib
from pysmpi.platform import Platform
from pysmpi.platform.processors import UNKNOWN, Processor, processor_of
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.host_properties import values_by_host
from pysmpi.simulation.settings.option_parsers import number_above

__all__ = ["set_local_work"]

_HOT, _COLD = 0.5, 1.5
"""Bytes that a call touches, relative to the cache: up to the first, all data are in the cache; from the second on, all
come from memory."""
_MOVED = 3
"""Bytes that a combination or a copy moves to and from memory for each byte of one operand. A combination reads two and
writes one. A copy reads one, and reads and writes the other."""


def set_local_work(platform: Platform, placed: Sequence[int], configuration: Configuration) -> None:
    """Set the time that the engine's ranks take for combining and copying data.

    Args:
        platform: simulated machine.
        placed: host number of each rank.
        configuration: settings, of which ``smpi/reduction-bandwidth``, ``smpi/copy-bandwidth`` and
            ``smpi/received-in-cache`` apply.

    Raises:
        ConfigurationError: the property ``host-memory-bandwidth`` of a host is not a number above 0.
    """
    reductions, copies = configuration["smpi/reduction-bandwidth"], configuration["smpi/copy-bandwidth"]
    if not reductions and not copies:
        return
    lands = configuration["smpi/received-in-cache"]

    def set_core(host: int, of: Processor, cores: int, ranks: int, memory: float) -> None:
        cache = of.cache / max(1, math.ceil(ranks * min(of.sharers, cores) / cores))

        def curve(given: str | list[tuple[float, float]], rates: tuple[float, float]) -> list[float]:
            if isinstance(given, str):  # OF_HOST
                from_memory = min(rates[1], memory / (_MOVED * ranks)) if memory else rates[1]
                return [_HOT * cache, 1 / rates[0], _COLD * cache, 1 / from_memory]
            return [number for touched, rate in given for number in (float(touched), 1 / float(rate))]

        combining, copying = curve(reductions, of.combining), curve(copies, of.copying)
        lib.pysmpi_set_local_work(
            host,
            len(combining) // 2,
            ffi.new("double[]", combining),
            len(copying) // 2,
            ffi.new("double[]", copying),
            of.received_in_cache if lands else math.inf,
        )

    memories = values_by_host(platform, "host-memory-bandwidth", number_above(0.0), "a number above 0, bytes/s")
    set_core(-1, UNKNOWN, UNKNOWN.sharers, 1, 0.0)
    named = [hosts for hosts, _ in platform.hosts_with("cpu")]
    for number, ranks in Counter(placed).items():
        if ranks == 1 and number not in memories and not any(number in hosts for hosts in named):
            continue  # the core of all hosts
        host = platform.hosts[number]
        set_core(number, processor_of(host.properties.get("cpu", "")), host.cores, ranks, memories.get(number, 0.0))
