"""Functions compiled by ``torch.compile``: each rank has its own.

PyTorch keeps compiled code at the code object of the function that it has compiled, and stores what this code calls in
the global variables of the function. Ranks share code objects, but not global variables.
"""

import sys
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import hosted, running_rank
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["isolate_compiled_code"]

_REGION, _LIMIT = "set_eval_frame_isolate_recompiles_id", "exceeds_recompile_limit"
_FIRST_REGION = 1 << 32  # number of the first region of rank 0; PyTorch's own numbers are smaller


def isolate_compiled_code(torch: Any, patches: Patches) -> None:
    """Give each rank its own compiled code.

    PyTorch divides what it has compiled into regions (``isolate_recompiles``). Each rank gets a region for each one of
    PyTorch's.
    """

    def isolate() -> None:
        frames: Any = sys.modules["torch._dynamo.eval_frame"]
        if not hasattr(frames, _REGION):
            _forbid_several_ranks(torch, patches)
            return
        enter = getattr(frames, _REGION)

        def enter_of_rank(region: int) -> int:
            rank = running_rank(depends=False)
            if rank >= 0 and region < _FIRST_REGION:  # else it is the result of an earlier call
                region += (rank + 1) * _FIRST_REGION + 1  # PyTorch's regions begin at -1
            return int(enter(region))

        patches.set(frames, _REGION, enter_of_rank)

    when_loaded(patches, "torch._dynamo.eval_frame", isolate)
    when_loaded(patches, "torch._dynamo.convert_frame", lambda: _adapt_compiler(patches))


def _adapt_compiler(patches: Patches) -> None:
    """Let no other rank run while a rank compiles, and apply PyTorch's limit of compiled code to each rank.

    The compiler reads clocks, and keeps global variables that it restores in the end.
    """
    frames: Any = sys.modules["torch._dynamo.convert_frame"]
    exceeds, convert = getattr(frames, _LIMIT), frames.CatchErrorsWrapper.__call__

    def convert_at_once(*arguments: Any, **named: Any) -> Any:
        with hosted():
            return convert(*arguments, **named)

    patches.set(frames.CatchErrorsWrapper, "__call__", convert_at_once)

    def exceeds_in_rank(size: Any, compilation: Any) -> tuple[bool, str]:
        if lib.pysmpi_running_rank() >= 0 and hasattr(size, "total_cache_entries_all_regions"):
            size.total_cache_entries_all_regions = size.num_cache_entries
        found: tuple[bool, str] = exceeds(size, compilation)
        return found

    patches.set(frames, _LIMIT, exceeds_in_rank)


def _forbid_several_ranks(torch: Any, patches: Patches) -> None:
    """Raise an error in the second rank that compiles a function."""
    owner = -1
    compile_now = torch.compile

    def compile_in_rank(*arguments: Any, **named: Any) -> Any:
        nonlocal owner
        rank = running_rank(depends=False)
        if rank >= 0 and owner not in {-1, rank}:
            raise NotImplementedError(
                f"torch.compile is in use by rank {owner}, and torch {torch.__version__} keeps compiled code once for "
                "all ranks; install torch 2.13, compile in one rank only, or turn compilation off "
                "(TORCH_COMPILE_DISABLE=1)"
            )
        owner = rank if rank >= 0 else owner
        return compile_now(*arguments, **named)

    patches.set(torch, "compile", compile_in_rank)
