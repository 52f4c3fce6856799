"""Calibration of the inside of nodes: simulated nodes are measured, and their properties found again."""

import json
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import pysmpi
from pysmpi.calibrate.assembly import check_platform, platform_text, read_parts
from pysmpi.calibrate.commands.main import main
from pysmpi.calibrate.node import (
    COLUMNS,
    Extent,
    NodeModel,
    campaign_of,
    model_document,
    model_of,
    node_model,
    properties_of,
    steps_through,
)
from pysmpi.calibrate.node.measure import Place, pairs_of
from pysmpi.calibrate.node.tables import capacities
from pysmpi.calibrate.table import Table, read_table
from pysmpi.errors import CalibrationError
from pysmpi.platform import Cluster
from pysmpi.platform.host_interior import Step, node_of

SEND, RECEIVE = 0.05e-6, 0.05e-6
SIMULATED = {"smpi/simulate-computation": False, "smpi/wtime": 0, "network/crosstraffic": False,
             "smpi/async-small-thresh": 8192, "smpi/send-is-detached-thresh": 8192,
             "smpi/os": f"0:{SEND}:0", "smpi/ois": f"0:{SEND}:0", "smpi/or": f"0:{RECEIVE}:0"}  # fmt: skip
LEVELS = {"intra_core": "0:0.2us:8GBps", "intra_socket": "0:0.5us:5GBps", "intra_node": "0:1us:10GBps"}
EXTENT = Extent(largest=1 << 20, rounds=1)
QUIET = {"memory": {}, "card": {}, "rate": {}, "waiting": {}}


def measured(file: pathlib.Path, hosts: int, cores: int, **properties: str) -> Table:
    """Return a table measured on simulated hosts with two sockets."""
    cluster = Cluster(hosts, cores=cores, bandwidth="12GBps", latency="1us",
                      properties=LEVELS | {"sockets": "2"} | properties)  # fmt: skip

    def program() -> None:
        from mpi4py import MPI

        campaign_of(MPI.COMM_WORLD, file, EXTENT, lambda text: None, sockets=2)

    pysmpi.simulate(program, np=hosts * cores, platform=cluster, cfg=SIMULATED, smpi=False)
    return read_table(file, COLUMNS)


def test_every_property_is_found_again(tmp_path: pathlib.Path) -> None:
    table = measured(
        tmp_path / "n.csv", 2, 8,
        memory_bandwidth="1:12GBps; 2:14GBps; 3:16GBps; 4:18GBps", card_bandwidth="1:12GBps; 4:6GBps",
        card_gap="0.1us", waiting_cost="0.02",
    )  # fmt: skip
    model = node_model(table)
    found = properties_of(model, lambda size: SEND + RECEIVE)
    node = node_of(found, 8, "")
    assert node is not None and node.sockets == 2
    for steps, (latency, bandwidth) in zip(node.levels, [(2e-7, 8e9), (5e-7, 5e9), (1e-6, 10e9)], strict=True):
        assert steps[0].latency == pytest.approx(latency, rel=0.02)
        assert steps[-1].bandwidth == pytest.approx(bandwidth, rel=0.02)
    assert [step.messages for step in node.memory] == [1, 2, 3, 4]
    assert [step.bandwidth / 1e9 for step in node.memory] == pytest.approx([8, 14, 16, 18], rel=0.03)
    assert node.card[-1].bandwidth == pytest.approx(6e9, rel=0.03)
    assert node.card_gap == pytest.approx(1e-7, rel=0.05)
    assert node.waiting_cost == pytest.approx(0.02, rel=0.05)


@pytest.mark.parametrize(
    "table",
    [
        "0:1us:10GBps; 40000:20us:5GBps",
        "0:1us:2GBps; 3000:3us:4GBps; 50000:4us:12GBps; 300000:60us:6GBps",
        "0:300us:2GBps; 500:5us:2GBps; 1000000:300us:8GBps",
    ],
)
def test_times_between_measured_sizes_are_right(tmp_path: pathlib.Path, table: str) -> None:
    """Sizes a factor of 4 apart would make messages several times too slow or too fast where the times jump."""
    found = properties_of(node_model(measured(tmp_path / "n.csv", 2, 2, intra_node=table)), spent)
    sizes = sorted({int(size) for size in np.exp(np.random.default_rng(0).uniform(0, np.log(EXTENT.largest), 400))})
    errors = one_way(sizes, found) / one_way(sizes, LEVELS | {"sockets": "2", "intra_node": table}) - 1
    assert np.sum(np.abs(errors) > 0.03) <= 2  # those within a hundredth of a jump


