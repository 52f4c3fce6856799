"""Settings that PyTorch keeps once in the process, such as the default dtype, and its generator of random numbers.

What PyTorch keeps for each thread (gradient mode, autocast, the backward pass in progress, ...) is exchanged with the
thread-local variables of its libraries (pysmpi/native/isolation/thread_storage.cpp).
"""

import ctypes
import functools
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches, original_of
from pysmpi.simulation.isolation.process_wide_settings import ProcessWideSettings

__all__ = [
    "Torch",
    "forbid_two_profilers",
    "isolate_forward_levels",
    "isolate_generator",
    "isolate_hooks",
    "isolate_variables",
]

# Settings with one value, by the functions of torch._C that read and assign them.
_SETTINGS = {
    "get_default_dtype": "_set_default_dtype",
    "_get_deterministic_fill_uninitialized_memory": "_set_deterministic_fill_uninitialized_memory",
    "_get_mkldnn_enabled": "_set_mkldnn_enabled",
    "_get_mkldnn_deterministic": "_set_mkldnn_deterministic",
    "_get_nnpack_enabled": "_set_nnpack_enabled",
    "_get_cpu_allow_fp16_reduced_precision_reduction": "_set_cpu_allow_fp16_reduced_precision_reduction",
    "_get_flash_sdp_enabled": "_set_sdp_use_flash",
    "_get_math_sdp_enabled": "_set_sdp_use_math",
    "_get_mem_efficient_sdp_enabled": "_set_sdp_use_mem_efficient",
    "get_num_threads": "set_num_threads",
    "_check_sparse_tensor_invariants": "_set_check_sparse_tensor_invariants",
    "_get_warnAlways": "_set_warnAlways",
    "_get_qengine": "_set_qengine",
    "_get_cudnn_benchmark": "_set_cudnn_benchmark",
    "_get_cudnn_sdp_enabled": "_set_sdp_use_cudnn",
    "_get_cublas_allow_tf32": "_set_cublas_allow_tf32",
}
# Backends and operations whose precision of float32 can be set one by one.
_PRECISIONS = [("generic", "all")] + [("mkldnn", operation) for operation in ("all", "conv", "rnn", "matmul")]
# Modules with global variables such as the default device, or whether a function is being traced.
_MODULES = (
    "torch.__future__",
    "torch._functorch.eager_transforms",
    "torch._subclasses.fake_tensor",
    "torch.autograd.forward_ad",
    "torch.autograd.profiler",
    "torch.fx._lazy_graph_module",
    "torch.fx._symbolic_trace",
    "torch.fx.experimental.proxy_tensor",
    "torch.fx.traceback",
    "torch.nn.utils.parametrize",
    "torch.utils._device",
    "torch.utils._python_dispatch",
    "torch.utils.checkpoint",
    "torch.utils.data._utils.worker",
)
_owners_of_hooks: Private[bool] = Private()  # ranks that have registered hooks of all modules
_VECTOR = 24  # bytes of a std::vector
_OBJECT_HEADER = 16  # bytes before the pointer in a Python object torch.Generator


class Torch(ProcessWideSettings):
    """Settings of the loaded module torch in the process.

    Args:
        torch: the module.
        patches: record of the replaced functions.
        first_change, shared_change: as for `ProcessWideSettings`.
    """

    def __init__(
        self, torch: Any, patches: Patches, first_change: Callable[[], None], shared_change: Callable[[], None]
    ) -> None:
        super().__init__(first_change, shared_change)
        core = torch._C

        def follow(name: str) -> Callable[..., Any]:
            """Note calls of a function that assigns a setting, and return the function itself."""
            function = getattr(core, name)
            original: Callable[..., Any] = original_of(function)
            patches.set_builtin(function, self._following(original))
            return original

        for reader, setter in _SETTINGS.items():
            if hasattr(core, reader) and hasattr(core, setter):
                self._add(getattr(core, reader), follow(setter))
        follow("_set_default_tensor_type")  # assigns the default dtype, too
        deterministic = follow("_set_deterministic_algorithms")
        self._add(
            lambda: (core._get_deterministic_algorithms(), core._get_deterministic_algorithms_warn_only()),
            lambda wanted: deterministic(wanted[0], warn_only=wanted[1]),
        )
        anomaly = follow("set_anomaly_enabled")
        self._add(
            lambda: (core.is_anomaly_enabled(), core.is_anomaly_check_nan_enabled()), lambda wanted: anomaly(*wanted)
        )
        matmul = follow("_set_float32_matmul_precision")
        self._add(partial(_matmul_precision, core), lambda wanted: wanted is None or matmul(wanted))
        if hasattr(core, "_set_fp32_precision_setter"):
            precision = follow("_set_fp32_precision_setter")
            for place in _PRECISIONS:
                self._add(partial(core._get_fp32_precision_getter, *place), partial(precision, *place))


def _matmul_precision(core: Any) -> str | None:
    """Return the precision of products of float32 matrices, or None if a newer setting of single backends holds."""
    try:
        return str(core._get_float32_matmul_precision())
    except RuntimeError:
        return None


