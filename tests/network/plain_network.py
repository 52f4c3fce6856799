"""A second implementation of the fluid network, written for clarity: water-filling computes every rate from zero.

It follows SMPI's Lazy bookkeeping. Only marked links are solved (see native/network/selective_update.hpp), a new rate
updates the remaining bytes, and both precisions cut off small values.
"""

import dataclasses
import math
from collections.abc import Iterable, Sequence


@dataclasses.dataclass(eq=False)
class PlainFlow:
    """A flow; `weights` is its load on each link for each byte/s, `basis` the latency and weight-S of its penalty."""

    token: int
    weights: dict[int, float]
    width: float
    latency: float
    basis: float
    shift_at_start: tuple[float, float]
    bound: float
    penalty: float
    remaining: float
    event: float = math.inf
    order: int = 0
    takes_part: bool = False
    rate: float = 0.0
    last_update: float = 0.0


class PlainNetwork:
    """The interface of NativeNetwork, with factors of 1."""

    def __init__(
        self, *, timing: float = 1e-9, work: float = 1e-5, weight_s: float = 8775.0, gamma: float = 4194304.0
    ) -> None:
        self.now = 0.0
        self.timing, self.work, self.weight_s, self.gamma = timing, work, weight_s, gamma
        self.capacity: list[float] = []
        self.latency: list[float] = []  # by how much it has changed, as has what the link gives to penalties
        self.penalty: list[float] = []
        self.off: set[int] = set()
        self.failed: list[PlainFlow] = []
        self.fatpipe: list[bool] = []
        self.flows: list[PlainFlow] = []
        self.marked: dict[int, None] = {}
        self.tokens = self.orders = 0

    def add_link(self, bandwidth: float, fatpipe: bool = False) -> int:
        self.capacity.append(bandwidth)
        self.latency.append(0.0)
        self.penalty.append(0.0)
        self.fatpipe.append(fatpipe)
        return len(self.capacity) - 1

    def start(self, route: Sequence[int], back: Sequence[int], latency: float, size: float) -> tuple[int, PlainFlow]:
        """Return the new flow's token, and the flow."""
        weights: dict[int, float] = {}
        for links, weight in ((route, 1.0), (back, 0.05)):
            for link in links:
                met = weights.get(link, 0.0)
                weights[link] = max(met, weight) if self.fatpipe[link] else met + weight
        for link in route:
            latency += self.latency[link]
        width = min([self.capacity[link] for link in route], default=math.inf)
        basis = latency
        for link in route:  # one by one: from Python 3.12 on, sum() rounds otherwise
            basis += self.weight_s / self.capacity[link]
        penalty = basis if latency > 0 else 1.0
        bound = min(width, self._window(latency))
        terms = (width, latency, basis, self._shift_of(weights), bound, penalty)
        flow = PlainFlow(self.tokens, weights, *terms, size, last_update=self.now)
        self.tokens += 1
        self.flows.append(flow)
        if not self.off.isdisjoint(weights):
            self.failed.append(flow)
        elif latency > 0 or not route:
            self._date(flow, self.now + latency)
        else:
            flow.takes_part = True
        for link in weights:
            self._mark(link)
        return flow.token, flow

    def cancel(self, flow: PlainFlow) -> None:
        self._mark_first(flow)
        self.flows.remove(flow)

    def set_bandwidth(self, link: int, bandwidth: float) -> None:
        self._mark(link)
        delta = self.weight_s / bandwidth - self.weight_s / self.capacity[link] if self.weight_s else 0.0
        self.capacity[link] = bandwidth
        self._shift(link, 0.0, delta)

    def change_latency(self, link: int, by: float) -> None:
        for flow in self.flows:
            for other in flow.weights if link in flow.weights else ():
                self._mark(other)
        self._shift(link, by, by)

    def _shift(self, link: int, latency: float, penalty: float) -> None:
        self.latency[link] += latency
        self.penalty[link] += penalty
        for flow in self.flows:
            if flow.takes_part and link in flow.weights:
                self._retune(flow, latency, penalty)

    def _shift_of(self, links: Iterable[int]) -> tuple[float, float]:
        latency = penalty = 0.0
        for link in links:
            latency += self.latency[link]
            penalty += self.penalty[link]
        return latency, penalty

    def _retune(self, flow: PlainFlow, latency: float, penalty: float) -> None:
        if latency or penalty:
            flow.latency += latency
            flow.basis += penalty
            flow.penalty = flow.basis if flow.basis > 0 else 1.0
            flow.bound = min(flow.width, self._window(flow.latency))

    def set_state(self, link: int, on: bool) -> None:
        if on:
            self.off.discard(link)
            return
        self.off.add(link)
        for flow in self.flows:
            there = flow.takes_part and self.remaining(flow) <= flow.rate * self.timing
            if link in flow.weights and flow not in self.failed and not there:
                flow.event = math.inf
                self.failed.append(flow)

    def take_failed(self) -> list[int]:
        tokens = [flow.token for flow in self.failed]
        for flow in self.failed:
            self.cancel(flow)
        self.failed.clear()
        return tokens

    def _window(self, latency: float) -> float:
        return self.gamma / (2 * latency) if latency > 0 else math.inf

    def rate(self, flow: PlainFlow) -> float:
        return flow.rate

    def remaining(self, flow: PlainFlow) -> float:
        return max(0.0, flow.remaining - flow.rate * (self.now - flow.last_update))

    def next_event(self) -> float:
        """Compute rates on the marked links, date their flows, and return the earliest date."""
        concerned = [
            flow for flow in self.flows if flow.takes_part and any(link in self.marked for link in flow.weights)
        ]
        rates = fair_rates(
            {link: self.capacity[link] for link in self.marked},
            {link for link in self.marked if self.fatpipe[link]},
            concerned,
            self.work,
        )
        for flow, rate in zip(concerned, rates, strict=True):
            flow.remaining -= flow.rate * (self.now - flow.last_update)
            if flow.remaining < self.timing * self.work:
                flow.remaining = 0.0
            flow.last_update, flow.rate = self.now, rate
            self._date(flow, self.now + flow.remaining / rate)
        self.marked.clear()
        return min((flow.event for flow in self.flows), default=math.inf)

    def settle(self) -> list[int]:
        due = sorted(
            (flow for flow in self.flows if flow.event - self.now < self.timing), key=lambda f: (f.event, f.order)
        )
        ended = []
        for flow in due:
            if flow.weights and not flow.takes_part:
                flow.takes_part, flow.last_update, flow.event = True, self.now, math.inf
                now, before = self._shift_of(flow.weights), flow.shift_at_start
                self._retune(flow, now[0] - before[0], now[1] - before[1])
                self._mark_first(flow)
            else:
                ended.append(flow)
        for flow in ended:
            self.cancel(flow)
        return [flow.token for flow in ended]

    def _date(self, flow: PlainFlow, time: float) -> None:
        flow.event, flow.order = time, self.orders
        self.orders += 1

    def _mark(self, link: int) -> None:
        if link in self.marked:
            return
        self.marked[link] = None
        for flow in self.flows:
            if flow.takes_part and link in flow.weights:
                for other in flow.weights:
                    self._mark(other)

    def _mark_first(self, flow: PlainFlow) -> None:
        if flow.takes_part and flow.weights:
            self._mark(next(iter(flow.weights)))