def spent(size: int) -> float:
    """Return the seconds in the calls of a message: from this size on, MPI_Send waits, and calls add nothing."""
    return SEND + RECEIVE if size < 8192 else 0.0


def one_way(sizes: Sequence[int], properties: dict[str, str]) -> npt.NDArray[np.float64]:
    """Return the seconds of a message from one host to another, half a round trip, by size."""

    def program() -> list[float]:
        from mpi4py import MPI

        world, seconds = MPI.COMM_WORLD, []
        for size in sizes:
            message = np.ones(size, np.uint8)
            start = MPI.Wtime()
            for first in (True, False):
                if (world.rank == 0) == first:
                    world.Send(message, 1 - world.rank)
                else:
                    world.Recv(message, 1 - world.rank)
            seconds.append((MPI.Wtime() - start) / 2)
        return seconds

    cluster = Cluster(2, cores=2, bandwidth="12GBps", latency="1us", properties=properties)
    hosts = ["node-0", "node-1"]
    return np.array(pysmpi.simulate(program, np=2, platform=cluster, hosts=hosts, cfg=SIMULATED, smpi=False).values[0])


def test_nodes_without_limits_get_none(tmp_path: pathlib.Path) -> None:
    model = node_model(measured(tmp_path / "n.csv", 2, 4))
    assert properties_of(model, lambda size: 0.0).keys() == {*LEVELS, "sockets", "memory_bandwidth"}
    assert (model.card_gap(), model.waiting_cost(), model.falls()) == (0.0, 0.0, False)


@pytest.mark.parametrize("kept", [5, 25, 40, 55])
def test_an_interrupted_campaign_goes_on(tmp_path: pathlib.Path, kept: int) -> None:
    """Further sizes follow from the rows alone, so it makes the measurements that are left."""
    jumps = {"intra_core": "0:0.2us:8GBps; 3000:9us:8GBps", "intra_socket": "0:1us:5GBps; 40000:30us:2GBps"}
    file = tmp_path / "n.csv"
    whole = measured(file, 1, 4, **jumps)
    assert len(whole.rows) > 55
    lines = file.read_text().splitlines(keepends=True)
    head = len(lines) - len(whole.rows)
    file.write_text("".join(lines[: head + kept]) + lines[head + kept][:9])
    again = measured(file, 1, 4, **jumps)
    assert seconds_by_point(again) == pytest.approx(seconds_by_point(whole))


def seconds_by_point(table: Table) -> dict[tuple[Any, ...], float]:
    """Return the seconds of measurements in one round."""
    found = {tuple(row[name] for name in ("figure", "level", "bytes", "count")): row["seconds"] for row in table.rows}
    assert len(found) == len(table.rows)
    return found


def test_pairs_have_no_rank_in_common() -> None:
    ranks = [Place(host, socket) for host in "ab" for socket in (0, 0, 0, 1, 1, 1)]
    assert pairs_of(ranks, "core") == [(0, 1), (3, 4)]
    assert pairs_of(ranks, "socket") == [(0, 3), (1, 4), (2, 5)]
    assert pairs_of(ranks, "node") == [(rank, rank + 6) for rank in range(6)]
    assert pairs_of([Place("a", 0), Place("b", 0)], "core") == []


def test_steps_pass_through_the_times() -> None:
    assert steps_through({1: 1e-6, 1001: 2e-6, 2001: 4e-6}) == ["0:9.99e-07s:1e+09Bps", "1001:0s:5.0025e+08Bps"]
    assert steps_through({8: 2e-6, 16: 1e-6}) == ["0:9.99e-07s:1.6e+10Bps"]  # a larger message that is faster


def test_rates_between_measured_numbers_are_interpolated() -> None:
    assert capacities({1: 8e9, 4: 14e9}) == "1:8e+09Bps; 2:1e+10Bps; 3:1.2e+10Bps; 4:1.4e+10Bps"


