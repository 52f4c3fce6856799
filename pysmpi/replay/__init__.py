"""Skeletons: programs of ranks without Python, which the engine runs natively.

They are read from time-independent traces as SMPI writes them, or from LogGOPSim's GOAL text.
"""

from pysmpi.replay.outcome import SkeletonResult
from pysmpi.replay.simulate import simulate_skeleton
from pysmpi.replay.source import Skeleton, SkeletonError, read_skeleton

__all__ = ["Skeleton", "SkeletonError", "SkeletonResult", "read_skeleton", "simulate_skeleton"]
