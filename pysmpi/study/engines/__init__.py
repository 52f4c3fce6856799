"""What runs the points of a study: processes of this machine, or of a cluster through Dask."""

from pysmpi.study.engines.base import Engine, engine_of

__all__ = ["Engine", "engine_of"]
