"""Extract open.csv from the campaign's public repository: python validation/pico/extract.py REPOSITORY [-o FILE].

``REPOSITORY`` is a checkout or a bare directory of HLC-Lab/pico with the commit `COMMIT`. Git reads the files, so what
is checked out does not matter. Only the runs of `RUNS` are read: MareNostrum 5 on 32 nodes, LUMI on 8 to 32, and Fugaku
on 2 x 2 x 2 and 8 x 8 x 8. The output is equal to open.csv. If an archive is not in the repository, the script names
it, writes the other rows, and exits with status 1.

A run's archive has a folder for each collective, and there a file ``COUNT_LABEL_int32.csv`` for each series: the
longest duration of a rank in nanoseconds, an iteration a line. COUNT is the number of elements of the whole buffer.

Times of a series:

- ``iterations`` counts the lines below the header. Fugaku's files end with a line "Average runtime: ...", which counts
  as an iteration of 0 us. This moves the median by half a place. It makes medians less than 1 % shorter, except two
  (allgather with rdb on 2 x 2 x 2 nodes, 64 and 512 MiB), which are 11 % shorter.
- The first tenth of the iterations is left out, rounded down, but at least one.
- The median of an even number of durations is the mean of the middle two. A quartile is the duration at the nearest
  place of the sorted ones, counted from 0: place 0.25 or 0.75 times (number - 1), halves rounded up.
- A median is rounded to 0.001 us. All times are rounded to 0.01 us in the output.

Series that measure the same messages are joined to a row: runs on the same nodes, and labels with the same algorithm.
The row's median is the median of their medians. Its quartiles are the lowest first and the highest third quartile.
`ALGORITHMS` has the labels. Others are left out, among them all that pysmpi does not have (Bine, uTofu, trees for a
torus), ``default-default`` on Fugaku, and on LUMI ``non_blocking_mpich`` and allreduce's ``recursive_doubling_mpich``,
which had no effect in four of six runs.

Left out as unreliable:

1. A label ``*_mpich`` whose medians are all within 1 % of the default's in the same run: it had no effect.
2. ``brucks_mpich`` of 1 MiB and more, which is not Bruck's algorithm.
3. Algorithms that give each rank a block, if there are fewer elements than ranks.
4. Series whose quartiles differ by a factor of more than 1.4, or the medians of whose halves by more than 1.3. Rows
   whose series have medians that differ by a factor of more than 1.5.
5. GPU buffers and several ranks a node: no such run is in `RUNS`.
"""

import argparse
import csv
import io
import re
import statistics
import subprocess
import sys
import tarfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import NamedTuple, TextIO

__all__ = ["COLUMNS", "COMMIT", "RUNS", "Missing", "Series", "Test", "extract", "rows", "write"]

COMMIT = "413bc5d0f98f8c45a99926cb4b68d22824d968ab"
"""Commit of HLC-Lab/pico that open.csv comes from."""

RUNS: Mapping[str, Collection[str]] = {
    "fugaku": ("2025_03_26___19_49_06", "2025_03_27___04_01_47"),
    "lumi": ("2025_03_16___14_58_59", "2025_03_16___15_34_44", "2025_03_27___19_15_25", "2025_04_07___16_14_21",
             "2025_04_07___16_22_51", "2025_04_07___16_33_47"),
    "mare_nostrum": ("2025_04_10___20_36_45", "2025_04_12___14_04_47", "2025_04_12___14_07_21"),
}  # fmt: skip
"""Runs of the open part by machine, each with the time of its start.

The repository lists three more runs of LUMI on 8, 16 and 32 nodes (2025_04_07___18_42_37, 2025_04_10___16_24_38 and
2025_04_10___16_25_22). They are not in open.csv.
"""

