"""Tables of properties of hosts: steps that pass through measured times and rates (docs/platforms.md)."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

__all__ = ["capacities", "steps_through"]

_FLAT = 1e-3  # least part of a message's time that grows with its size; keeps bandwidths finite where times do not grow


def steps_through(curve: Mapping[int, float], above: int = 0) -> list[str]:
    """Return steps SIZE:LATENCY:BANDWIDTH of a host property: straight lines between the points of a measured curve.

    Args:
        curve: seconds by bytes, for two sizes at least.
        above: size (bytes) above which the first step applies. The last one also applies to larger messages.
    """
    sizes = sorted(curve)
    steps = []
    for before, size in pairwise(sizes):
        seconds = (curve[size] - curve[before]) / (size - before)  # per byte
        if seconds * size < _FLAT * curve[size]:
            seconds = _FLAT * curve[size] / size
        latency = curve[size] - seconds * size
        if latency < 0:
            latency, seconds = 0.0, curve[size] / size
        steps.append(f"{above if before == sizes[0] else before}:{latency:.6g}s:{1 / seconds:.6g}Bps")
    return steps


def capacities(rates: Mapping[int, float]) -> str:
    """Return the table MESSAGES:BANDWIDTH of a host property, with straight lines between the measured bandwidths.

    The least number must be 1.
    """
    counts = sorted(rates)
    every = range(1, counts[-1] + 1)
    between = np.interp(every, counts, [rates[count] for count in counts])
    return "; ".join(f"{count}:{rate:.6g}Bps" for count, rate in zip(every, between, strict=True))
