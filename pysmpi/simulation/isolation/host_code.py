"""Code of the host of a simulation, such as a notebook's kernel, that runs while a rank runs.

A host installs streams, hooks and functions before the simulation begins: `sys.stdout`, `sys.unraisablehook`,
`sys.displayhook`, the functions with which IPython displays an object or asks for input. They belong to the process and
not to a rank: they look for the real process id, and wait for real threads by real locks. Therefore this code sees the
process as it is outside ranks, and takes no simulated time. Code of the program that a host's function calls, such as
``__repr__``, runs as the host, too.
"""

import builtins
import functools
import getpass
import io
import sys
import threading
import warnings
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

from pysmpi.simulation.isolation.attention import unmeasured
from pysmpi.simulation.isolation.current import hosted, rank_of_thread
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["as_host", "install"]

_HOOKS = (
    (sys, "excepthook", sys.__excepthook__),
    (sys, "unraisablehook", sys.__unraisablehook__),
    (sys, "displayhook", sys.__displayhook__),
    (threading, "excepthook", threading.__excepthook__),
    (warnings, "showwarning", getattr(warnings, "_showwarning_orig", None)),
)
# Methods by which a kernel of Jupyter and its client exchange messages, by module and class. Streams, displayed
# objects, widgets and questions to the user pass through them, and none calls code of the program.
_OF_KERNELS: dict[str, dict[str, tuple[str, ...]]] = {
    "ipykernel.iostream": {"OutStream": ("write", "flush"), "IOPubThread": ("schedule", "send_multipart")},
    "ipykernel.kernelbase": {"Kernel": ("raw_input", "getpass")},
    "ipykernel.zmqshell": {"ZMQDisplayPublisher": ("publish", "clear_output")},
    "jupyter_client.session": {"Session": ("send",)},
}


def install(patches: Patches) -> None:
    """Let the hooks, the streams and the kernel of the host see the process as it is outside ranks."""
    for owner, name, default in _HOOKS:
        hook = getattr(owner, name)
        if hook is not default:
            patches.set(owner, name, as_host(hook))
    for kind in {type(sys.stdout), type(sys.stderr)}:
        if kind.__module__ not in {"_io", "io"} and not issubclass(kind, io.TextIOWrapper | io.StringIO):
            _adapt(patches, kind, ("write", "flush", "writelines"))
    if not isinstance(builtins.input, BuiltinFunctionType):
        patches.set(builtins, "input", as_host(builtins.input))
    if getattr(getpass.getpass, "__module__", "") != "getpass":
        patches.set(getpass, "getpass", as_host(getpass.getpass))
    for module, classes in _OF_KERNELS.items():
        when_loaded(patches, module, functools.partial(_adapt_module, patches, module, classes))


def as_host(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a wrapper of the function; if a rank calls it, the function sees the process as it is outside ranks."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if rank_of_thread() < 0:
            return function(*arguments, **named)
        with unmeasured(), hosted():
            return function(*arguments, **named)

    return call


def _adapt_module(patches: Patches, module: str, classes: dict[str, tuple[str, ...]]) -> None:
    for name, methods in classes.items():
        kind = getattr(sys.modules[module], name, None)
        if kind is not None:
            _adapt(patches, kind, methods)


def _adapt(patches: Patches, kind: type, methods: tuple[str, ...]) -> None:
    for name in methods:
        method = getattr(kind, name, None)
        if callable(method) and not hasattr(method, "__wrapped__"):
            patches.set(kind, name, as_host(method))
