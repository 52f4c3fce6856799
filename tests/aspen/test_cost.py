"""Costs: a model computed by hand, the paper's FFT and MD, warnings, arrays, both rules."""

import pathlib

import numpy
import pytest

from pysmpi import aspen
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.machine_info import machine_json

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parents[1] / "models"
APP = aspen.read_application(str(HERE / "hand_application.aspen"))
MACHINE = aspen.read_machine(str(HERE / "hand_machine.aspen"))
FFT = aspen.read_application(str(MODELS / "fft3d.aspen"))
MD = aspen.read_application(str(MODELS / "md.aspen"))
WESTMERE = aspen.read_machine(str(MODELS / "machines" / "westmere.aspen"))
KEENELAND = aspen.read_machine(str(MODELS / "machines" / "keeneland.aspen"))

# 8 sockets: 24 cores of 2 Gflop/s as dp and simd, 8 memories of 10 GB/s, 4 connections of 2 GB/s.
COMPUTE = 5 * 2000 / 2e9  # ceil(100 / 24) elements after each other
STREAM = 13 * 1500 / 10e9  # ceil(100 / 8); loads and stores share the memory
SEND = 2 * (1e-6 + 4000 / 2e9)  # ceil(8 / 4) messages after each other
ONE_NETWORK = 8 * (1e-6 + 4000 / 2e9)  # under ORNL's rules the messages of all nodes take turns
SHUFFLE = 2 * 4000 / 2e9 + 1e-6  # a collective has its latency once


@pytest.mark.parametrize(
    ("question", "overlap", "ornl"),
    [
        ({"kernel": "compute"}, COMPUTE, COMPUTE),
        ({"kernel": "stream"}, STREAM, STREAM),
        ({"kernel": "send"}, SEND, ONE_NETWORK),
        ({"kernel": "shuffle"}, SHUFFLE, ONE_NETWORK),
        ({"control": "both"}, SEND, STREAM + ONE_NETWORK),
        ({"control": "twice"}, 2 * 12.5 * 1500 / 10e9, 2 * STREAM),
        ({"control": "copies"}, 3 * 12.5 * 1500 / 10e9, 3 * STREAM),
        ({"control": "steps"}, COMPUTE + STREAM + 10 * (STREAM + SEND), COMPUTE + STREAM + 10 * (STREAM + ONE_NETWORK)),
        ({"control": "chances"}, 0.25 * COMPUTE + 0.75 * STREAM, 0.25 * COMPUTE + 0.75 * STREAM),
        ({"control": "branches"}, COMPUTE, COMPUTE),
    ],
)  # fmt: skip
def test_a_model_computed_by_hand(question: dict[str, str], overlap: float, ornl: float) -> None:
    assert APP.cost(MACHINE, **question).seconds == pytest.approx(overlap, rel=1e-14)
    assert APP.cost(MACHINE, **question, rules="ornl").seconds == pytest.approx(ornl, rel=1e-14)


def test_rows_and_totals() -> None:
    cost = APP.cost(MACHINE, control="steps")
    assert [(row.kind, row.name, row.depth, row.count) for row in cost.rows] == [
        ("control", "steps", 0, 1), ("kernel", "compute", 1, 1), ("kernel", "stream", 1, 1), ("iterate", "", 1, 1),
        ("kernel", "stream", 2, 10), ("kernel", "send", 2, 10),
    ]  # fmt: skip
    assert cost.bound == "messages" and cost["stream"].bound == "loads"
    assert cost["stream"].by_resource["stores"] == pytest.approx(13 * 500 / 10e9)
    assert cost.rows[0].share == 1 and cost.rows[3].seconds == pytest.approx(10 * (STREAM + SEND))
    assert cost.rows[5].share == pytest.approx(10 * SEND / cost.seconds)
    assert sum(cost.totals.values()) == pytest.approx(cost.seconds)
    assert cost.totals == pytest.approx({"computation": COMPUTE, "memory": 11 * STREAM, "messages": 10 * SEND})
    assert cost.to_json()["rows"][4]["place"] == f"{HERE / 'hand_application.aspen'}:10"


