"""Simulated machine of an estimate, with one node on each host.

Simulations find its bandwidths, and the time that the messages and computations of all nodes take in a step.
"""

import os
from collections.abc import Sequence

import numpy as np

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.skeleton import Phase, skeleton
from pysmpi.simulation.collectives.schedule import Schedule
from pysmpi.simulation.launch.machine_setup import configured_machine
from pysmpi.simulation.replay import simulate_replay

__all__ = ["Machine"]

_RING_BYTES = 2**20  # size of the messages that nodes send to each other at random
_LINK_BYTES = 2**28  # so large that latency does not matter
_PEERS = 16  # largest number of nodes that one node sends to when its link is measured
_RINGS = 3  # number of random orders of the nodes; their mean time counts
_REPEATED = 3  # number of steps that are simulated
_MOST_MESSAGES = 400_000  # with more, a skeleton is not simulated


class Machine:
    """Simulated machine, on which the messages and computations of nodes are simulated, with one node on each host.

    Args:
        platform: platform as for `pysmpi.simulate`.
        seed: seed of the random order of nodes in which `ring_bandwidth` measures.
    """

    def __init__(self, platform: str | os.PathLike[str], seed: int = 0) -> None:
        self._platform, _ = configured_machine(platform, ())
        self._seed = seed
        self.hosts = [host.name for host in self._platform.hosts]
        first = self._platform.hosts[0]
        self.speed = float(first.speed * first.cores)
        """Speed of a node in flop/s: of all cores of the first host."""
        self._link: float | None = None
        self._rings: dict[int, float] = {}

    def seconds(self, schedules: Sequence[Schedule]) -> float:
        """Return the simulated seconds until all nodes have executed their schedules of messages and computations.

        Args:
            schedules: schedule of each node.
        """
        hosts = self.hosts[: len(schedules)]
        return simulate_replay(list(schedules), platform=self._platform, hosts=hosts).simulated_time

    def check(self, nodes: int) -> str | None:
        """Return a phrase that says why a number of nodes cannot be simulated, or None if it can be simulated."""
        if nodes > len(self.hosts):
            return f"the platform has {len(self.hosts):,} hosts, fewer than {nodes:,} nodes"
        return None

    def ring_bandwidth(self, nodes: int) -> float:
        """Return the bytes/s of each node when every node sends to a random other one, as Netgauge measures it.

        Source: T. Hoefler, T. Mehlan, A. Lumsdaine, W. Rehm, "Netgauge: A Network Performance Measurement Framework",
        HPCC 2007.
        """
        if nodes not in self._rings:
            random = np.random.default_rng(self._seed)
            times = []
            for _ in range(_RINGS):
                order = random.permutation(nodes).tolist()
                schedules = [Schedule() for _ in range(nodes)]
                for place, node in enumerate(order):
                    schedules[node].receive(None, order[place - 1], amount=_RING_BYTES)
                    schedules[order[place - 1]].send(None, node, amount=_RING_BYTES)
                times.append(self.seconds(schedules))
            self._rings[nodes] = _RING_BYTES * len(times) / sum(times)
        return self._rings[nodes]

    def link_bandwidth(self) -> float:
        """Return the bytes/s that one node can send at most: to one other node, or to several at once."""
        if self._link is None:
            if len(self.hosts) < 2:
                raise EstimateError("the platform has one host; an estimate needs at least two")
            peers = {1, min(_PEERS, len(self.hosts) - 1)}
            self._link = max(self._bandwidth_to(count) for count in peers)
        return self._link

    def _bandwidth_to(self, peers: int) -> float:
        schedules = [Schedule() for _ in range(peers + 1)]
        for peer in range(1, peers + 1):
            schedules[0].send(None, peer, amount=_LINK_BYTES)
            schedules[peer].receive(None, 0, amount=_LINK_BYTES)
        return peers * _LINK_BYTES / self.seconds(schedules)

    def latency(self, phases: Sequence[Phase], nodes: int) -> float:
        """Return the simulated seconds of a step with empty messages and no computation.

        Args:
            phases: exchange and computation of each statement in a step.
            nodes: number of nodes.
        """
        return self.seconds(skeleton(phases, nodes, 0.0, _REPEATED, 0.0)) / _REPEATED

    def efficiency(
        self, phases: Sequence[Phase], nodes: int, speed: float, flops: float, scale: float, work_scale: float
    ) -> tuple[float, float, float] | None:
        """Return the simulated parallel efficiency, without and with full overlap, and the seconds of communication.

        Overlap means that nodes compute while messages are under way. The seconds are those of one step.

        Args:
            phases: exchange and computation of each statement in a step.
            nodes: number of nodes.
            speed: flop/s of a node.
            flops: floating-point operations of a step, each counted once, even if several nodes repeat it.
            scale: words of the wanted size over those of `phases`.
            work_scale: computations of the wanted size over those of `phases`.

        Returns:
            The three numbers, or None if there are too many messages to be simulated or nothing is computed.
        """
        if _REPEATED * sum(phase.messages for phase in phases) > _MOST_MESSAGES:
            return None
        work = work_scale * sum(phase.work for phase in phases) / speed
        ideal = flops / nodes / speed
        if ideal == 0:
            return None
        times = [
            self.seconds(skeleton(phases, nodes, cost, _REPEATED, scale, work_scale)) / _REPEATED
            for cost in (1 / speed, 0.0)
        ]
        return ideal / times[0], ideal / max(times[1], float(work.max())), times[1]  # type: ignore[union-attr]
