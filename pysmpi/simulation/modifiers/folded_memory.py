"""Setup of folded arrays (arrays without contents) and of memory bandwidth, from settings and platform."""

from array import array
from contextlib import ExitStack

from pysmpi.native import ffi, lib
from pysmpi.platform import Platform
from pysmpi.platform.scaling import memory_stretches
from pysmpi.simulation.compute.folded.bandwidth import Bandwidth
from pysmpi.simulation.compute.folded.operation_time import Machine
from pysmpi.simulation.compute.folded.settings import folding
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.settings import option_parsers
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.host_properties import values_by_host

__all__ = ["FoldedMemory"]

_OF_A_RANK, _OF_A_HOST = "memory-bandwidth", "host-memory-bandwidth"


class FoldedMemory(Instrument):
    """Modifier of every run that applies the settings of memory bandwidth and of folded arrays.

    Folded arrays are arrays whose contents do not matter, so that they can all share one block of memory.
    """

    def __init__(self) -> None:
        self._folding = ExitStack()

    def begin(self, run: Run) -> None:
        """Apply the settings of folded arrays, and set the memory bandwidth that the ranks of each host share.

        Raises:
            ConfigurationError: the property ``memory-bandwidth`` or ``host-memory-bandwidth`` of a host is not valid.
        """
        configuration = run.configuration
        machine = _memory_machine(run.platform, configuration, memory_stretches(run.platform, run.scalings))
        _share_memory(run.platform, configuration, machine)
        self._folding.enter_context(
            folding(
                folds=configuration["smpi/shared-malloc"] != "no",
                block=int(configuration["smpi/shared-malloc-blocksize"]),
                huge_pages=configuration["smpi/shared-malloc-hugepage"],
                threshold=int(configuration["smpi/auto-shared-malloc-thresh"]),
                machine=machine,
                report=lambda text: print(f"pysmpi: {text}", file=run.errors),
            )
        )

    def end(self, run: Run, result: Result) -> None:
        self._folding.close()

    def close(self) -> None:
        self._folding.close()


def _memory_machine(platform: Platform, configuration: Configuration, stretches: dict[int, float]) -> Machine:
    given = configuration["smpi/new-memory-bandwidth"]
    valid = "a number above 0, or distance:bandwidth;distance:bandwidth;…, in bytes and bytes/s"
    own = values_by_host(platform, _OF_A_RANK, lambda text: Bandwidth(option_parsers.bandwidth(text)), valid)
    return Machine(
        bandwidth=Bandwidth(configuration["smpi/memory-bandwidth"]),
        bandwidth_of=own,
        new_memory=Bandwidth(given) if given else None,
        buffering=configuration["smpi/buffer-bandwidth"],
        stretches=stretches,
    )


def _share_memory(platform: Platform, configuration: Configuration, machine: Machine) -> None:
    if not configuration["smpi/memory-sharing"]:
        return
    together = configuration["smpi/host-memory-bandwidth"]
    whole = array("d", [together or machine.bandwidth.of_memory]) * len(platform.hosts)
    if not together:
        for host, bandwidth in machine.bandwidth_of.items():
            whole[host] = bandwidth.of_memory
    for host, value in values_by_host(
        platform, _OF_A_HOST, option_parsers.number_above(0.0), "a number above 0, bytes/s"
    ).items():
        whole[host] = value
    for host, stretch in machine.stretches.items():
        whole[host] /= stretch
    lib.pysmpi_share_memory(ffi.from_buffer("double[]", whole))
