"""Settings that JAX keeps once in the process (``jax.config.update``).

What JAX keeps for each thread, such as ``jax.default_matmul_precision`` and the transformation in progress, is
exchanged with the thread-local variables of its library (pysmpi/native/isolation/thread_storage.cpp).
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.process_wide_settings import ProcessWideSettings

__all__ = ["Jax"]


class Jax(ProcessWideSettings):
    """Settings of JAX that exist once in the process (``jax.config``); ranks have their own once one changes some.

    Args:
        jax: the module.
        patches: record of the replaced functions.
        first_change, shared_change: as for `ProcessWideSettings`.
    """

    def __init__(
        self, jax: Any, patches: Patches, first_change: Callable[[], None], shared_change: Callable[[], None]
    ) -> None:
        super().__init__(first_change, shared_change)
        config: Any = import_module(f"{jax.__name__}._src.config")
        for state in config.config_states.values():
            self._add(state.get_global, partial(_assign, state))
        kind = type(config.config)
        patches.set(kind, "update", self._following(kind.update))


def _assign(state: Any, value: Any) -> None:
    state.set_global(value)
    if state._update_global_hook is not None:
        state._update_global_hook(value)
