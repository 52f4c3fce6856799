"""Extract runs of OSU's benchmarks from a public study of clouds: extract.py GIT_DIRECTORY [--output FILE].

The study is converged-computing/performance-study on GitHub. GIT_DIRECTORY is the git directory of a clone, bare or
not; nothing is checked out. The output, measured.csv, has a row for each environment, benchmark, number of nodes and
size: the median, the lowest and the highest time of all repetitions.

A run has one process on each core if the number of processes on a node equals the number of cores of the instance type.
Both come from the study: a job of Flux ends with its specification (nodes, slots of one core on each, one task a
slot); for Slurm, the batch script passes ``--map-by ppr:96:node``. Other runs of collectives are left out. osu_latency
and osu_bw have one process on each of two nodes, and are kept as such. For Dane, a machine of LLNL, the study has only
a table of times, and does not say how many processes ran on a node; these columns are empty.

osu_bw prints MB/s. It is written as microseconds a message: bytes divided by MB/s.
"""

import argparse
import csv
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

__all__ = ["COLUMNS", "Group", "Run", "extract", "main"]

COLUMNS = ("machine", "environment", "instance", "library", "benchmark", "nodes", "ranks", "ranks_per_node", "bytes",
           "median_us", "lowest_us", "highest_us", "runs", "path")  # fmt: skip

INSTANCES = {"aws": ("hpc6a.48xlarge", 96), "azure": ("HB120-96rs_v3", 96), "google": ("c2d-standard-112", 56)}
"""Instance type of each cloud and its cores. The scripts and READMEs of the study name the types. A c2d-standard-112
has 56 cores with two threads each."""

LIBRARIES = {"eks": "Open MPI 4.1.2 with libfabric 1.21.1", "parallel-cluster": "Open MPI 4.1.2 with libfabric 1.21.1",
             "aks": "HPC-X 2.19 (Open MPI 4.1)", "cyclecloud": "HPC-X 2.19 (Open MPI 4.1)",
             "gke": "Open MPI 4.1.2"}  # fmt: skip
"""MPI library of an environment, by the Dockerfiles and batch scripts of the study. Compute Engine's is not known."""

RESULT = re.compile(r"experiments/(?P<cloud>aws|azure|google)/(?P<environment>[^/]+)/cpu/size(?P<nodes>\d+)"
                    r"(?P<variant>-[^/]+)?/results/(?P<inside>.*osu.*)\.out")  # fmt: skip
DANE = re.compile(r"paper/osu-benchmarks/data/(?P<benchmark>osu_\w+)-(?P<nodes>\d+)-cpu-dataframe\.csv")
TITLES = {"MPI Latency": "osu_latency", "MPI Bandwidth": "osu_bw", "MPI Allreduce": "osu_allreduce"}
TITLE = re.compile(rf"# OSU ({'|'.join(TITLES)}) (?:Latency )?Test")
ROW = re.compile(r"(\d+)\s+([\d.]+)\s*")


class Group(NamedTuple):
    """Runs that are repetitions of each other: values of the first columns of the output."""

    machine: str
    environment: str
    instance: str
    library: str
    benchmark: str
    nodes: int
    ranks: int | None
    ranks_per_node: int | None


class Run(NamedTuple):
    """A table that a benchmark printed.

    Attributes:
        group: group of the run.
        path: file of the table, in the repository.
        microseconds: times in microseconds, by bytes.
    """

    group: Group
    path: str
    microseconds: dict[int, float]


