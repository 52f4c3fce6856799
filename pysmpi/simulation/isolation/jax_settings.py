"""Settings of JAX: its configuration, in the process and in the thread.

A few hundred values make up the configuration. They are read one by one only when a rank has changed one of them. To
detect a change, this module compares the tuple that JAX itself compares before it reuses a compiled function.
"""

import os
import sys
from importlib import import_module
from typing import Any, NamedTuple

__all__ = ["Jax"]

# Settings that are missing in JAX's tuple and are compared as well.
_FURTHER = ("jax_default_device", "jax_disable_jit", "jax_debug_nans", "jax_debug_infs", "jax_debug_key_reuse",
            "jax_check_tracer_leaks", "jax_log_compiles", "jax_transfer_guard")  # fmt: skip


class _Settings(NamedTuple):
    """Settings of one rank.

    Attributes:
        key: values that are compared to detect a change of any setting.
        values: value in the thread and value in the process, for each setting.
    """

    key: tuple[Any, ...]
    values: list[tuple[Any, Any]]


class Jax:
    """Settings of the loaded module jax.

    Args:
        jax: the module.
    """

    def __init__(self, jax: Any) -> None:
        self._config: Any = import_module(f"{jax.__name__}._src.config")
        self._core: Any = import_module(f"{jax.__name__}._src.core")
        known = self._config.config_states
        self._folder = os.path.join(os.path.dirname(jax.__file__), "")
        self._states = list(known.values())
        self._further = [known[name] for name in _FURTHER if name in known]
        self._present = _Settings((), [])
        self._first = self.leave()

    def _key(self) -> tuple[Any, ...]:
        return (self._config.trace_context(), *(state.value for state in self._further))

    def leave(self) -> _Settings:
        """Return the present settings."""
        key = self._key()
        if key != self._present.key:
            self._present = _Settings(key, [(state.get_local(), state.get_global()) for state in self._states])
        return self._present

    def enter(self, settings: _Settings) -> None:
        """Assign the settings that differ from the present ones."""
        if settings is self._present or settings.key == self._present.key:
            return
        unset = self._config.config_ext.unset
        for state, wanted, now in zip(self._states, settings.values, self._present.values, strict=True):
            if wanted[0] is not now[0]:
                state.set_local(wanted[0])
                if state._update_thread_local_hook is not None:
                    state._update_thread_local_hook(None if wanted[0] is unset else wanted[0])
            if wanted[1] is not now[1]:
                state.set_global(wanted[1])
                if state._update_global_hook is not None:
                    state._update_global_hook(wanted[1])
        self._present = settings

    def begin(self, _rank: int) -> None:
        """Assign the settings that JAX had when this object was created, for a rank that has no settings yet."""
        self.enter(self._first)

    def refusal(self) -> str | None:
        """Return why no other rank may run while jax works for the running rank, or None."""
        if not self._core.trace_state_clean():
            return (
                "jax: a transformation or a compilation (grad, jit, vmap) is in progress. All ranks share jax's state "
                "in this thread, so the next rank would be traced as a part of it; wait outside of the transformed "
                "function"
            )
        if self._is_in_callback():
            return (
                "jax: a compiled function is running, and has called Python (pure_callback, io_callback). Compiled "
                "functions of one thread end in the opposite order of their beginning, which other ranks would break; "
                "wait outside of the callback"
            )
        return None

    def _is_in_callback(self) -> bool:
        frame = sys._getframe(1)
        while (caller := frame.f_back) is not None:
            frame = caller
            code = frame.f_code
            if code.co_name == "_wrapped_callback" and code.co_filename.startswith(self._folder):
                return True
        return False
