"""A judge of the exact mode: at every event, water-filling computes the rates of all flows from zero.

It knows nothing of marks, precisions and unchanged rates. A link that does not share bounds each flow by itself.
"""

import math

from plain_network import PlainFlow, PlainNetwork


class ExactNetwork(PlainNetwork):
    """The interface of PlainNetwork, with exact rates."""

    def __init__(self, timing: float = 1e-9) -> None:
        super().__init__(timing=timing, work=0.0)

    def next_event(self) -> float:
        """Compute and date all flows, and return the earliest date."""
        moving = [flow for flow in self.flows if flow.takes_part]
        shared = {link: capacity for link, capacity in enumerate(self.capacity) if not self.fatpipe[link]}
        own = [flow.bound for flow in moving]
        for flow in moving:
            flow.bound = self._bound(flow)
        rates = exact_rates(shared, moving)
        for flow, rate, bound in zip(moving, rates, own, strict=True):
            flow.remaining = max(0.0, self.remaining(flow))
            flow.last_update, flow.rate, flow.bound = self.now, rate, bound
            self._date(flow, self.now + flow.remaining / rate)
        return min((flow.event for flow in self.flows), default=math.inf)

    def _bound(self, flow: PlainFlow) -> float:
        fat = [self.capacity[link] / weight for link, weight in flow.weights.items() if self.fatpipe[link]]
        return min([flow.bound, *fat])


def exact_rates(capacity: dict[int, float], flows: list[PlainFlow]) -> list[float]:
    """Return weighted max-min fair rates: the lowest bound or full link holds its flows, repeatedly."""
    rates = dict.fromkeys(flows, 0.0)
    rising = list(flows)
    left = dict(capacity)
    while rising:
        level = min(flow.bound * flow.penalty for flow in rising)
        narrow = None
        for link, remaining in left.items():
            usages = [flow.weights[link] / flow.penalty for flow in rising if link in flow.weights]
            if usages and remaining / math.fsum(usages) < level:
                level, narrow = remaining / math.fsum(usages), link
        if narrow is not None:
            held = [flow for flow in rising if narrow in flow.weights]
        else:
            held = [flow for flow in rising if flow.bound * flow.penalty <= level]
        for flow in held:
            rates[flow] = flow.bound if narrow is None else level / flow.penalty
            rising.remove(flow)
        for link in left:
            there = [flow.weights[link] * rates[flow] for flow in flows if flow not in rising and link in flow.weights]
            left[link] = math.fsum([capacity[link], *(-load for load in there)])
    return list(rates.values())