class Repository:
    """Files of the newest commit of a git repository."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        listing = self._git("ls-tree", "-r", "HEAD").decode()
        entries = (line.partition("\t") for line in listing.splitlines())
        self.objects = {path: head.split()[2] for head, _, path in entries}

    def read(self, path: str) -> str:
        """Return the text of a file."""
        return self._git("cat-file", "blob", self.objects[path]).decode(errors="replace")

    def _git(self, *command: str) -> bytes:
        called = ["git", "--git-dir", str(self.directory), *command]
        return subprocess.run(called, check=True, stdout=subprocess.PIPE).stdout


def tables(text: str) -> Iterator[tuple[str, dict[int, float]]]:
    """Return benchmark and microseconds by bytes of each table in an output."""
    benchmark, found = "", dict[int, float]()
    for line in [*text.splitlines(), "# OSU MPI Latency Test"]:
        if title := TITLE.match(line):
            if found:
                yield benchmark, found
            benchmark, found = TITLES[title[1]], {}
        elif benchmark and (row := ROW.fullmatch(line)):
            size, value = int(row[1]), float(row[2])
            if benchmark != "osu_bw" or value:
                found[size] = size / value if benchmark == "osu_bw" else value


def flux_placement(text: str) -> tuple[int, int] | None:
    """Return nodes and processes on each of a Flux job, or None for another output.

    Raises:
        ValueError: a slot has several cores or several tasks.
    """
    specification = re.search(r'^\{"resources".*$', text, re.MULTILINE)
    if specification is None:
        return None
    job = json.loads(specification[0])
    (node,) = job["resources"]
    (slot,) = node["with"]
    if slot["with"] != [{"type": "core", "count": 1}] or job["tasks"][0]["count"] != {"per_slot": 1}:
        raise ValueError(f"a slot is not one core and one task: {specification[0]}")
    return node["count"], slot["count"]


def slurm_placement(repository: Repository, cloud: str, environment: str, nodes: int) -> int | None:
    """Return the processes on each node of osu_allreduce in a batch script of Slurm, or None if there is no script."""
    script = f"experiments/{cloud}/{environment}/cpu/experiment/configs/osu/slurm-osu-{nodes}n.sh"
    if script not in repository.objects:
        return None
    given = re.findall(r"ppr:(\d+):node(?:(?!ppr:).)*?osu_allreduce", repository.read(script), re.DOTALL)
    return int(given[0]) if given else None


def environment_of(result: re.Match[str]) -> str:
    """Return the name of an environment, with the settings that the study varied."""
    name, inside = result["environment"], result["inside"]
    # Folders with "placement" in their names also hold the runs without it.
    if result["variant"] and "placement" not in result["variant"]:
        name += result["variant"]
    elif inside.startswith("osu-placement/"):
        name += "-placement"
    if setting := re.search(r"-ucx\w+$", inside):
        name += setting[0]
    return name


def cloud_runs(repository: Repository) -> Iterator[Run]:
    """Return the runs on nodes of clouds without accelerators."""
    seen = set[str]()
    for path, blob in repository.objects.items():
        result = RESULT.fullmatch(path)
        if result is None or blob in seen:  # some folders are copies of others
            continue
        seen.add(blob)
        cloud = result["cloud"]
        instance, cores = INSTANCES[cloud]
        text = repository.read(path)
        placed = flux_placement(text)
        for benchmark, times in tables(text):
            if benchmark != "osu_allreduce":
                nodes, here = 2, 1
            elif placed:
                nodes, here = placed
            else:
                nodes = int(result["nodes"])
                here = slurm_placement(repository, cloud, result["environment"], nodes) or 0
            if benchmark == "osu_allreduce" and here != cores:
                continue
            library = LIBRARIES.get(result["environment"], "")
            where = environment_of(result)
            group = Group(cloud, where, instance, library, benchmark, nodes, nodes * here, here)
            yield Run(group, path, times)


def dane_runs(repository: Repository) -> Iterator[Run]:
    """Return the runs on Dane, from the tables of the study's figures."""
    for path in repository.objects:
        table = DANE.fullmatch(path)
        if table is None:
            continue
        benchmark = table["benchmark"]
        pair = benchmark != "osu_allreduce"
        nodes = 2 if pair else int(table["nodes"])
        group = Group("dane", "on-premises", "Dane", "", benchmark, nodes, 2 if pair else None, 1 if pair else None)
        times = dict[int, float]()
        for row in csv.DictReader(repository.read(path).splitlines()):
            if row["env"] != "dane":
                continue
            size = int(float(row["size"]))
            if size in times:  # the next repetition begins
                yield Run(group, path, times)
                times = {}
            value = float(next(row[name] for name in row if name.startswith(("avg_latency", "latency", "bandwidth"))))
            times[size] = size / value if benchmark == "osu_bw" else value
        if times:
            yield Run(group, path, times)


def common_path(paths: Iterable[str]) -> str:
    """Return the file, or the folder that has all files in it."""
    first, *rest = (PurePosixPath(path) for path in set(paths))
    if not rest:
        return str(first)
    return str(next(folder for folder in first.parents if all(path.is_relative_to(folder) for path in rest)))


def extract(directory: Path) -> list[Mapping[str, object]]:
    """Return the rows of the output."""
    repository = Repository(directory)
    groups: dict[Group, list[Run]] = {}
    for run in [*cloud_runs(repository), *dane_runs(repository)]:
        groups.setdefault(run.group, []).append(run)
    rows: list[Mapping[str, object]] = []
    for group, runs in sorted(groups.items(), key=lambda item: (*map(str, item[0][:5]), item[0].nodes)):
        for size in sorted({size for run in runs for size in run.microseconds}):
            with_size = [run for run in runs if size in run.microseconds]
            times = [run.microseconds[size] for run in with_size]
            figures = {"median_us": statistics.median(times), "lowest_us": min(times), "highest_us": max(times)}
            rows.append({
                **{name: "" if value is None else value for name, value in group._asdict().items()},
                "bytes": size, **{name: f"{value:.5g}" for name, value in figures.items()},
                "runs": len(times), "path": common_path(run.path for run in with_size),
            })  # fmt: skip
    return rows


def main() -> int:
    """Write the output."""
    parser = argparse.ArgumentParser(description="Extract OSU's benchmarks from the study.", allow_abbrev=False)
    parser.add_argument("directory", type=Path, help="git directory of converged-computing/performance-study")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("measured.csv"), help="CSV file")
    asked = parser.parse_args()
    with asked.output.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(extract(asked.directory))
    return 0


if __name__ == "__main__":
    sys.exit(main())
