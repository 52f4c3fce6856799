"""Running of calls in a child process, which may crash or hang at any of them."""

import os
import pathlib
import re
import selectors
import shlex
import signal
import subprocess
import tempfile

__all__ = ["run_calls"]

_LINE = re.compile(r"(begin|end) (\d+) (\d+)(?: (\w+))?$")


def _watch(child: subprocess.Popen[bytes], patience: float) -> tuple[str, bool]:
    """Return what the child has printed, and whether it was killed after `patience` seconds without output."""
    assert child.stdout is not None
    printed = b""
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while selector.select(patience):
            piece = os.read(child.stdout.fileno(), 65536)
            if not piece:
                child.wait()
                return printed.decode(errors="replace"), False
            printed += piece
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    return printed.decode(errors="replace"), True


def run_calls(
    command: list[str], calls: list[str], ranks: int, patience: float, environment: dict[str, str]
) -> list[list[str]]:
    """Return each call's outcome in each rank; `crash` or `hang` if the ranks did not survive it.

    The command gets the file of calls and the number of the first one. It is started again after each such call.
    """
    outcomes: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "calls"
        file.write_text("\n".join(calls))
        while len(outcomes) < len(calls):
            first = len(outcomes)
            child = subprocess.Popen(
                [*command, str(file), str(first)],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                start_new_session=True, env=environment | {"TMPDIR": folder},
            )  # fmt: skip
            printed, hung = _watch(child, patience)
            ended: dict[int, dict[int, str]] = {}
            begun = -1
            for line in printed.splitlines():
                if match := _LINE.match(line):
                    number, rank = int(match[2]), int(match[3])
                    begun = max(begun, number)
                    if match[1] == "end":
                        ended.setdefault(number, {})[rank] = match[4]
            while len(ended.get(len(outcomes), ())) == ranks:
                of_ranks = ended[len(outcomes)]
                outcomes.append([of_ranks[rank] for rank in range(ranks)])
            if len(outcomes) < len(calls):
                of_ranks = ended.get(len(outcomes), {})
                last = "hang" if hung else "crash"
                outcomes.append([of_ranks.get(rank, last) for rank in range(ranks)])
                if begun < first:
                    raise RuntimeError(f"{shlex.join(command)} did not make call {first}: {printed}")
    return outcomes
