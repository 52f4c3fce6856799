"""Settings that compiled libraries keep once in the process, exchanged when another rank runs.

Example: rank 1 calls ``torch.set_default_dtype(torch.float64)`` and waits for a message. The default is float32 again
before rank 2 runs, and float64 when rank 1 continues. What libraries keep for each thread is exchanged without them
(`thread_variables`).

The exchange costs no time until a rank changes a setting.
"""

import functools
import sys
from collections.abc import Callable
from typing import Any, Protocol

from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.jax_settings import Jax
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.randomness import seed_of
from pysmpi.simulation.isolation.stopping import refuse
from pysmpi.simulation.isolation.thread_variables import ThreadVariables
from pysmpi.simulation.isolation.torch_compilation import isolate_compiled_code
from pysmpi.simulation.isolation.torch_settings import (
    Torch,
    forbid_two_profilers,
    isolate_forward_levels,
    isolate_generator,
    isolate_hooks,
    isolate_variables,
)

__all__ = ["Library", "LibrarySettings", "install"]


class Library(Protocol):
    """Library with settings that can be read and assigned."""

    def leave(self) -> Any:
        """Return the present settings, before another rank runs. The library may be left in any state."""
        ...

    def enter(self, settings: Any) -> None:
        """Restore settings that `leave` has returned, whatever has been assigned since."""
        ...

    def begin(self, rank: int) -> None:
        """Assign the settings with which a rank begins."""
        ...

    def share(self) -> dict[int, Any]:
        """Let ranks begin with the settings that have changed since they were last read; return these by index."""
        ...


class LibrarySettings:
    """Settings of all loaded libraries, for each rank."""

    def __init__(self) -> None:
        self._libraries: list[Library] = []
        self._outside: list[Any] = []  # settings outside ranks, by library
        self._of_ranks: list[dict[int, Any]] = []  # settings of ranks that have run, by library

    def add(self, library: Library, running: int) -> None:
        """Keep separate settings of a library for each rank from now on.

        `running` is the running rank, whose settings begin at once, or -1 outside ranks.
        """
        self._outside.append(library.leave())
        library.begin(running)
        self._libraries.append(library)
        self._of_ranks.append({})

    def exchange(self, leaving: int, entering: int) -> None:
        """Save the settings of the rank `leaving`, and restore those of the rank `entering`; -1 for no rank."""
        for library, own in zip(self._libraries, self._of_ranks, strict=True):
            if leaving >= 0:
                own[leaving] = library.leave()
            if entering in own:
                library.enter(own[entering])
            elif entering >= 0:
                library.begin(entering)

    def share(self, library: Library) -> None:
        """Give all ranks the settings of a library that have changed for all."""
        changed = library.share()
        if library not in self._libraries:
            return
        for values in self._of_ranks[self._libraries.index(library)].values():
            for index, value in changed.items():
                values[index] = value

    def end(self) -> None:
        """Restore the settings outside ranks."""
        for library, outside in zip(self._libraries, self._outside, strict=True):
            library.enter(outside)


def install(patches: Patches, thread_variables: ThreadVariables, seed: int, first: int) -> None:
    """Give each rank its own settings of PyTorch and JAX, once they are loaded.

    Args:
        patches: record of the replaced attributes.
        thread_variables: exchange of the libraries' thread-local variables.
        seed: seed of the run (``--seed``).
        first: number of the random sequence of rank 0; rank r draws from sequence `first` + r.
    """
    settings = LibrarySettings()
    function = settings.exchange
    patches.at_undo(lib.pysmpi_share_variables)

    def follow(
        name: str, adapt: Callable[[Any, Callable[[], None], Callable[[], None]], Library]
    ) -> Callable[[], None]:
        """Return a function that begins to follow the loaded module of this name."""

        def begin() -> None:
            module: Any = sys.modules[name]
            if (problem := thread_variables.refusal(name)) is not None and lib.pysmpi_running_rank() >= 0:
                refuse(problem)

            @functools.cache
            def exchange() -> None:
                settings.add(library, lib.pysmpi_running_rank())
                lib.pysmpi_watch_library_settings(ffi.cast("void *", id(function)))

            try:
                library = adapt(module, exchange, lambda: settings.share(library))
            except (AttributeError, ImportError) as error:
                version = getattr(module, "__version__", "of unknown version")
                sys.stderr.write(f"pysmpi: {name} {version} is not supported ({error}); all ranks share its settings\n")

        return begin

    def end() -> None:
        lib.pysmpi_watch_library_settings(ffi.NULL)
        settings.end()

    def adapt_torch(torch: Any, first_change: Callable[[], None], shared_change: Callable[[], None]) -> Library:
        isolate_variables(torch, patches)
        isolate_hooks(torch, patches)
        isolate_compiled_code(torch, patches)
        isolate_forward_levels(torch, patches)
        forbid_two_profilers(torch, patches)
        patches.at_undo(isolate_generator(torch, lambda rank: seed_of(seed, first + rank, "torch", bits=64)))
        return Torch(torch, patches, first_change, shared_change)

    patches.at_undo(end)
    when_loaded(patches, "torch", follow("torch", adapt_torch))
    when_loaded(patches, "jax", follow("jax", lambda jax, *changes: Jax(jax, patches, *changes)))
