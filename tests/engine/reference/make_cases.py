"""Create `simgrid.jsonl`: random programs on small platforms that change, and SMPI's times (smpirun of SimGrid 3.32).

    python make_cases.py [REPAIR.so] > ../simgrid.jsonl

Needs smpirun and smpicc. SimGrid 3.32 has a defect: when a link changes, NetworkCm02Link::set_bandwidth and
set_latency also give a share to messages that still pay their latency and must not have one yet (their variable's
penalty is zero). SimGrid then computes no end for such a message when its latency is paid. The message stands still
until something else changes its links, or forever (a deadlock). REPAIR.so, preloaded, replaces the two functions by
ones that only set the penalty of a variable that has one. Each case is then run both ways. If the times differ, it
is marked as `repaired`, with the times of the repaired library. Without REPAIR.so, cases that end in a deadlock are
left out, and delayed messages are not recognised.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
HOSTS = 4
LATENCY = 1e-5


def profile(rng: random.Random, values: list[float], horizon: float) -> str:
    """Draw dates up to the horizon, some with a repetition."""
    dates = sorted(rng.uniform(0, horizon) for _ in range(rng.randint(1, 5)))
    if rng.random() < 0.3:
        dates[0] = 0.0
    lines = [f"{date:.6g} {rng.choice(values)!r}" for date in dates]
    kind = rng.random()
    if kind < 0.25:
        lines.insert(0, f"PERIODICITY {dates[-1] + rng.uniform(0.1, 0.5) * horizon:.6g}")
    elif kind < 0.5:
        lines.insert(0, f"LOOPAFTER {rng.uniform(0.05, 0.5) * horizon:.6g}")
    return "\n".join(lines) + "\n"


def platform(rng: random.Random, family: str, horizon: float) -> tuple[str, dict[str, str]]:
    """Draw hosts around a backbone, and the files of their profiles."""
    files = {}

    def change(kind: str, name: str, values: list[float], chance: float) -> str:
        if rng.random() >= chance:
            return ""
        files[f"{name}.{kind}"] = profile(rng, values, horizon)
        return f' {kind}_file="{name}.{kind}"'

    cores = rng.choice([1, 1, 2, 3])
    lines = []
    for i in range(HOSTS):
        speed = change("speed", f"h{i}", [1.0, 0.5, 0.3, 0.75, 1.6], 0.8) if family in ("speed", "all") else ""
        lines.append(f'    <host id="h{i}" speed="1Gf,0.6Gf,250Mf" core="{cores}"{speed}/>')
    for name in [f"l{i}" for i in range(HOSTS)] + ["bb"]:
        bandwidth = rng.choice([1e8, 1.25e8, 3e8]) if name != "bb" else rng.choice([1.1e8, 2e8, 1e9])
        latency = LATENCY * rng.choice([1, 2, 20])
        policy = ' sharing_policy="FATPIPE"' if name == "bb" and rng.random() < 0.3 else ""
        extra = ""
        if family in ("bandwidth", "network", "all"):
            extra += change("bandwidth", name, [bandwidth * part for part in (0.31, 0.5, 1.0, 1.7, 4.0)], 0.5)
        if family in ("latency", "network", "all"):
            extra += change("latency", name, [latency * part for part in (0.5, 1.0, 3.0, 40.0, 200.0)], 0.5)
        lines.append(f'    <link id="{name}" bandwidth="{bandwidth!r}Bps" latency="{latency!r}s"{policy}{extra}/>')
    for i in range(HOSTS):
        for j in range(i + 1, HOSTS):
            links = "".join(f'<link_ctn id="{link}"/>' for link in (f"l{i}", "bb", f"l{j}"))
            lines.append(f'    <route src="h{i}" dst="h{j}">{links}</route>')
    body = "\n".join(lines)
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f'<platform version="4.1">\n  <zone id="world" routing="Full">\n{body}\n  </zone>\n</platform>\n'
    ), files


def steps(rng: random.Random, family: str, ranks: int) -> list[str]:
    """Draw a program that cannot deadlock: in each round, pairs communicate, all ranks do, or each computes."""
    lines = []
    with_messages = family not in ("speed", "oversubscribed", "pstate")
    for _ in range(rng.randint(2, 6)):
        what = rng.random()
        if with_messages and what < 0.5:
            order = list(range(ranks))
            rng.shuffle(order)
            for one, other in zip(order[::2], order[1::2], strict=False):
                bytes_ = rng.choice([1000, 65536, 200_000, 3_000_000, 10_000_000])
                if rng.random() < 0.5:
                    lines += [f"{one} swap {other} {bytes_}", f"{other} swap {one} {bytes_}"]
                else:
                    lines += [f"{one} send {other} {bytes_}", f"{other} recv {one} {bytes_}"]
        elif with_messages and what < 0.75:
            step = f"{rng.choice(['alltoall', 'bcast'])} {rng.choice([8000, 400_000, 2_000_000])}"
            lines += [f"{rank} {step}" for rank in range(ranks)]
        else:
            for rank in range(ranks):
                if rng.random() < 0.3:
                    lines.append(f"{rank} sleep {rng.randint(1, 90_000)}")
                if family == "pstate" and rng.random() < 0.5:
                    lines.append(f"{rank} pstate {rng.randint(0, 2)}")
                if rng.random() < 0.8:
                    lines.append(f"{rank} flops {rng.choice([2e7, 1e8, rng.uniform(1e6, 3e8)])!r}")
    return lines


def smpi_times(program: pathlib.Path, case: dict, preload: str | None = None) -> list[list[float]] | None:
    """Return each rank's times, or None if SMPI does not end."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in case["files"].items() | {("platform.xml", case["platform"])}:
            (folder / file).write_text(text)
        (folder / "hosts").write_text("".join(f"{host}\n" for host in case["hosts"]))
        (folder / "steps").write_text("".join(f"{line}\n" for line in case["steps"]))
        command = ["smpirun", "-np", str(len(case["hosts"])), "-platform", "platform.xml", "-hostfile", "hosts"]
        command += ["-wrapper", f"env LD_PRELOAD={preload}"] if preload else []
        command += ["--cfg=smpi/simulate-computation:no", "--log=root.thresh:critical", str(program), "steps"]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode != 0 or "Deadlock" in result.stdout + result.stderr:
        return None
    times: list[list[float]] = [[] for _ in case["hosts"]]
    for line in result.stdout.splitlines():
        rank, time = line.split()
        times[int(rank)].append(float(time))
    return times


