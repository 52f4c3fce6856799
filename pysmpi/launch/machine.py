"""The engine before and after a simulation: the machine that it is handed, and what it has counted."""

from pysmpi.launch.configuration import Configuration
from pysmpi.launch.outcome import Counters
from pysmpi.native import ffi, lib
from pysmpi.platform import Platform

__all__ = ["install", "read_counters"]


def install(platform: Platform, configuration: Configuration, seed: int) -> None:
    """Hands the settings and the platform to the engine, for the next simulation.

    Raises:
        ConfigurationError: a setting has no effect.
        PlatformError: the platform has not got the routing that the settings ask for.
    """
    configuration.hand_to_engine()
    routing = configuration["platform/routing"]
    platform.choose_routes(None if routing == "default" else routing, seed)
    platform.install()


def read_counters() -> Counters:
    """What the simulation that is under way has counted so far."""
    native = ffi.new("pysmpi_counters *")
    lib.pysmpi_read_counters(native)
    return Counters(**{name: getattr(native, name) for name in Counters.__slots__})