ALGORITHMS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "fugaku": {
        "allgather": {"default-bruck": "bruck", "default-linear": "linear", "default-ring": "NTSLR",
                      "default-neighbor": "ompi_neighborexchange", "default-recursive-doubling": "rdb"},
        "allreduce": {"default-recursive_doubling": "rdb", "default-ring": "lr"},
        "alltoall": {"default-linear": "basic_linear", "default-modified-bruck": "bruck", "default-pairwise": "ring"},
        "bcast": {"default-binomial": "openmpi_binomial"},
        "gather": {"default-basic-linear": "ompi_basic_linear", "default-binomial": "ompi_binomial",
                   "default-linear-sync": "ompi_linear_sync"},
        "reduce": {"default-binomial": "openmpi_binomial", "default-linear": "ompi_basic_linear"},
        "reduce_scatter": {"default-recursive-halving": "ompi_basic_recursivehalving", "default-ring": "ompi_ring"},
        "scatter": {"default-basic-linear": "ompi_basic_linear", "default-binomial": "ompi_binomial"},
    },
    "lumi": {
        "allgather": {"brucks_mpich": "bruck", "default_mpich": "default", "k_bruck_over": "bruck",
                      "recursive_doubling_mpich": "rdb", "ring_mpich": "NTSLR"},
        "allreduce": {"default_mpich": "default", "rabenseifner_mpich": "rab_rdb", "rabenseifner_over": "rab_rdb",
                      "recursive_doubling_over": "rdb", "ring_over": "lr"},
    },
    "mare_nostrum": {
        "allgather": {"default_ompi": "default", "neighbor_ompi": "ompi_neighborexchange",
                      "recursive_doubling_ompi": "rdb", "ring_ompi": "NTSLR"},
        "allreduce": {"default_ompi": "default", "rabenseifner_ompi": "openmpi_rabenseifner",
                      "recursive_doubling_ompi": "rdb", "recursive_doubling_over": "rdb", "ring_ompi": "lr",
                      "ring_over": "lr"},
        "alltoall": {"default_ompi": "default", "linear_ompi": "basic_linear", "linear_sync_ompi": "ompi_linear_sync",
                     "modified_bruck_ompi": "bruck", "pairwise_ompi": "ring"},
        "bcast": {"binary_ompi": "openmpi_binary_tree", "binomial_ompi": "openmpi_binomial", "default_ompi": "default",
                  "knomial_ompi": "knomial-4", "scatter_allgather_ompi": "openmpi_scatter_allgather",
                  "scatter_allgather_ring_ompi": "openmpi_scatter_allgather_ring",
                  "split_binary_ompi": "openmpi_split_binary_tree"},
        "gather": {"binomial_ompi": "ompi_binomial", "default_ompi": "default", "linear_ompi": "ompi_basic_linear",
                   "linear_synch_ompi": "ompi_linear_sync"},
        "reduce": {"binary_ompi": "openmpi_binary", "binomial_ompi": "openmpi_binomial", "default_ompi": "default",
                   "in_order_ompi": "ompi_in_order_binary", "linear_ompi": "ompi_basic_linear",
                   "rabenseifner_ompi": "openmpi_rabenseifner"},
        "reduce_scatter": {"default_ompi": "default", "recursive_halving_ompi": "ompi_basic_recursivehalving",
                           "ring_ompi": "ompi_ring"},
        "scatter": {"binomial_ompi": "ompi_binomial", "default_ompi": "default", "linear_nb_ompi": "ompi_linear_nb",
                    "linear_ompi": "ompi_basic_linear"},
    },
}  # fmt: skip
"""Names of the algorithms in pysmpi, by machine, collective and label."""

WHOLE_VECTORS = ("allreduce", "bcast", "reduce")
"""Collectives whose buffer is the vector of one rank, which need not have a block for each rank."""

BLOCKS = ("lr", "openmpi_rabenseifner", "openmpi_scatter_allgather", "openmpi_scatter_allgather_ring", "rab_rdb")
"""Algorithms of these collectives that give each rank a block nevertheless."""

DEFAULT_OF_MPICH = "default_mpich"
"""Label of the algorithm that Cray's library chose."""

NO_EFFECT, QUARTILES_APART, HALVES_APART, RUNS_APART = 0.01, 1.4, 1.3, 1.5
"""Limits of rules 1 and 4."""

COLUMNS = ("machine", "library", "collective", "algorithm", "labels", "ranks", "nodes", "ranks_per_node", "bytes",
           "median_us", "q1_us", "q3_us", "state", "series", "iterations")  # fmt: skip
