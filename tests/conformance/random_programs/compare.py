"""Run random programs under MPICH and in simulations, and compare the data that each rank receives.

    python tests/conformance/random_programs/compare.py [--programs N] [--seed S] [--stored FILE | --record FILE]

Programs have the seeds S to S + N - 1, and 4 to 9 ranks. Each runs under MPICH, in a simulation, and in a simulation
with `--check`, which must find nothing. A difference is reported with the command that runs the program alone, and with
the steps that differ when they run alone. `--record` writes MPICH's digests to a file, and `--stored` compares with
such a file instead of MPICH. The exit status is 0 if there are no differences.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(sys.executable).parent
BATCH = 40  # programs of one start
PATIENCE = 10.0  # seconds of a program, before which it counts as hanging; a start gets 60 more
MPICH, SIMULATED, CHECKED = "MPICH", "simulated", "with --check"
WAYS = (MPICH, SIMULATED, CHECKED)
_LATE = -1  # in place of the exit status of a start that was stopped after its time

Digests = dict[int, str]  # by seed: the digests of all ranks and steps, or the error


def ranks_of(seed: int) -> int:
    """Return the number of ranks of a program."""
    return 4 + seed % 6


def command_of(way: str, ranks: int) -> list[str]:
    """Return the command that starts `program.py` on a number of ranks."""
    if way == MPICH:
        return [str(BIN / "mpiexec"), "-n", str(ranks), sys.executable, str(HERE / "program.py")]
    machine = ["--platform", "flat:2:cores=16", "--cfg=smpi/simulate-computation:no", "--quiet"]
    check = ["--check"] if way == CHECKED else []
    return [str(BIN / "pysmpirun"), "-np", str(ranks), *machine, *check, str(HERE / "program.py")]


def _start(way: str, seeds: list[int], steps: str) -> tuple[int, Digests, str]:
    """Run programs in one start; return its exit status, the digests of the programs that ended, and the errors."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*command_of(way, ranks_of(seeds[0])), folder, *map(str, seeds)]
        if steps:
            command += ["--steps", steps]
        try:
            ended = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=60 + PATIENCE * len(seeds),
                env=os.environ | {"TMPDIR": folder}, stdin=subprocess.DEVNULL,
            )  # fmt: skip
            status, out, errors = ended.returncode, ended.stdout, ended.stderr
        except subprocess.TimeoutExpired as late:
            status, out, errors = _LATE, (late.stdout or b"").decode(), "hangs\n" + (late.stderr or b"").decode()
    found: dict[int, list[str]] = {}
    complete = set()
    for line in out.splitlines():
        word, _, rest = line.partition(" ")
        if word == "program":
            seed, _, digests = rest.partition(" ")
            found.setdefault(int(seed), []).append(digests)
        elif word == "end":
            complete.add(int(rest))
    return status, {seed: "\n".join(found[seed]) for seed in complete}, errors


def run(way: str, seeds: list[int], steps: str = "") -> Digests:
    """Return the digests of programs with equal numbers of ranks, or the error of each program that failed."""
    outcome: Digests = {}
    left = list(seeds)
    while left:
        status, found, errors = _start(way, left, steps)
        if way == CHECKED and status != 0 and len(left) > 1:  # which of them has the finding?
            return {seed: run(way, [seed], steps)[seed] for seed in seeds}
        outcome |= found
        left = [seed for seed in left if seed not in found]
        if left and found and status == _LATE:
            continue  # the machine is slow, not the program: this start has ended programs
        if left or status != 0:
            outcome[left[0] if left else seeds[-1]] = f"exit status {status}:\n{errors[-3000:]}"
            left = left[1:]
    return outcome


def _line_of(way: str, seed: int, steps: str) -> str:
    return shlex.join([*command_of(way, ranks_of(seed)), "FOLDER", str(seed)]) + (f" --steps {steps}" if steps else "")


def report(seed: int, way: str, expected: str, found: str) -> None:
    """Print the difference of a program, and which of its steps differ alone."""
    print(f"program {seed} on {ranks_of(seed)} ranks differs ({way}): {_line_of(way, seed, '')}")
    names = [text.split(":")[1] for text in expected.split("\n", maxsplit=1)[0].split()[1:]]
    alone = []
    for step, name in enumerate(names):
        again = run(way, [seed], str(step))[seed]
        reference = "\n".join(" ".join([line.split()[0], line.split()[1 + step]]) for line in expected.split("\n"))
        if again != reference:
            alone.append(f"  step {step} ({name}) differs alone: {_line_of(way, seed, str(step))}\n{again[-1500:]}")
    print("\n".join(alone) if alone else f"  no step differs alone; {found[-1500:]}", flush=True)


def main() -> int:
    """Run the programs and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="the first program (1)")
    parser.add_argument("--stored", type=pathlib.Path, metavar="FILE", help="digests to compare with, instead of MPICH")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE", help="write MPICH's digests")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    stored: Digests = {}
    if options.stored:
        read = json.loads(options.stored.read_text())
        stored = {seed: read[str(seed)] for seed in seeds if str(seed) in read}
        seeds = sorted(stored)  # type: ignore[assignment]
    elif not shutil.which(BIN / "mpiexec"):
        sys.exit("random programs: MPICH's mpiexec is missing; install the extra 'test'")
    ways = (MPICH,) if options.record else WAYS[1:] if options.stored else WAYS
    batches = []
    for ranks in range(4, 10):
        ours = [seed for seed in seeds if ranks_of(seed) == ranks]
        batches += [ours[at : at + BATCH] for at in range(0, len(ours), BATCH)]
    outcomes: dict[str, Digests] = {way: {} for way in WAYS} | ({MPICH: stored} if stored else {})
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        begun = {pool.submit(run, way, batch): way for batch in batches for way in ways}
        for each in concurrent.futures.as_completed(begun):
            outcomes[begun[each]] |= each.result()
    if options.record:
        options.record.write_text(json.dumps(outcomes[MPICH], indent=0) + "\n")
        return 0
    differ = 0
    for seed in seeds:
        expected = outcomes[MPICH][seed]
        for way in ways:
            found = outcomes[way][seed]
            if way == MPICH and expected.startswith("exit status"):
                print(f"program {seed} fails under MPICH: {_line_of(way, seed, '')}\n{expected}", flush=True)
            elif found != expected and not expected.startswith("exit status"):
                report(seed, way, expected, found)
            else:
                continue
            differ += 1
            break
    print(f"{len(seeds)} programs, {differ} with differences")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
