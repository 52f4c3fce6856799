"""Engines that run the simulations of a study: local processes, or a cluster through Dask."""

from pysmpi.study.engines.engine import Engine, check_engine, engine_of

__all__ = ["Engine", "check_engine", "engine_of"]