def fair_rates(
    capacity: dict[int, float], fatpipe: set[int], flows: Sequence[PlainFlow], precision: float
) -> list[float]:
    """Return weighted max-min fair rates: the level rises until a bound or a full link holds a flow, repeatedly.

    A link with no more than `precision` of its capacity left holds no further flow.
    """
    rates = dict.fromkeys(flows, 0.0)
    rising = list(flows)
    left = dict(capacity)
    while rising:
        levels = {}
        for link, bandwidth in left.items():
            usages = [flow.weights[link] / flow.penalty for flow in rising if link in flow.weights]
            if usages:
                levels[link] = bandwidth / (max(usages) if link in fatpipe else math.fsum(usages))
        level = min(levels.values())
        full = {link for link in levels if levels[link] == level}
        held = [flow for flow in rising if not full.isdisjoint(flow.weights)]
        lowest = min(flow.bound * flow.penalty for flow in held)
        if lowest < level:
            held = [flow for flow in held if abs(flow.bound * flow.penalty - lowest) < precision]
        for flow in held:
            rates[flow] = min(flow.bound, level / flow.penalty)
            rising.remove(flow)
            for other, weight in flow.weights.items():
                if other in left and other not in fatpipe:
                    left[other] -= weight * rates[flow]
                    if left[other] <= precision * capacity[other]:
                        del left[other]
    return list(rates.values())
