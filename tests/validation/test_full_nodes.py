"""Measurements on full nodes of a public study of clouds: extraction, series, and a small prediction."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "validation" / "full_nodes"


def module(name: str) -> Any:
    """Import a module of the folder as full_nodes_NAME. Other folders have modules of the same names."""
    specification = importlib.util.spec_from_file_location(f"full_nodes_{name}", FOLDER / f"{name}.py")
    assert specification is not None and specification.loader is not None
    found = importlib.util.module_from_spec(specification)
    sys.modules[f"full_nodes_{name}"] = found
    specification.loader.exec_module(found)
    return found


full_nodes = module("predict")
extraction = module("extract")
SERIES = list(full_nodes.series())


def of(machine: str, environment: str, benchmark: str, nodes: int) -> Any:
    (one,) = (one for one in SERIES if one[:4] == (machine, environment, benchmark, nodes))
    return one


def test_the_measurements() -> None:
    assert {one.machine for one in SERIES} == full_nodes.MACHINES.keys()
    full = [one for one in SERIES if one.benchmark == "osu_allreduce"]
    assert {one.ranks_per_node for one in full} == {machine.cores for machine in full_nodes.MACHINES.values()}
    assert {one.nodes for one in full} == {32, 64, 128, 256}
    assert all(0 < seconds < 1 for one in SERIES for seconds in one.times.values())
    assert of("aws", "eks", "osu_allreduce", 32).times[4] == pytest.approx(259.54e-6)


def test_a_ping_pong_of_two_nodes() -> None:
    one = of("azure", "cyclecloud", "osu_latency", 2)
    asked = one._replace(times={size: one.times[size] for size in (4, 65536, 1048576)})
    errors = [seconds / asked.times[size] - 1 for size, seconds in full_nodes.predict(asked).items()]
    assert max(map(abs, errors)) < 0.2


@pytest.mark.parametrize(("machine", "environment"), [("google", "gke"), ("aws", "eks")])
def test_an_allreduce_on_two_full_nodes(machine: str, environment: str) -> None:
    one = of(machine, environment, "osu_allreduce", 32)
    small, large = full_nodes.predict(one._replace(nodes=2, times={4: 1.0, 65536: 1.0})).values()
    assert 10e-6 < small < large < one.times[65536]


def test_a_failed_prediction_shows_its_output() -> None:
    with pytest.raises(RuntimeError, match="unknown benchmark 'none'"):
        full_nodes.predict(of("azure", "aks", "osu_latency", 2)._replace(benchmark="none"))


def table(title: str, rows: dict[int, float]) -> str:
    return f"# OSU MPI {title} Test v5.8\n# Size   Value\n" + "".join(f"{size:<8}{rows[size]:20}\n" for size in rows)


def flux(output: str, nodes: int, slots: int, cores: int = 1) -> str:
    slot = {"type": "slot", "count": slots, "with": [{"type": "core", "count": cores}], "label": "task"}
    job = {"resources": [{"type": "node", "count": nodes, "with": [slot]}], "tasks": [{"count": {"per_slot": 1}}]}
    return f"\n{output}START OF JOBSPEC\n{json.dumps(job)}\nSTART OF EVENTLOG\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    eks, slurm = "experiments/aws/eks/cpu/size4", "experiments/azure/cyclecloud/cpu"
    files = {
        f"{eks}/results/osu/osu-4-iter-1-1.out": flux(table("Allreduce Latency", {4: 10.0, 8: 12.0}), 4, 96),
        f"{eks}/results/osu/osu-4-iter-2-2.out": flux(table("Allreduce Latency", {4: 14.0}), 4, 96),
        f"{eks}/results/copy/osu/osu-4-iter-2-2.out": flux(table("Allreduce Latency", {4: 14.0}), 4, 96),
        f"{eks}/results/osu/half.out": flux(table("Allreduce Latency", {4: 1.0}), 4, 48),
        f"{eks}/results/osu/osu-2-iter-1-3.out": flux(table("Bandwidth", {8: 4.0}), 2, 1),
        f"{eks}/results/lammps/lammps.out": "no benchmark\n",
        f"{slurm}/experiment/configs/osu/slurm-osu-4n.sh":
            "mpirun --map-by ppr:1:node osu_latency\nmpirun --map-by ppr:96:node -x A=b \\\n osu_allreduce\n",
        f"{slurm}/size4/results/osu/osu-4n-ucxall.out":
            table("Latency", {0: 1.5}) + "Allreduce iteration 1\n\n" + table("Allreduce Latency", {4: 20.0})
            + "real 1.5\nAllreduce iteration 2\n" + table("Allreduce Latency", {4: 30.0}),
        f"{slurm}/size8/results/osu/osu-8n.out": table("Allreduce Latency", {4: 1.0}),
        "paper/osu-benchmarks/data/osu_allreduce-64-cpu-dataframe.csv":
            ",size,avg_latency_us,env\n0,4.0,627.48,gke\n1,4.0,20.0,dane\n2,8.0,21.0,dane\n3,4.0,24.0,dane\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "Add runs"], check=True)
    return tmp_path / ".git"


def test_extraction(repository: Path) -> None:
    rows = [{key: str(value) for key, value in row.items()} for row in extraction.extract(repository)]
    names = ("environment", "benchmark", "ranks", "bytes", "median_us", "lowest_us", "highest_us", "runs")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("eks", "osu_allreduce", "384", "4", "12", "10", "14", "2"),
        ("eks", "osu_allreduce", "384", "8", "12", "12", "12", "1"),
        ("eks", "osu_bw", "2", "8", "2", "2", "2", "1"),
        ("cyclecloud-ucxall", "osu_allreduce", "384", "4", "25", "20", "30", "2"),
        ("cyclecloud-ucxall", "osu_latency", "2", "0", "1.5", "1.5", "1.5", "1"),
        ("on-premises", "osu_allreduce", "", "4", "22", "20", "24", "2"),
        ("on-premises", "osu_allreduce", "", "8", "21", "21", "21", "1"),
    ]
    assert rows[1]["path"] == "experiments/aws/eks/cpu/size4/results/osu/osu-4-iter-1-1.out"
    assert {tuple(row) for row in rows} == {extraction.COLUMNS}


def test_extraction_refuses_slots_of_several_cores() -> None:
    with pytest.raises(ValueError, match="a slot is not one core and one task"):
        extraction.flux_placement(flux("", 2, 48, cores=2))