def test_fewer_processors_than_the_machine_has() -> None:
    """P sockets fill nodes in order; what does not fit takes turns, with a warning."""
    assert APP.cost(MACHINE, kernel="stream", P=3).seconds == pytest.approx(34 * 1500 / 10e9)
    assert APP.cost(MACHINE, kernel="send", P=3).seconds == pytest.approx(4 * (1e-6 + 4000 / 2e9))
    cost = APP.cost(MACHINE, kernel="stream", P=16)
    assert cost.seconds == pytest.approx(STREAM) and [each.about for each in cost.warnings] == ["processors"]
    assert APP.cost(MACHINE, kernel="stream", rules="ornl", P=3).seconds == pytest.approx(STREAM)


def test_a_ring_limits_an_all_to_all(tmp_path: pathlib.Path) -> None:
    """Two links halve a ring of 40 nodes, and a quarter of all bytes crosses them each way."""
    path = tmp_path / "m.aspen"
    path.write_text((HERE / "hand_machine.aspen").read_text().replace("as torus", "as torus(40)"))
    ring = aspen.read_machine(str(path))
    crossing = 80 * 4000 / 4 / (2 * 2e9)
    assert APP.cost(ring.set(nodes=40), kernel="everywhere").seconds == pytest.approx(crossing + 1e-6)


def test_arrays_are_broadcast() -> None:
    nodes = numpy.array([1.0, 2.0, 4.0])
    cost = APP.cost(MACHINE.set(nodes=nodes), control="both", n=numpy.array([[100.0], [1e6]]))
    for row, n in enumerate((100, 1e6)):
        for column, count in enumerate(nodes):
            one = APP.cost(MACHINE.set(nodes=count), control="both", n=n)
            assert cost.seconds[row, column] == one.seconds and cost.bound[row, column] == one.bound
    mixed = APP.cost(MACHINE, control="branches", n=numpy.array([10.0, 100.0]))
    assert mixed.seconds == pytest.approx([2 * 1500 / 10e9, COMPUTE])


def test_the_fft_of_the_paper() -> None:
    sizes = 2.0 ** numpy.arange(10, 17)
    seconds = {
        kernel: FFT.cost(WESTMERE.set(numNodes=sizes), kernel=kernel, n=2**16, P=sizes).seconds
        for kernel in ("localFFT", "transpose", "exchange")
    }
    ratio = 3 * (seconds["localFFT"] + seconds["transpose"]) / seconds["exchange"]
    assert ratio == pytest.approx(3.893058, abs=1e-6)
    slab = FFT.cost(WESTMERE, control="slab", n=2**16, P=65536)
    pencil = FFT.cost(WESTMERE, control="pencil", n=2**16, P=65536)
    assert (slab.seconds, pencil.seconds) == pytest.approx((84.06, 101.24), abs=5e-3)
    sizes = numpy.arange(78800.0, 79000.0)
    faster = FFT.cost(WESTMERE, control="pencil", n=2**16, P=sizes).seconds < slab.seconds
    assert abs(sizes[numpy.argmax(faster)] - 78930) <= 5
    (warning,) = slab.warnings
    assert warning.figures == {"needed": 2**32 * 16, "available": 12e9, "least_processes": 375300}
    question = {"kernel": "exchange", "n": 2**16, "P": 65536}
    one = FFT.cost(WESTMERE, **question).seconds
    assert FFT.cost(KEENELAND.set(numNodes=32768), socket="westmere", **question).seconds == pytest.approx(2 * one)


def test_the_intensity_of_the_fft() -> None:
    row = FFT.cost(WESTMERE, kernel="localFFT", n=8192, a=6.3, Z=24e6, P=1).rows[0]
    assert row.needs == pytest.approx({"flops": 532480, "loads": 825753.6})
    assert FFT.intensity(kernel="localFFT", n=8192) == pytest.approx(0.644841, abs=1e-6)
    assert FFT.intensity(kernel="localFFT", n=2**20, Z=24e6) == pytest.approx(0.9921, abs=5e-5)
    assert FFT.intensity(kernel="localFFT", n=2**20, Z=2.4e6) == pytest.approx(0.8761, abs=5e-5)