"""Columns of the output."""


class Missing(RuntimeError):
    """A file is not in the repository, or the commit is not."""


class Test(NamedTuple):
    """Measurements of one collective in a run.

    Attributes:
        machine: machine, by the campaign's name.
        run: start of the run, which is the name of its archive.
        number: folder in the archive.
        collective: the collective.
        nodes: nodes, or the shape of the torus.
        ranks_per_node: ranks on each node.
        library: MPI library with its version.
    """

    machine: str
    run: str
    number: str
    collective: str
    nodes: str
    ranks_per_node: int
    library: str

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.ranks_per_node * prod(map(int, self.nodes.split("x")))

    @property
    def algorithms(self) -> Mapping[str, str]:
        """Algorithms by label."""
        return ALGORITHMS[self.machine][self.collective]


class Series(NamedTuple):
    """Durations of a collective with one label and size.

    Attributes:
        test: the test.
        label: the benchmark's name of the algorithm.
        size: bytes of the whole buffer.
        durations: microseconds of each iteration.
    """

    test: Test
    label: str
    size: int
    durations: Sequence[float]

    @property
    def algorithm(self) -> str:
        """The name of the algorithm in pysmpi."""
        return self.test.algorithms[self.label]

    @property
    def kept(self) -> Sequence[float]:
        """Durations without the first tenth."""
        return self.durations[max(1, len(self.durations) // 10) :]

    @property
    def median(self) -> float:
        """The median in microseconds, rounded to nanoseconds."""
        return round(statistics.median(self.kept), 3)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The first and the third quartile in microseconds."""
        times = sorted(self.kept)
        low, high = (times[int(share * (len(times) - 1) + 0.5)] for share in (0.25, 0.75))
        return low, high

    @property
    def halves(self) -> tuple[float, float]:
        """Medians of the earlier and the later half."""
        middle = len(self.kept) // 2
        return statistics.median(self.kept[:middle]), statistics.median(self.kept[middle:])

    @property
    def is_usable(self) -> bool:
        """True unless rules 2 to 4 leave the series out."""
        has_blocks = self.test.collective not in WHOLE_VECTORS or self.algorithm in BLOCKS
        if has_blocks and self.size // 4 < self.test.ranks:
            return False
        if self.label == "brucks_mpich" and self.size >= 1 << 20:
            return False
        return not apart(self.quartiles, QUARTILES_APART) and not apart(self.halves, HALVES_APART)


def apart(times: Collection[float], factor: float) -> bool:
    """Return whether the longest of the times is more than `factor` times the shortest."""
    return max(times) > factor * min(times)


def read(repository: Path, commit: str, file: str) -> bytes:
    """Return the contents of a file of the repository.

    Raises:
        Missing: git cannot read it; the message has git's.
    """
    folder = repository / ".git" if (repository / ".git").exists() else repository
    command = ["git", f"--git-dir={folder}", "cat-file", "blob", f"{commit}:{file}"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise Missing(f"{file}: not in {repository} at commit {commit[:7]} ({done.stderr.decode().strip()})")
    return done.stdout


def tests(machine: str, metadata: bytes) -> Iterator[Test]:
    """Return the tests of a machine's open runs from its list of all tests."""
    for entry in csv.DictReader(io.StringIO(metadata.decode(), newline="")):
        if entry["timestamp"] in RUNS[machine]:
            yield Test(machine, entry["timestamp"], entry["test_id"], entry["collective_type"].lower(), entry["nnodes"],
                       int(entry["tasks_per_node"]), f"{entry['mpi_lib']} {entry['mpi_lib_version']}")  # fmt: skip


def microseconds(line: str) -> float:
    """Return the duration in a line of a series. Other text, as at the end of Fugaku's files, counts as 0."""
    longest = line.partition(",")[0]
    return int(longest) / 1000 if longest.isdecimal() else 0.0


def archived(archive: bytes, of: Iterable[Test]) -> Iterator[Series]:
    """Return the series of some tests of a run from its archive. Files with other labels are not read."""
    by_folder = {f"{each.run}/{each.number}": each for each in of}
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            folder, _, name = member.name.rpartition("/")
            test = by_folder.get(folder)
            matched = re.fullmatch(r"(\d+)_(.+)_int32\.csv", name)
            if test is None or matched is None or matched[2] not in test.algorithms:
                continue
            contents = files.extractfile(member)
            assert contents is not None
            lines = contents.read().decode().splitlines()[1:]
            yield Series(test, matched[2], 4 * int(matched[1]), [microseconds(line) for line in lines])


def has_effect(series: Sequence[Series], default: Mapping[int, float]) -> bool:
    """Return whether a median of a label in a test differs from the default's median of the same size."""
    return any(abs(each.median / default[each.size] - 1) > NO_EFFECT for each in series if each.size in default)


def effective(series: Sequence[Series]) -> Iterator[Series]:
    """Return the series without those that rule 1 leaves out."""
    by_label: dict[tuple[Test, str], list[Series]] = {}
    for each in series:
        by_label.setdefault((each.test, each.label), []).append(each)
    for (test, label), some in by_label.items():
        default = {each.size: each.median for each in by_label.get((test, DEFAULT_OF_MPICH), [])}
        if not label.endswith("_mpich") or label == DEFAULT_OF_MPICH or has_effect(some, default):
            yield from some


def row(series: Sequence[Series]) -> tuple[object, ...]:
    """Return the row of series that measure the same messages."""
    one = series[0]
    labels = "+".join(sorted({each.label for each in series}))
    median = statistics.median(each.median for each in series)
    low, high = min(each.quartiles[0] for each in series), max(each.quartiles[1] for each in series)
    iterations = sum(len(each.durations) for each in series)
    test = one.test
    return (test.machine, test.library, test.collective, one.algorithm, labels, test.ranks, test.nodes,
            test.ranks_per_node, one.size, round(median, 2), round(low, 2), round(high, 2), "clean", len(series),
            iterations)  # fmt: skip


def rows(series: Sequence[Series]) -> Iterator[tuple[object, ...]]:
    """Return the rows of all series in the order of open.csv."""
    joined: dict[tuple[str, int, str, str, str, int], list[Series]] = {}
    for each in effective(series):
        if each.is_usable:
            test = each.test
            key = (test.machine, test.ranks, test.nodes, test.collective, each.algorithm, each.size)
            joined.setdefault(key, []).append(each)
    for key in sorted(joined):
        if not apart([each.median for each in joined[key]], RUNS_APART):
            yield row(joined[key])


def extract(repository: Path, commit: str = COMMIT) -> tuple[list[Series], list[Missing]]:
    """Return all series of the open runs, and the errors for files that are missing."""
    found: list[Series] = []
    errors: list[Missing] = []
    for machine, runs in RUNS.items():
        try:
            listed = list(tests(machine, read(repository, commit, f"results/{machine}_metadata.csv")))
        except Missing as error:
            errors.append(error)
            continue
        for run in runs:
            try:
                archive = read(repository, commit, f"results/{machine}/{run}.tar.gz")
            except Missing as error:
                errors.append(error)
            else:
                found += archived(archive, [each for each in listed if each.run == run])
    return found, errors


def write(series: Sequence[Series], output: TextIO) -> None:
    """Write the table of all series."""
    table = csv.writer(output)
    table.writerow(COLUMNS)
    table.writerows(rows(series))


def main() -> int:
    """Write the table, and print the names of missing files."""
    parser = argparse.ArgumentParser(description="Extract open.csv from HLC-Lab/pico.", allow_abbrev=False)
    parser.add_argument("repository", type=Path, help="a checkout or a bare directory of HLC-Lab/pico")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="output file (standard output)")
    parser.add_argument("--commit", default=COMMIT, help=f"commit to read ({COMMIT[:7]})")
    asked = parser.parse_args()
    found, errors = extract(asked.repository, asked.commit)
    if asked.output is None:
        write(found, sys.stdout)
    else:
        with asked.output.open("w", newline="") as output:
            write(found, output)
    for error in errors:
        print(f"extract.py: {error}; the output is without its series", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
