"""Directions of metrics: whether more or less of a metric is better, as far as this follows from its name.

The last known word of a name decides: ``hpl_gflops`` is a rate of operations, ``time_efficiency`` is an efficiency.
Words after "per" or "a" are a denominator. If only they are known, the opposite holds: more of ``steps_per_second`` is
better.
"""

import re

from pysmpi.errors import unknown

__all__ = ["BETTER", "direction_of_name", "parse_better"]

BETTER = ("more", "less")
"""Valid directions of metrics: whether more or less is better."""

_RATES = """
    flops kflops mflops gflops tflops pflops eflops gups teps gteps mlups glups bandwidth bandwidths bps kbps mbps gbps
    tbps throughput efficiency efficiencies speedup speedups speed performance utilisation utilization accuracy
    parallelism availability yield
"""
_MORE = frozenset(_RATES.split())
_LOSSES = """
    time times seconds second secs sec ms us ns msec usec nsec milliseconds microseconds nanoseconds minutes minute
    hours hour days day duration durations elapsed runtime walltime makespan latency latencies energy energies joules
    joule kwh mwh power watts watt kilowatts carbon co2 emissions cost costs price prices expense slowdown slowdowns
    overhead overheads error errors loss losses residual residuals imbalance stall stalls wait waits waiting idle delay
    delays jitter misses failures
"""
_LESS = frozenset(_LOSSES.split())
_PER = frozenset(("per", "a", "an", "each"))
_WORDS = re.compile(r"co2|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", re.ASCII)


def direction_of_name(name: str) -> str | None:
    """Return "more" or "less" if the name of a metric says which is better, else None.

    >>> direction_of_name("metric.hpl_gflops"), direction_of_name("seconds_a_step"), direction_of_name("steps_per_s")
    ('more', 'less', 'more')
    """
    text = re.sub(r"/\s*", "_per_", name)
    words = [word.lower() for word in _WORDS.findall(text.replace("CO2", "co2"))]
    place = next((place for place, word in enumerate(words) if word in _PER and 0 < place < len(words) - 1), None)
    if place is None:
        return _of_words(words)
    own = _of_words(words[:place])
    if own is not None:
        return own
    below = "less" if words[place + 1] == "s" else _of_words(words[place + 1 :])
    return {"less": "more", "more": "less", None: None}[below]


def parse_better(text: str, what: str) -> str:
    """Check the direction of a metric that a user has given, and return it.

    Args:
        text: direction as the user has given it.
        what: name of the argument or option, for the error.

    Raises:
        ValueError: the text is neither "more" nor "less".
    """
    if text not in BETTER:
        raise ValueError(f"{what}: {unknown('direction', str(text), BETTER)}")
    return text


def _of_words(words: list[str]) -> str | None:
    for word in reversed(words):
        if word in _MORE or word in _LESS:
            return "more" if word in _MORE else "less"
    return None