@pytest.mark.parametrize(("mesh", "atoms", "ratio"), [(64, 107402, 2.8125), (128, 328118, 3.28125)])
def test_the_molecular_dynamics_of_the_paper(mesh: int, atoms: int, ratio: float) -> None:
    few = MD.set(meshDim=mesh, atoms=1, P=64)
    assert float(few.flops()) / float(few.messages()) == pytest.approx(ratio, rel=1e-6)
    equal = MD.set(meshDim=mesh, atoms=atoms, P=64)
    assert float(equal.flops(kernel="ljForce")) == pytest.approx(float(equal.flops(control="3DFFT.pencil")), rel=1e-5)


@pytest.mark.parametrize(
    ("application", "machine", "question", "expected"),
    [
        ("kernel main {\n execute { things [1] } }", "", {},
         "a.aspen:2: no component of m.aspen has the resource 'things' under socket 'cpu' (there: flops, "),
        ("param n = -4\nkernel main {\n execute { flops [log(2 * n - 0.3)] } }", "", {},
         "a.aspen:3: log of -8.3 is not a number, where n = -4"),
        ("kernel main {\n\n execute [n - 2] { flops [1] } }\nparam n = 1", "", {}, "a.aspen:3: a block of -1 elements"),
        ("param n = 0\nparam m = 1 / n\nkernel main { execute [m] { flops [1] } }", "", {},
         "a.aspen:2: division by zero, where n = 0"),
        ("kernel main { execute [size] { flops [1] } }\nparam sizes = 4", "", {},
         "a.aspen:1: 'size' is not defined; did you mean 'sizes'?"),
        ("kernel main { call k(1) }\nkernel k(n) { call k(n + 1) }", "", {}, "a.aspen:2: more than 60 nested calls"),
        ("kernel a { }\nkernel b { }", "", {}, "a.aspen:1: 2 kernels; choose one: --kernel a, --kernel b"),
        ("kernel main { }",
         "socket old { }\nnode two { [1] cpu sockets [1] old sockets }\nmachine more { [2] two nodes }",
         {"machine": "more"}, "m.aspen:18: two kinds of sockets; choose one: --socket cpu, --socket old"),
        ("kernel main { }", "", {"socket": "cpo"}, "m.aspen:16: no socket is called 'cpo'; did you mean 'cpu'?"),
        ("kernel main { execute { flops [1] as lanes } }", "core pe2 { }", {}, None),
    ],
)  # fmt: skip
def test_mistakes(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, application: str, machine: str,
    question: dict[str, str], expected: str | None,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    text = (HERE / "hand_machine.aspen").read_text()
    if question.pop("machine", None):
        text = text.replace("machine hand", "// machine hand")
    (tmp_path / "a.aspen").write_text(application)
    (tmp_path / "m.aspen").write_text(text + machine)
    app, platform = aspen.read_application("a.aspen"), aspen.read_machine("m.aspen")
    if expected is None:
        (warning,) = app.cost(platform, **question).warnings
        assert warning.about == "trait" and "does not know the trait 'lanes' of flops" in warning.text
        return
    with pytest.raises(AspenError) as caught:
        app.cost(platform, **question)
    assert str(caught.value).startswith(expected)


def test_every_step_of_both_dialects_has_a_cost() -> None:
    """The models with all constructs: loops with counters, switches, samples, calls with arguments."""
    machine = aspen.read_machine(str(HERE / "models" / "tool_machine.aspen"))
    application = aspen.read_application(str(HERE / "models" / "tool_application.aspen"))
    assert application.cost(machine).totals["messages"] > 0
    amounts = application.set(P=8).amounts("main")
    assert amounts.resources["comm"] == 64**3 * 8 * amounts.resources["intracomm"] / (64 * 8)
    assert amounts.resources["flops"] == 64 * amounts.resources["intracomm"] / (64 * 8) + 64 * 63 / 2


def test_parameters_of_a_machine_go_before_defaults(tmp_path: pathlib.Path) -> None:
    """Under ORNL's rules the application's default counts, with a warning. A value that is set replaces both."""
    (tmp_path / "m.aspen").write_text((HERE / "hand_machine.aspen").read_text() + "param n = 400\n")
    machine = aspen.read_machine(str(tmp_path / "m.aspen"))
    assert APP.cost(machine, kernel="stream").seconds == pytest.approx(50 * 1500 / 10e9)
    cost = APP.cost(machine, kernel="stream", rules="ornl")
    assert cost.seconds == pytest.approx(STREAM) and [each.about for each in cost.warnings] == ["default"]
    assert APP.cost(machine, kernel="stream", n=8).seconds == pytest.approx(1500 / 10e9)


@pytest.mark.parametrize(
    ("need", "sent"),
    [
        ("comm [10] of size [8] as nn3d", 8 * (6 * 100 + 12 * 10 + 8)),
        ("comm [10] of size [8] as nn3d, face, periodic", 8 * 600),
        ("comm [10] of size [8] as nn2d, nodal, pwave", 8 * (4 * 20 + 4) / 2),
        ("comm [10] of size [8] as random", 80),
        ("messages [40] as nn1d comm [5] of size [8]", 80),
    ],
)
def test_comm_goes_over_the_network_of_messages(tmp_path: pathlib.Path, need: str, sent: float) -> None:
    """Two ranks of a node take turns on its connection; each need has the latency once."""
    (tmp_path / "a.aspen").write_text(f"kernel main {{ execute [8] {{ {need} }} }}\n")
    found = aspen.read_application(str(tmp_path / "a.aspen")).cost(MACHINE, P=8)
    needs = 2 if need.startswith("messages") else 1
    assert found.seconds == pytest.approx(2 * (sent / 2e9 + needs * 1e-6), rel=1e-12)
    assert found.totals["messages"] == found.seconds


def test_peaks_without_limit_are_null(tmp_path: pathlib.Path) -> None:
    from pysmpi.aspen.machine_info import machine_json

    (tmp_path / "m.aspen").write_text(
        "core pe { resource flops(x) [0 * x] }\nsocket cpu { core [2] pe }\nmachine m { socket [2] cpu }\n"
    )
    found = machine_json(aspen.read_machine(str(tmp_path / "m.aspen")))
    assert found["sockets"]["cpu"]["peaks"] == {"": None}


def test_sockets_linked_with_a_network_of_their_own(tmp_path: pathlib.Path) -> None:
    """A network that a socket is linked with is its link, and not the network of the nodes."""
    text = (HERE / "hand_machine.aspen").read_text().replace("[3] pe cores", "[3] pe cores linked with pcie")
    path = tmp_path / "m.aspen"
    path.write_text(f"interconnect pcie {{ latency [1 * micro] bandwidth [8 * giga] }}\n{text}")
    (tmp_path / "a.aspen").write_text("kernel main { execute [8] { intracomm [16e9] messages [2e9] } }\n")
    cost = aspen.read_application(str(tmp_path / "a.aspen")).cost(aspen.read_machine(str(path)))
    assert cost["main"].by_resource == {"intracomm": 2.0, "messages": pytest.approx(2.000002)}
    assert list(machine_json(aspen.read_machine(str(path)))["networks"]) == ["net"]


def test_traits_of_messages_mean_nothing_for_memory(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.aspen").write_text("kernel main { execute [8] { loads [8] as random messages [8] as random } }\n")
    (warned,) = aspen.read_application(str(tmp_path / "a.aspen")).cost(MACHINE).warnings
    assert warned.about == "trait" and "does not know the trait 'random' of loads" in warned.text