def isolate_generator(torch: Any, seed_of: Callable[[int], int]) -> Callable[[], None]:
    """Give each rank a default generator of its own, and return a function that ends this.

    Args:
        torch: the loaded module.
        seed_of: function that returns the seed of a rank's generator, until the rank seeds it itself. In a process,
            torch takes it from the system.
    """
    library = ctypes.CDLL(str(_library(torch)))
    find = library._ZN2at6detail22getDefaultCPUGeneratorEv  # at::detail::getDefaultCPUGenerator
    find.restype = ctypes.c_void_p
    in_library, in_object = find(), id(torch.default_generator) + _OBJECT_HEADER
    pointer = ctypes.c_void_p.from_address(in_library).value
    if pointer is None or ctypes.c_void_p.from_address(in_object).value != pointer:
        raise AttributeError("its default generator is not where it is expected")
    generators = []

    def make(rank: int) -> int:
        generator = torch.Generator()
        generator.manual_seed(seed_of(rank))
        generators.append(generator)  # it must outlive the use of its pointer
        return ctypes.c_void_p.from_address(id(generator) + _OBJECT_HEADER).value or 0

    addresses = [ffi.cast("void **", address) for address in (in_library, in_object)]
    lib.pysmpi_isolate_pointer(addresses, len(addresses), ffi.cast("void *", id(make)))
    return partial(lib.pysmpi_isolate_pointer, addresses, 0, ffi.NULL)


def isolate_variables(torch: Any, patches: Patches) -> None:
    """Give each rank its own global variables of torch's Python modules, such as the default device, and its own print
    options."""

    def isolate(owner: Any) -> None:
        lib.pysmpi_isolate_dictionary(ffi.cast("void *", id(vars(owner))))

    def isolate_module(name: str) -> None:
        isolate(sys.modules[name])

    for name in _MODULES:
        when_loaded(patches, name, partial(isolate_module, name))
    isolate(torch._GLOBAL_DEVICE_CONTEXT)
    isolate(torch._tensor_str.PRINT_OPTS)


def isolate_hooks(torch: Any, patches: Patches) -> None:
    """Give each rank its own hooks of all modules (``register_module_forward_hook``), once it registers some.

    The rank gets copies of the dictionaries in which torch keeps the hooks, because they are ordered dictionaries,
    whose contents cannot be exchanged.
    """
    module = torch.nn.modules.module
    tables = [name for name, value in vars(module).items() if name.startswith("_global_") and isinstance(value, dict)]

    def registering(register: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            rank = running_rank(depends=False)
            if rank >= 0 and rank not in _owners_of_hooks:
                _owners_of_hooks[rank] = True
                for name in tables:
                    vars(module)[name] = vars(module)[name].copy()
            return register(*arguments, **named)

        return call

    for name in [name for name in vars(module) if name.startswith("register_module_")]:
        patches.set(module, name, registering(getattr(module, name)))
    lib.pysmpi_isolate_dictionary(ffi.cast("void *", id(vars(module))))


def isolate_forward_levels(torch: Any, patches: Patches) -> None:
    """Give each rank its own list of levels of forward-mode derivatives (``jvp``), once a rank enters a level."""
    function = torch._C._enter_dual_level
    original = original_of(function)
    name = "_ZN5torch8autograd12_GLOBAL__N_119all_forward_levels_E"  # a std::vector, empty if all its bytes are zero
    neighbour = "_ZN5torch8autograd14ForwardADLevel12get_next_idxEv"

    @functools.cache
    def isolate() -> None:
        from pysmpi.simulation.isolation.library_symbols import address_of  # needs NumPy, which is loaded with PyTorch

        address = address_of(_library(torch), name, neighbour)
        if address is None:
            raise NotImplementedError(
                f"torch {torch.__version__}: its list of levels of forward-mode derivatives cannot be found, so ranks "
                "cannot have their own; use reverse mode (grad, vjp), or run this part on one rank"
            )
        lib.pysmpi_isolate_zeroed(ffi.cast("void *", address), _VECTOR)

    def enter(*arguments: Any) -> Any:
        if lib.pysmpi_running_rank() >= 0:
            isolate()
        return original(*arguments)

    patches.set_builtin(function, enter)


def forbid_two_profilers(torch: Any, patches: Patches) -> None:
    """Raise an error in a rank that starts torch's profiler while another rank profiles."""
    owner = -1  # rank that profiles

    def follow(name: str, begins: bool) -> None:
        function = getattr(torch._C._autograd, name)
        original = original_of(function)

        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal owner
            rank = lib.pysmpi_running_rank()
            if begins and owner not in {-1, rank}:
                raise RuntimeError(
                    f"torch's profiler is in use by rank {owner}; there is one in a process, and ranks are in one "
                    f"process: profile one rank at a time (if rank == {owner}: ...)"
                )
            result = original(*arguments, **named)
            owner = rank if begins else -1
            return result

        patches.set_builtin(function, call)

    for name, begins in (("_prepare_profiler", True), ("_enable_profiler", True), ("_disable_profiler", False)):
        follow(name, begins)


def _library(torch: Any) -> Path:
    return Path(torch.__file__).with_name("lib") / "libtorch_cpu.so"
