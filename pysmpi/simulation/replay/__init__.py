"""Replay: simulation of recorded or prepared actions of ranks, run by the engine without Python.

Replay programs are time-independent traces as written by SMPI, GOAL texts of LogGOPSim, or one `pysmpi.Schedule` per
rank.
"""

from pysmpi.simulation.replay.replay_result import ReplayResult
from pysmpi.simulation.replay.replay_run import simulate_replay
from pysmpi.simulation.replay.source import ReplayError, ReplayProgram, read_program

__all__ = ["ReplayError", "ReplayProgram", "ReplayResult", "read_program", "simulate_replay"]
