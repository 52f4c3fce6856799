"""Remarks on a what-if table: what bounds the program, changes without effect, and spellings that mislead."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pysmpi.errors import ConfigurationError
from pysmpi.platform.scaling import Quantity, Scaling
from pysmpi.simulation.experiments.variation import Variation
from pysmpi.simulation.settings.switches import Switch, parse_switch
from pysmpi.util.quantities import counted

__all__ = ["remarks"]

_SUBJECTS = {
    Quantity.SPEED: "nodes",
    Quantity.MEMORY: "memory",
    Quantity.BANDWIDTH: "links",
    Quantity.LATENCY: "latency",
}
_BOUNDS = {
    Quantity.SPEED: "the speed of its nodes",
    Quantity.MEMORY: "memory bandwidth",
    Quantity.BANDWIDTH: "the bandwidth of links",
    Quantity.LATENCY: "latency",
}


_BOUND = 0.5  # least share of the time with which a quantity bounds a program


@dataclass(frozen=True, slots=True)
class _Gain:
    """Speed-up by one switch: the unchanged run's time divided by its time, with the margin of measured computation."""

    switch: Switch
    times: float
    margin: float

    @property
    def is_distinguishable(self) -> bool:
        return not self.margin or abs(self.times - 1) > self.margin

    def __str__(self) -> str:
        if not self.margin:
            return f"{self.times:.2f} times"
        verdict = "" if self.is_distinguishable else " (not distinguishable from no effect)"
        return f"{self.times:.2f} ± {self.margin:.2f} times{verdict}"


def remarks(variations: Sequence[Variation], margins: Mapping[str, float]) -> list[str]:
    """Return the lines that follow the table.

    Args:
        variations: the runs, the unchanged one first.
        margins: how much each switch's speed-up may change if its runs are repeated, by the switch's text; 0 if not at
            all.
    """
    base, *others = variations
    lines: list[str] = []
    gains: list[_Gain] = []
    slowed = False
    for each in others:
        try:
            switch = parse_switch(each.switch)
        except ConfigurationError:  # not a switch: a comparison of other runs
            continue
        lines += switch.notes
        if each.failure or each.simulated_time <= 0 or base.simulated_time <= 0:
            continue
        of_speed = any(scaling.quantity is Quantity.SPEED for scaling in switch.scalings)
        equal = math.isclose(each.simulated_time, base.simulated_time, rel_tol=1e-9)
        slowed |= of_speed and not equal
        if equal:
            why = f": {base.unscaled}" if of_speed and base.unscaled else ""
            lines.append(f"{each.switch}: no effect, the time is the same to nine digits{why}")
        if switch.nodes != 1:
            lines.append(
                f"{each.switch}: {counted(each.ranks, 'rank')} on {counted(each.nodes, 'node')} instead of "
                f"{base.ranks} on {base.nodes}"
            )
        if _is_one_factor(switch):
            gains.append(_Gain(switch, base.simulated_time / each.simulated_time, margins.get(each.switch, 0.0)))
        if (line := _sharing(each, margins.get(each.switch, 0.0))) is not None:
            lines.append(line)
    if slowed and any(word in base.unscaled for word in ("pysmpi.execute", "measured")):
        lines.append(
            f"factors on speed apply to all computation, but another speed= of the platform would not: {base.unscaled}"
        )
    return lines + ([_sentence(gains)] if gains else [])


def _is_one_factor(switch: Switch) -> bool:
    """Return whether a switch (a change of machine or settings) is a factor on all nodes or links, and nothing else."""
    if switch.settings or any(scaling.name is not None for scaling in switch.scalings):
        return False
    return len(switch.scalings) + (switch.nodes != 1) == 1


def _sharing(each: Variation, margin: float) -> str | None:
    """Return a line on measured computation that differs from that of the unchanged run, or None if all is the same."""
    use = each.intervals
    if use is None or not use.unmatched:
        return None
    if not use.reused:
        return f"{each.switch}: computation was measured again{_size(each, margin)}" if margin else None
    parts = [
        f"{counted(count, 'interval')} {what}"
        for count, what in (
            (use.measured, "measured again"),
            (use.repeated, "more than it has"),
            (use.left_over, "not used"),
        )
        if count
    ]
    return f"{each.switch}: measured computation of the unchanged run: {use.reused:,} intervals reused, " + (
        f"{', '.join(parts)}{_size(each, margin)}"
    )


def _size(each: Variation, margin: float) -> str:
    return f", {each.own_share:.1%} of the time of one rank; ± says how far repeated runs may differ" if margin else ""


def _sentence(gains: "Sequence[_Gain]") -> str:
    """Return a sentence with the speed-up of each switch that multiplies one property of the machine, and the quantity
    that takes most of the program's time.

    Factors on the number of nodes change the ranks' work, too, so they do not say what the program is bound by.
    """
    texts = [f"{_changed(each.switch)}: {each}" for each in gains]
    shares: dict[Quantity, float] = {}
    sure = [each for each in gains if each.is_distinguishable]
    for scaling, gain in ((scaling, each.times) for each in sure for scaling in each.switch.scalings):
        accelerates = 1 / scaling.factor if scaling.quantity is Quantity.LATENCY else scaling.factor
        if accelerates != 1:
            share = (1 - 1 / gain) / (1 - 1 / accelerates)
            shares[scaling.quantity] = max(share, shares.get(scaling.quantity, share))
    if not shares:
        return "; ".join(texts)
    found = max(shares, key=lambda quantity: shares[quantity])
    if shares[found] >= _BOUND:
        texts.append(f"the program is bound by {_BOUNDS[found]}")
    else:
        texts.append(f"none of these takes half of the time: the program is bound by {_BOUNDS[found]} at most in part")
    return "; ".join(texts)


def _changed(switch: Switch) -> str:
    if switch.nodes != 1:
        factor = float(switch.nodes)
        return {2.0: "twice", 0.5: "half"}.get(factor, f"{factor:g} times") + " as many nodes"
    (scaling,) = switch.scalings
    return f"{_SUBJECTS[scaling.quantity]} {_factor(scaling)}"


def _factor(scaling: Scaling) -> str:
    if scaling.quantity is Quantity.LATENCY:
        return {0.5: "halved", 2.0: "doubled"}.get(scaling.factor, f"{scaling.factor:g} times as long")
    return {2.0: "twice as fast", 0.5: "half as fast"}.get(scaling.factor, f"{scaling.factor:g} times as fast")
