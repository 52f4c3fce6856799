"""An allreduce by recursive doubling as a skeleton: allreduce.py goal|trace RANKS CALLS. Prints what a call costs."""

import json
import pathlib
import resource
import sys
import tempfile
import time

from pysmpi.replay import read_skeleton, simulate_skeleton

BYTES = 8


def goal(ranks: int) -> str:
    """Send and receives of each step, which wait for those of the one before."""
    parts = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        parts.append(f"rank {rank} {{")
        for step in range((ranks - 1).bit_length()):
            peer, before = rank ^ 1 << step, step - 1
            parts.append(f"s{step}: send {BYTES}b to {peer} tag {step}\nr{step}: recv {BYTES}b from {peer} tag {step}")
            if step:
                parts.append(f"s{step} requires s{before}\ns{step} requires r{before}\nr{step} requires r{before}")
        parts.append("}")
    return "\n".join(parts)


def trace(ranks: int) -> str:
    """Return the collective itself, of which the engine makes the messages."""
    return "".join(f"{rank} allreduce {BYTES} 0 6\n" for rank in range(ranks))


def main(form: str, ranks: int, calls: int) -> None:
    """Read it once and simulates it so often; reading is not counted."""
    seconds = 0.0
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "allreduce"
        path.write_text({"goal": goal, "trace": trace}[form](ranks))
        for _ in range(calls):
            skeleton = read_skeleton(path, ranks)
            begun = time.process_time()
            result = simulate_skeleton(
                skeleton, platform=f"flat:{ranks}", cfg=["network/model:LogGPS", "smpi/allreduce:rdb"]
            )
            seconds += time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds / calls, "peak": peak, "simulated": result.simulated_time}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
