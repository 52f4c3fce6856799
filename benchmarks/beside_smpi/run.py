"""Collectives beside SMPI: what a call costs on one core, the ratio, and whether it is the one that is wanted.

usage: python benchmarks/beside_smpi/run.py [--ranks N] [OPERATION…]

Each pattern runs under pysmpirun (collective.py) and under smpirun (collective.c, where SimGrid is installed) with few
and with many calls; what a call costs is the difference of the processor times over that of the calls. Simulated times
are those of as many calls on both sides. --ranks N takes no pattern beyond N ranks, for a quick look.
"""

import argparse
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
FAT_TREE = str(HERE.parents[1] / "platforms" / "fattree.xml")
LARGE_FAT_TREE = "fattree:4/16,16,16,16/1,16,16,16/1,1,1,1:bw=12.5GBps:lat=150ns:speed=30Gf"
AGREE = 1e-6
GIGABYTE = 1e9


@dataclass(frozen=True)
class Pattern:
    """A collective on so many ranks.

    Attributes:
        operation: its name.
        bytes: of the whole, or of a block of an exchange.
        ranks: how many.
        wanted: SMPI's time over ours at least.
        calls: few and many, of ours.
        calls_of_smpi: the same of SMPI, which takes longer.
    """

    operation: str
    bytes: int
    ranks: int
    wanted: float
    calls: tuple[int, int]
    calls_of_smpi: tuple[int, int]


PATTERNS = (
    Pattern("allreduce", 8, 1024, 20, (1, 101), (1, 11)),
    Pattern("allreduce", 8, 4096, 20, (1, 21), (1, 2)),
    Pattern("bcast", 1 << 20, 1024, 5, (1, 21), (1, 11)),
    Pattern("alltoall", 8192, 256, 20, (1, 5), (0, 1)),
)
LARGE = 65_536


@dataclass(frozen=True)
class Outcome:
    """Of one run.

    Attributes:
        seconds: of processor time.
        told: what the program has printed.
    """

    seconds: float
    told: dict[str, float]


def run(command: list[str]) -> Outcome:
    """Runs one side of a pattern."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}\n{process.stderr}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Outcome(seconds, json.loads(process.stdout.splitlines()[-1]))


def ours(platform: str, ranks: int, *arguments: str | int, model: str = "SMPI") -> Outcome:
    """Under pysmpirun."""
    command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "-np", str(ranks), "--platform", platform, "--quiet"]
    command += ["--cfg=smpi/simulate-computation:no", f"--cfg=network/model:{model}", str(HERE / "collective.py")]
    return run([*command, *map(str, arguments)])


class Smpi:
    """SMPI, with the C program compiled for it."""

    def __init__(self, directory: str) -> None:
        self._directory = pathlib.Path(directory)
        self._program = str(self._directory / "collective")
        subprocess.run(["smpicc", "-O2", str(HERE / "collective.c"), "-o", self._program], check=True)

    def run(self, ranks: int, *arguments: str | int) -> Outcome:
        """The program on so many ranks."""
        hosts = self._directory / "hosts"
        hosts.write_text("".join(f"node-{number}\n" for number in range(ranks)))
        command = ["smpirun", "-np", str(ranks), "-platform", FAT_TREE, "-hostfile", str(hosts)]
        command += ["--cfg=smpi/simulate-computation:no", "--cfg=smpi/privatization:no", "--log=root.thres:critical"]
        return run([*command, self._program, *map(str, arguments)])


def compare(pattern: Pattern, ranks: int, smpi: Smpi | None) -> None:
    """Prints a pattern's line."""
    few, many = pattern.calls
    mine = {calls: ours(FAT_TREE, ranks, pattern.operation, pattern.bytes, calls) for calls in (few, many)}
    cost = (mine[many].seconds - mine[few].seconds) / (many - few)
    line = f"{pattern.operation:10} {pattern.bytes:9,} B {ranks:6,} ranks {cost * 1e3:10.2f} ms"
    simulated = mine[few].told["simulated"] / few
    if smpi is None:
        print(f"{line}, {simulated * 1e6:.3f} us simulated", flush=True)
        return
    few, many = pattern.calls_of_smpi
    theirs = {calls: smpi.run(ranks, pattern.operation, pattern.bytes, calls) for calls in (few, many)}
    cost_of_smpi = (theirs[many].seconds - theirs[few].seconds) / (many - few)
    common = min(calls for calls in theirs if calls in mine)
    simulated, simulated_there = (side[common].told["simulated"] / common for side in (mine, theirs))
    ratio = cost_of_smpi / cost if min(cost, cost_of_smpi) > 0 else 0.0  # too short to tell
    verdict = "reached" if ratio >= pattern.wanted else "missed"
    agree = "equal" if abs(simulated - simulated_there) <= AGREE * simulated_there else "DIFFERENT"
    print(
        f"{line} {cost_of_smpi * 1e3:10.1f} ms {ratio:7.1f} x, wanted {pattern.wanted:g} x: {verdict};"
        f" {simulated * 1e6:.3f} and {simulated_there * 1e6:.3f} us simulated: {agree}",
        flush=True,
    )


def large(operation: str, ranks: int) -> None:
    """Prints what 65,536 ranks cost: an allreduce without contention, and the beginning of an exchange."""
    if operation == "allreduce":
        few, many = (ours(LARGE_FAT_TREE, ranks, operation, 8, calls, model="LogGPS") for calls in (1, 3))
        cost, peak = (many.seconds - few.seconds) / 2, many.told["peak"] / GIGABYTE
        verdict = "reached" if cost <= 2 and peak <= 1 else "missed"
        print(
            f"allreduce          8 B {ranks:6,} ranks {cost:10.2f} s, {peak:.2f} GB, wanted 2 s, 1 GB: {verdict}"
            " (network/model:LogGPS)",
            flush=True,
        )
    elif operation == "alltoall":
        peak = ours(LARGE_FAT_TREE, ranks, operation, 8, "start").told["peak"] / GIGABYTE
        print(f"alltoall           8 B {ranks:6,} ranks begins in {peak:.2f} GB", flush=True)


def main() -> None:
    """Runs the operations that the command line names, or all."""
    operations = list(dict.fromkeys(pattern.operation for pattern in PATTERNS))
    parser = argparse.ArgumentParser(description="Runs collectives beside SMPI.")
    parser.add_argument("--ranks", type=int, default=LARGE, help="at most so many (all)")
    parser.add_argument("operations", nargs="*", metavar="OPERATION", help=f"of {', '.join(operations)} (all)")
    arguments = parser.parse_args()
    for operation in arguments.operations:
        if operation not in operations:
            parser.error(f"there is no pattern of {operation!r}; there are {', '.join(operations)}")
    chosen = arguments.operations or operations
    with tempfile.TemporaryDirectory() as directory:
        found = shutil.which("smpirun") and shutil.which("smpicc")
        smpi = Smpi(directory) if found else None
        print("A call, in processor time: ours, SMPI's" if smpi else "smpirun and smpicc are not here: ours alone")
        for pattern in PATTERNS:
            if pattern.operation in chosen:
                compare(pattern, min(pattern.ranks, arguments.ranks), smpi)
    for operation in chosen:
        large(operation, min(LARGE, arguments.ranks))


if __name__ == "__main__":
    main()
