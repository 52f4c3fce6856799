"""Settings of PyTorch: modes of the thread, such as ``no_grad``, defaults of the process, and the random generator."""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

__all__ = ["Torch"]

_DEVICES = ("cpu", "cuda")  # whose settings of autocast are exchanged


class _Settings(NamedTuple):
    """Settings of one rank.

    Attributes:
        values: value of each setting in `Torch._settings`.
        generator: state of the default generator of random numbers.
        inference: context that has suspended the rank's inference mode; None outside inference mode.
    """

    values: list[Any]
    generator: Any
    inference: Any


class Torch:
    """Settings of the loaded module torch, which are exchanged by its own functions.

    Args:
        torch: the module.
        seed_of: function that returns the seed of a rank's random generator, until the rank seeds it itself.
    """

    def __init__(self, torch: Any, seed_of: Callable[[int], int]) -> None:
        core = torch._C
        self._core = core
        self._torch = torch
        self._generator = torch.default_generator
        self._is_inference = torch.is_inference_mode_enabled
        self._peek = core._functorch.peek_interpreter_stack
        self._compiled = getattr(core._dynamo.eval_frame, "get_eval_frame_callback", lambda: None)
        self._settings = self._settings_of(torch, core)
        self._seed_of = seed_of
        self._present = self._first = [read() for read, _ in self._settings]  # values assigned last, and at first
        self._suspended: list[Any] = []  # contexts whose end would change the settings of another rank

    def _settings_of(self, torch: Any, core: Any) -> list[tuple[Callable[[], Any], Callable[[Any], None]]]:
        """Return the functions that read and assign each setting."""
        autograd = core._autograd
        default = torch._GLOBAL_DEVICE_CONTEXT
        settings: list[tuple[Callable[[], Any], Callable[[Any], None]]] = [
            (core.is_grad_enabled, core._set_grad_enabled),
            (core._is_fwd_grad_enabled, core._set_fwd_grad_enabled),
            (core.get_default_dtype, core._set_default_dtype),
            (
                lambda: (
                    core._get_deterministic_algorithms(),
                    core._get_deterministic_algorithms_warn_only(),
                    core._get_deterministic_fill_uninitialized_memory(),
                ),
                _assign_deterministic(core),
            ),
            (core._get_float32_matmul_precision, core._set_float32_matmul_precision),
            (
                lambda: (core.is_anomaly_enabled(), core.is_anomaly_check_nan_enabled()),
                lambda wanted: core.set_anomaly_enabled(*wanted),
            ),
            _stack(core._len_torch_function_stack, core._get_function_stack_at, core._pop_torch_function_stack,
                   core._push_on_torch_function_stack),
            (_current_device, _assign_current_device),
            (
                lambda: getattr(default, "device_context", None),
                lambda wanted: setattr(default, "device_context", wanted),
            ),
            (_saved_hooks(autograd), _assign_saved_hooks(autograd)),
            (_nesting(torch), _assign_nesting(torch)),
            (torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
        ]  # fmt: skip
        for name in _DEVICES:
            settings.append((partial(torch.is_autocast_enabled, name), partial(torch.set_autocast_enabled, name)))
            settings.append((partial(torch.get_autocast_dtype, name), partial(torch.set_autocast_dtype, name)))
        return settings

    def leave(self) -> _Settings:
        """Return the present settings. Inference mode is suspended until `enter` is called with them."""
        values = [read() for read, _ in self._settings]
        generator = self._generator.get_state()
        suspended = None
        self._present = values
        if self._is_inference():
            suspended = self._core._InferenceMode(False)
            suspended.__enter__()
            self._suspended.append(suspended)
            self._present = [read() for read, _ in self._settings]
        return _Settings(values, generator, suspended)

    def enter(self, settings: _Settings) -> None:
        """Assign the settings that differ from the present ones."""
        if settings.inference is not None and settings.inference in self._suspended:
            self._suspended.remove(settings.inference)
            settings.inference.__exit__(None, None, None)
            self._present = [read() for read, _ in self._settings]
        self._assign(settings.values)
        self._generator.set_state(settings.generator)

    def begin(self, rank: int) -> None:
        """Assign the first settings, and seed the generator. In a process, torch seeds it from the system."""
        self._assign(self._first)
        self._generator.manual_seed(self._seed_of(rank))

    def _assign(self, values: list[Any]) -> None:
        if values != self._present:
            for (_, assign), wanted, now in zip(self._settings, values, self._present, strict=True):
                if wanted is not now and wanted != now:
                    assign(wanted)
        self._present = values

    def refusal(self) -> str | None:
        """Return why no other rank may run, because of what torch is doing for the running rank, or None."""
        core = self._core
        if core._current_graph_task_id() != -1:
            return _refusal("a backward pass is in progress (a hook or a custom Function waits for another rank)",
                            "wait after backward() has returned")  # fmt: skip
        if self._peek() is not None:
            return _refusal("a transformation of torch.func (grad, vmap, jvp) is in progress", _WAIT)
        if core._len_torch_dispatch_stack():
            return _refusal("a TorchDispatchMode (such as FakeTensorMode) is active", _WAIT)
        if self._torch.autograd.forward_ad._current_level >= 0:
            return _refusal("forward-mode differentiation (dual_level) is in progress", _WAIT)
        if not core._is_torch_function_enabled():
            return _refusal("a handler __torch_function__ is running", _WAIT)
        if self._compiled() is not None:
            return _refusal("a function of torch.compile is running", _WAIT)
        if core._get_tracing_state() is not None:
            return _refusal("torch.jit.trace is in progress", _WAIT)
        return None


_WAIT = "wait for other ranks outside of it"


def _refusal(what: str, remedy: str) -> str:
    return (
        f"torch: {what}. All ranks share torch's state in this thread, so the next rank would compute as a part of it; "
        f"{remedy}"
    )


def _stack(
    length: Callable[[], int], at: Callable[[int], Any], pop: Callable[[], Any], push: Callable[[Any], None]
) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    """Return functions that read and assign a stack of modes."""

    def read() -> tuple[Any, ...]:
        count = length()
        return tuple(map(at, range(count))) if count else ()

    def assign(wanted: tuple[Any, ...]) -> None:
        for _ in range(length()):
            pop()
        for mode in wanted:
            push(mode)

    return read, assign


def _current_device() -> Any:
    """Return the device that ``with torch.device(…)`` has chosen. torch imports the module when it first needs it."""
    return getattr(sys.modules.get("torch.utils._device"), "CURRENT_DEVICE", None)


def _assign_current_device(wanted: Any) -> None:
    module: Any = sys.modules["torch.utils._device"]
    module.CURRENT_DEVICE = wanted


def _saved_hooks(autograd: Any) -> Callable[[], tuple[Any, ...]]:
    top, pop = autograd._top_saved_tensors_default_hooks, autograd._pop_saved_tensors_default_hooks
    push = autograd._push_saved_tensors_default_hooks

    def read() -> tuple[Any, ...]:
        if top(True) is None:
            return ()
        found = []
        while (pair := top(True)) is not None:
            found.append(pair)
            pop()
        for pair in reversed(found):
            push(*pair)
        return tuple(reversed(found))

    return read


def _assign_saved_hooks(autograd: Any) -> Callable[[tuple[Any, ...]], None]:
    def assign(wanted: tuple[Any, ...]) -> None:
        while autograd._top_saved_tensors_default_hooks(True) is not None:
            autograd._pop_saved_tensors_default_hooks()
        for pair in wanted:
            autograd._push_saved_tensors_default_hooks(*pair)

    return assign


def _nesting(torch: Any) -> Callable[[], int]:
    """Return a function that returns the number of autocast contexts."""
    more, less = torch.autocast_increment_nesting, torch.autocast_decrement_nesting

    def read() -> int:
        more()
        return int(less())

    return read


def _assign_nesting(torch: Any) -> Callable[[int], None]:
    read = _nesting(torch)

    def assign(wanted: int) -> None:
        for _ in range(wanted - read()):
            torch.autocast_increment_nesting()
        for _ in range(read() - wanted):
            torch.autocast_decrement_nesting()
        torch.clear_autocast_cache()  # casts of another rank's weights, which may change before that rank continues

    return assign


def _assign_deterministic(core: Any) -> Callable[[tuple[bool, bool, bool]], None]:
    def assign(wanted: tuple[bool, bool, bool]) -> None:
        core._set_deterministic_algorithms(wanted[0], warn_only=wanted[1])
        core._set_deterministic_fill_uninitialized_memory(wanted[2])

    return assign
