"""Makes simgrid_messages.jsonl with Debian's libsimgrid-dev (SMPI 3.32): messages under several network models.

Usage: make_simgrid_messages.py > simgrid_messages.jsonl, beside simgrid_messages.c. Each line is a case: platform, rank
hosts, settings, messages (sender, receiver, bytes, microseconds that the sender waits before), and when each message
is complete at its receiver.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator

HERE = pathlib.Path(__file__).resolve().parent
PLATFORMS = {
    "flat": '<cluster id="c" prefix="n" suffix="" radical="0-15" speed="1Gf" bw="10Gbps" lat="5us" '
    'loopback_bw="5GBps" loopback_lat="200ns"/>',
    "tree": '<cluster id="c" prefix="n" suffix="" radical="0-15" speed="1Gf" bw="12.5GBps" lat="150ns" '
    'loopback_bw="10GBps" loopback_lat="200ns" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,1"/>',
    "empty": '<zone id="z" routing="None">' + "".join(f'<host id="n{i}" speed="1Gf"/>' for i in range(16)) + "</zone>",
}
Message = tuple[int, int, int, int]


def patterns(chance: random.Random) -> Iterator[tuple[str, list[Message]]]:
    for size in (1000, 100_000, 4_000_000):
        yield "pairs", [(i, i ^ 1, size, 0) for i in range(16)]
        yield "incast", [(i, 0, size * (1 + i % 3), 0) for i in range(1, 9)]
        yield "outcast", [(0, i, size * (1 + i % 3), 0) for i in range(1, 9)]
        yield "alltoall", [(i, (i + k) % 8, size, 0) for k in range(1, 8) for i in range(8)]
        yield "two to one, twice", [(1, 0, size, 0), (2, 0, 3 * size, 0), (1, 3, size, 0), (4, 3, 2 * size, 0)]
    for _ in range(40):
        count = chance.randint(2, 40)
        ranks = chance.randint(3, 16)
        sizes = chance.choice([(0, 3000), (50_000, 150_000), (1, 5_000_000)])
        wait = chance.choice([0, 0, 20, 1000])
        yield (
            "random",
            [
                (chance.randrange(ranks), chance.randrange(ranks), chance.randint(*sizes), chance.randint(0, wait))
                for _ in range(count)
            ],
        )


def cases() -> Iterator[tuple[str, str, list[str], list[Message]]]:
    chance = random.Random(3)
    for platform in ("flat", "tree"):
        for name, messages in patterns(chance):
            yield platform, name, ["network/model:IB"], messages
    for name, messages in list(patterns(chance))[::9]:
        yield "flat", name, ["network/model:IB", "smpi/IB-penalty-factors:1.5;2;1.1"], messages
        yield "tree", name, ["network/model:IB", "network/crosstraffic:no"], messages
        yield "tree", name, ["network/model:CM02", "network/weight-S:0"], messages
        if name != "random":  # SimGrid's Constant model loses messages to rounding where some begin later than others
            yield "empty", name, ["network/model:Constant"], messages
            yield "empty", name, ["network/model:Constant", "network/latency-factor:0.25"], messages
    for platform in ("flat", "tree"):
        for window in ("0", "2000"):
            messages = [(0, 1, 3_000_000, 0), (2, 1, 1_000_000, 0)]
            yield platform, "window", ["network/model:SMPI", f"network/TCP-gamma:{window}"], messages


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / "messages"
        subprocess.run(["smpicc", "-O1", str(HERE / "simgrid_messages.c"), "-o", str(program)], check=True)
        for platform, text in PLATFORMS.items():
            document = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            (folder / f"{platform}.xml").write_text(f'{document}<platform version="4.1">{text}</platform>\n')
        (folder / "hosts").write_text("".join(f"n{i}\n" for i in range(16)))
        for platform, pattern, settings, messages in cases():
            (folder / "list").write_text("".join("{} {} {} {}\n".format(*message) for message in messages))
            command = ["smpirun", "-np", "16", "-platform", str(folder / f"{platform}.xml"), "-hostfile",
                       str(folder / "hosts"), "--cfg=smpi/simulate-computation:no", "--log=root.thresh:error",
                       *(f"--cfg={setting}" for setting in settings), str(program), str(folder / "list")]  # fmt: skip
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            times = {
                int(line.split()[1]): float(line.split()[2]) for line in run.stdout.splitlines() if line[:2] == "M "
            }
            if len(times) != len(messages):
                sys.exit(f"{platform} {pattern} {settings}: {run.stderr}")
            case = {
                "platform": platform,
                "pattern": pattern,
                "settings": settings,
                "messages": messages,
                "times": [times[i] for i in range(len(messages))],
            }
            print(json.dumps(case), flush=True)


if __name__ == "__main__":
    main()
