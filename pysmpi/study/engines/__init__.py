"""What runs the points of a study: processes of this machine, or of a cluster through Dask."""

from pysmpi.study.engines.base import Engine, check_engine, engine_of

__all__ = ["Engine", "check_engine", "engine_of"]