def test_a_document_has_the_whole_model() -> None:
    model = NodeModel(2, {"core": {1: 1e-7, 64: 2e-7}}, {1: 8e9}, {1: 1e10, 2: 2e10}, {1: 7e6}, {"core": (1.5, 6)})
    assert model_of(json.loads(json.dumps(model_document(model, {})))) == model


def test_ping_pongs_on_the_assembled_platform(tmp_path: pathlib.Path) -> None:
    """The tables leave out the time of the calls, which the settings of the network have."""
    model = node_model(measured(tmp_path / "n.csv", 1, 4))
    (tmp_path / "node.json").write_text(json.dumps(model_document(model, {"host": "a--b"})))
    one_way = [[size, seconds] for size, seconds in model.one_way["core"].items()]
    network: dict[str, Any] = {
        "format": "pysmpi-network-1", "provenance": {}, "links": {"intra": {"latency": 1e-6, "bandwidth": 1e9}},
        "settings": {name: str(SIMULATED[name]) for name in ("smpi/os", "smpi/or", "smpi/send-is-detached-thresh",
                                                             "smpi/async-small-thresh")},
        "fit": {"intra": {"one_way": one_way}},
    }  # fmt: skip
    (tmp_path / "network.json").write_text(json.dumps(network))
    parts = read_parts(tmp_path / "network.json", node=tmp_path / "node.json", speed=1e9)
    (tmp_path / "p.xml").write_text(platform_text(parts, None, 4))
    (check,) = check_platform(tmp_path / "p.xml", parts)
    assert abs(check.errors).max() < 0.01
    words = ["--network", str(tmp_path / "network.json"), "--node", str(tmp_path / "node.json"), "--speed", "1e9"]
    assert main(["platform", *words, "--cores", "4", "--output", str(tmp_path / "q.xml")]) == 0
    assert "intra_socket" in (tmp_path / "q.xml").read_text()


def test_the_command_fits_a_table(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    measured(tmp_path / "n.csv", 2, 4, card_gap="0.3us")
    assert main(["node", "--from", str(tmp_path / "n.csv"), "--output", str(tmp_path / "node.json")]) == 0
    text = (tmp_path / "node.txt").read_text()
    for expected in ("same socket", "other host", "messages inside the host at once", "the card takes 30"):
        assert expected in text
    assert (tmp_path / "node.png").stat().st_size > 5000
    assert "messages on core, socket, node" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("one way,core,1,1,8,0.0", "n.csv:3: one way: amount and seconds must be above zero"),
        ("one way,core,1,1,8,1.0", "level 'core' has only one message size; two are needed"),
        ("memory,core,1,2,8,1.0", "'memory' was not measured with one pair"),
        ("two ways,core,1,1,8,1.0", "n.csv:3: figure: unknown value 'two ways'"),
    ],
)
def test_mistakes_in_a_table_are_named(tmp_path: pathlib.Path, row: str, message: str) -> None:
    file = tmp_path / "n.csv"
    file.write_text(f"# part: node\nfigure,level,bytes,count,amount,seconds\n{row}\n")
    with pytest.raises(CalibrationError) as raised:
        node_model(read_table(file, COLUMNS))
    assert message in str(raised.value)


@pytest.mark.parametrize(("hosts", "ranks"), [(1, 1), (3, 3)])
def test_other_numbers_of_hosts_are_errors(tmp_path: pathlib.Path, hosts: int, ranks: int) -> None:
    def program() -> str:
        from mpi4py import MPI

        with pytest.raises(CalibrationError) as raised:
            campaign_of(MPI.COMM_WORLD, tmp_path / "n.csv", EXTENT, lambda text: None)
        return str(raised.value)

    result = pysmpi.simulate(program, np=ranks, platform=Cluster(hosts), cfg=SIMULATED)
    assert set(result.values) == {
        f"{ranks} ranks on {hosts} hosts cannot be measured; start one rank on each core of one host or of two, "
        "such as mpiexec -n 48 pysmpi-calibrate node …"
    }


def test_steps_have_the_type_of_tables() -> None:
    node = node_of({"intra_core": "; ".join(steps_through({1: 1e-6, 1001: 2e-6}))}, 1, "")
    assert node is not None and node.levels[0] == (Step(0, pytest.approx(9.99e-7), 1e9),)