def main() -> None:
    """Print one case per line."""
    repair = str(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "steps"
        subprocess.run(["smpicc", str(HERE / "steps.c"), "-o", str(program)], check=True)
        counts = {
            "bandwidth": 30,
            "latency": 30,
            "network": 40,
            "speed": 30,
            "oversubscribed": 30,
            "pstate": 20,
            "all": 30,
        }
        for family, count in counts.items():
            for number in range(count):
                rng = random.Random(f"{family} {number}")
                ranks = (
                    rng.choice([2, 3, 4, 4]) if family in ("bandwidth", "latency", "network") else rng.randint(1, 12)
                )
                hosts = [f"h{rng.randrange(HOSTS)}" if ranks > HOSTS else f"h{rank}" for rank in range(ranks)]
                if family == "oversubscribed":
                    hosts = [f"h{rank % 2}" for rank in range(ranks)]
                text, files = platform(rng, family, horizon=0.4)
                case = {"family": family, "platform": text, "files": files, "hosts": hosts}
                case["steps"] = steps(rng, family, ranks)
                as_it_is = smpi_times(program, case)
                case["times"] = smpi_times(program, case, repair) if repair else as_it_is
                case["repaired"] = case["times"] != as_it_is
                if case["times"] is not None:
                    print(json.dumps(case), flush=True)


if __name__ == "__main__":
    main()
