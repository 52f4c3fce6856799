"""Estimates of the parallel efficiency from numbers of bytes and operations, without simulation.

Source of the formula: A. E. Helal, C. Jung, W. Feng, Y. Y. Hanafy, "CommAnalyzer: Automated Estimation of
Communication Cost and Scalability on HPC Clusters from Sequential Code", HPDC 2018, section 5.
"""

__all__ = ["depth_limit", "formula", "link_bound"]


def formula(speed: float, bytes_per_flop: float, bandwidth: float, overlap: float) -> float:
    """Return CommAnalyzer's efficiency E = 1 / (1 + R · I · (1 - O) / B).

    The paper calls it an upper bound. It is not one for programs that send only to near nodes, because the bandwidth is
    measured between far nodes. It leaves out latency.

    Args:
        speed: R, flop/s of a node.
        bytes_per_flop: I, bytes sent by all nodes together over all floating-point operations.
        bandwidth: B, bytes/s of each node when all nodes exchange messages.
        overlap: O, largest share of the communication that computation can hide.
    """
    return 1.0 / (1.0 + speed * bytes_per_flop * (1.0 - overlap) / bandwidth)


def link_bound(speed: float, flops: float, nodes: int, share: float, bandwidth: float) -> float:
    """Return an upper bound of the efficiency: the busiest node cannot send its data faster than its own link allows.

    Communication and computation overlap fully. Only the longer of both counts.

    Args:
        speed: flop/s of a node.
        flops: floating-point operations of all nodes together.
        nodes: number of nodes.
        share: bytes that the busiest node sends or gets, whichever is more.
        bandwidth: bytes/s that a node can send at most.
    """
    computing = flops / nodes / speed
    return 1.0 if share == 0 else min(1.0, computing * bandwidth / share)


def depth_limit(parallelism: float, nodes: int) -> float:
    """Return an upper bound of the efficiency: computations of one chain cannot run at the same time.

    Example: with a mean parallelism of 50, 100 nodes have an efficiency of at most 0.5.

    Args:
        parallelism: number of computations over the length of their longest chain.
        nodes: number of nodes.
    """
    return min(1.0, parallelism / nodes)
