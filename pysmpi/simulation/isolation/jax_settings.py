"""Settings that JAX keeps once in the process (``jax.config.update``).

What JAX keeps for each thread, such as ``jax.default_matmul_precision`` and the transformation in progress, is
exchanged with the thread-local variables of its library (pysmpi/native/isolation/thread_storage.cpp).
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["Jax"]


class Jax:
    """Settings of the loaded module jax in the process.

    Args:
        jax: the module.
        patches: record of the replaced functions.
        first_change: function that is called when a rank changes a setting for the first time, before it changes.
    """

    def __init__(self, jax: Any, patches: Patches, first_change: Callable[[], None]) -> None:
        config: Any = import_module(f"{jax.__name__}._src.config")
        self._states = list(config.config_states.values())
        update = type(config.config).update

        def update_of_rank(self: Any, name: str, value: Any) -> None:
            if lib.pysmpi_running_rank() >= 0:
                first_change()
            update(self, name, value)

        patches.set(type(config.config), "update", update_of_rank)
        self._present = self._first = self._read()

    def _read(self) -> list[Any]:
        return [state.get_global() for state in self._states]

    def leave(self) -> list[Any]:
        """Return the present settings."""
        self._present = self._read()
        return self._present

    def enter(self, settings: list[Any]) -> None:
        """Assign the settings that differ from the present ones."""
        for state, wanted, now in zip(self._states, settings, self._present, strict=True):
            if wanted is not now:
                state.set_global(wanted)
                if state._update_global_hook is not None:
                    state._update_global_hook(wanted)
        self._present = settings

    def begin(self, _rank: int) -> None:
        """Assign the settings that JAX had when this object was created."""
        self.enter(self._first)
