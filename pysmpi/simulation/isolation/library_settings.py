"""Settings that compiled libraries keep once in the process or the thread, exchanged when another rank runs.

Example: rank 0 waits for a message inside ``torch.no_grad()``. Gradients are enabled again before rank 1 runs, and
disabled when rank 0 continues. A state that cannot be exchanged, such as a backward pass in progress, is a
reason to refuse the switch: no other rank may run, and the simulation ends with an error.

The exchange costs no time unless such a library is loaded.
"""

import sys
from collections.abc import Callable
from typing import Any, Protocol

from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.jax_settings import Jax
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.randomness import seed_of
from pysmpi.simulation.isolation.torch_settings import Torch

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

    def refusal(self) -> str | None:
        """Return why another rank may not run now, or None."""
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

    def refusal(self) -> str | None:
        """Return why another rank may not run now, or None."""
        for library in self._libraries:
            found = library.refusal()
            if found is not None:
                return found
        return None

    def end(self) -> None:
        """Restore the settings outside ranks."""
        for library, outside in zip(self._libraries, self._outside, strict=True):
            library.enter(outside)


def install(patches: Patches, seed: int, first: int) -> None:
    """Give each rank its own settings of PyTorch and JAX, once they are loaded.

    Args:
        patches: record of the replaced attributes.
        seed: seed of the run (``--seed``).
        first: number of the random sequence of rank 0; rank r draws from sequence `first` + r.
    """
    settings = LibrarySettings()
    functions = settings.exchange, settings.refusal

    def follow(name: str, adapt: Callable[[Any], Library]) -> Callable[[], None]:
        def add() -> None:
            module: Any = sys.modules[name]
            try:
                library = adapt(module)
            except (AttributeError, ImportError) as error:
                version = getattr(module, "__version__", "of unknown version")
                sys.stderr.write(f"pysmpi: {name} {version} is not supported ({error}); all ranks share its settings\n")
                return
            settings.add(library, lib.pysmpi_running_rank())
            lib.pysmpi_watch_library_settings(*(ffi.cast("void *", id(each)) for each in functions))

        return add

    def end() -> None:
        lib.pysmpi_watch_library_settings(ffi.NULL, ffi.NULL)
        settings.end()

    def seed_of_rank(rank: int) -> int:
        return seed_of(seed, first + rank, "torch", bits=64)

    patches.at_undo(end)
    when_loaded(patches, "torch", follow("torch", lambda torch: Torch(torch, seed_of_rank)))
    when_loaded(patches, "jax", follow("jax", Jax))
