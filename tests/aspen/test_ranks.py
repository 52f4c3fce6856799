"""Applications as programs of ranks, and machines as platforms."""

import functools
import os
import pathlib
import re

import pytest

import pysmpi
from pysmpi import aspen
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.program import check_program, main
from pysmpi.cli.arguments import parse
from pysmpi.cli.run import main as run
from pysmpi.errors import LaunchError
from pysmpi.platform import read

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parents[1] / "models"
KEENELAND = aspen.read_machine(str(MODELS / "machines" / "keeneland.aspen"))
APP = aspen.read_application(str(HERE / "hand_application.aspen"))
MACHINE = aspen.read_machine(str(HERE / "hand_machine.aspen"))

UNIT = """
core pe { flops [1 * giga] }
memory ram { bandwidth [1 * giga] }
interconnect net { latency [1 * nano] bandwidth [4 * giga] }
socket cpu { [1] pe cores ram memory }
node board { [1] cpu sockets connected with [1] of net }
machine unit { [16] board nodes }
"""


def write(folder: pathlib.Path, text: str) -> tuple[aspen.Application, aspen.Machine]:
    (folder / "a.aspen").write_text(text)
    (folder / "m.aspen").write_text(UNIT)
    return aspen.read_application(str(folder / "a.aspen")), aspen.read_machine(str(folder / "m.aspen"))


@pytest.mark.parametrize("question", [{"kernel": "stream"}, {"control": "twice"}, {"control": "copies"}])
def test_without_messages_the_time_is_that_of_the_formulas(question: dict[str, str]) -> None:
    program = APP.program(MACHINE, **question)
    result = pysmpi.simulate(program, np=8, platform=MACHINE)
    assert result.simulated_time == pytest.approx(APP.cost(MACHINE, **question, P=8).seconds, rel=1e-12)


def test_messages_overlap_with_computation(tmp_path: pathlib.Path) -> None:
    """An all-to-all of 1 s beside a computation of 0.7 s, after 0.1 s."""
    app, machine = write(
        tmp_path,
        "kernel first { exposes parallelism [P] requires flops [1e8] }\n"
        "kernel talk { exposes parallelism [P] requires messages [4e9] as AllToAll }\n"
        "kernel work { exposes parallelism [P] requires flops [7e8] }\n"
        "control main { first -> { talk, work } }\n",
    )
    alone = pysmpi.simulate(app.program(machine, kernel="talk"), np=16, platform=machine).simulated_time
    times = {pysmpi.simulate(app.program(machine), np=16, platform=machine).simulated_time for _ in range(2)}
    assert len(times) == 1 and alone > 0.9 and times.pop() == pytest.approx(0.1 + alone, rel=1e-3)


def test_parts_with_messages_and_computation_take_turns(tmp_path: pathlib.Path) -> None:
    """Loops and maps in parts side by side: all messages are received, and computation adds up."""
    app, machine = write(
        tmp_path,
        "kernel talk { exposes parallelism [P] requires messages [8000] as allReduce requires flops [1e6] }\n"
        "kernel halo { exposes parallelism [P] requires comm [10] of size [8] as nn2d, periodic }\n"
        "kernel work { exposes parallelism [P] requires flops [1e7] }\n"
        "control main { iterate [3] { { talk -> work, halo -> work -> talk, map [2] { halo -> work } } } }\n",
    )
    seconds = pysmpi.simulate(app.program(machine), np=4, platform=machine).simulated_time
    assert 3 * (4 * 1e-2 + 2e-3) < seconds < 0.15  # ranks that compute in another order wait for each other at the end


@pytest.mark.parametrize(("traits", "messages"), [("face", 288), ("nodal", 936), ("periodic", 1664)])
def test_neighbours_on_a_cube(tmp_path: pathlib.Path, traits: str, messages: int) -> None:
    app, machine = write(tmp_path, f"kernel main {{ execute [P] {{ comm [4] of size [8] as nn3d, {traits} }} }}\n")
    result = pysmpi.simulate(app.program(machine), np=64, platform="flat:64")
    assert result.counters.messages == messages


COLLECTIVES = [
    "allToAll",
    "allReduce",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "allGather",
    "reduceScatter",
    "scan",
]


@pytest.mark.parametrize("trait", [*COLLECTIVES, "random", "nn1d"])
def test_each_trait_sends_messages(tmp_path: pathlib.Path, trait: str) -> None:
    app, machine = write(
        tmp_path, f"kernel main {{ execute [P] {{ messages [4096] as {trait}, within(4, 2) flops [1] }} }}\n"
    )
    assert pysmpi.simulate(app.program(machine), np=8, platform=machine).counters.messages > 0


@pytest.mark.parametrize(
    ("need", "expected"),
    [
        ("messages [8]", "a.aspen:1: messages without a pattern can be costed, but not simulated; add 'as"),
        ("messages [8] as allToAll, within(3)", "a.aspen:1: within(3) needs whole groups, which 8 ranks do not"),
    ],
)  # fmt: skip
def test_mistakes_are_found_before_ranks_run(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], need: str, expected: str
) -> None:
    from pysmpi.cli.run import main as run

    write(tmp_path, f"kernel main {{ execute [P] {{ {need} }} }}\n")
    assert run(["-np", "8", "--platform", str(tmp_path / "m.aspen"), str(tmp_path / "a.aspen")]) == 2
    printed = capfd.readouterr().err
    assert printed.startswith(f"{tmp_path}/{expected}") and printed.count("\n") == 1


HAND_WRITTEN = """
import itertools

from mpi4py import MPI

comm = MPI.COMM_WORLD
sides = MPI.Compute_dims(comm.size, 3)
buffers = [bytearray(4096) for _ in range(2)]
here = [comm.rank % sides[0], comm.rank // sides[0] % sides[1], comm.rank // sides[0] // sides[1]]


def at(step):
    x, y, z = [(a + b) % side for a, b, side in zip(here, step, sides)]
    return (z * sides[1] + y) * sides[0] + x


steps = [step for step in itertools.product((-1, 0, 1), repeat=3) if sum(map(abs, step)) == 1]
for _ in range(5):
    requests = [comm.Irecv([buffers[0], 2048, MPI.BYTE], at([-s for s in step])) for step in steps]
    requests += [comm.Isend([buffers[1], 2048, MPI.BYTE], at(step)) for step in steps]
    MPI.Request.Waitall(requests)
"""


@pytest.mark.parametrize("form", ["loop", "kernel", "two kernels", "superstep"])
def test_a_halo_takes_the_time_of_a_hand_written_program(tmp_path: pathlib.Path, form: str) -> None:
    """Schedules of whole loops, of single rounds, and messages one by one take the same time."""
    body = {
        "loop": "kernel main { iterate [5] { execute [P] { HALO } } }",
        "kernel": "kernel halo { execute [P] { HALO } } kernel main { iterate [5] { halo } }",
        "two kernels": "kernel a { execute [P] { HALO } } kernel b { a } kernel main { iterate [2] { a b } b }",
        "superstep": "kernel main { iterate [5] { { execute [P] { HALO }, execute [1] { flops [0] } } } }",
    }[form]
    app, machine = write(tmp_path, body.replace("HALO", "comm [16] of size [8] as nn3d, face, periodic"))
    (tmp_path / "halo.py").write_text(HAND_WRITTEN)
    platform, cfg = "torus:4,3,2:bw=4GBps:lat=1us", ["smpi/simulate-computation:no"]
    found = pysmpi.simulate(app.program(machine), np=24, platform=platform, cfg=cfg)
    expected = pysmpi.simulate(str(tmp_path / "halo.py"), np=24, platform=platform, cfg=cfg)
    assert found.simulated_time == expected.simulated_time
    assert found.counters.messages == expected.counters.messages == 24 * 6 * 5


def test_alternatives_and_samples_are_drawn_from_the_seed(tmp_path: pathlib.Path) -> None:
    """About a quarter of 400 rounds has 8 messages, half has 1e6 operations, and a quarter neither."""
    app, machine = write(
        tmp_path,
        "kernel talk { execute [P] { messages [64] as nn1d, periodic } }\n"
        "control main { iterate [400] { probability { [0.25] { talk } [0.5] { execute [P] { flops [1e6] } } } } }\n"
        "kernel drawn { sample k from uniform(3, 5) execute [P] { flops [1e9 * k] } }\n",
    )
    messages, times = [], []
    for seed in ("1", "1", "2"):
        program = functools.partial(main, [app.path, "--machine", machine.path, "--seed", seed])
        result = pysmpi.simulate(program, np=4, platform=machine, cfg=["smpi/simulate-computation:no"])
        messages.append(result.counters.messages)
        times.append(result.simulated_time)
    assert messages[0] == messages[1] != messages[2] and times[0] == times[1] != times[2]
    assert 70 * 8 < messages[0] < 130 * 8 and messages[0] % 8 == 0 and 0.17 < times[0] < 0.23
    one, two = (
        pysmpi.simulate(
            functools.partial(main, [app.path, "--kernel", "drawn", "--machine", machine.path, "--seed", seed]),
            np=4, platform=machine,
        ).simulated_time
        for seed in ("1", "2")
    )  # fmt: skip
    assert 3 < one < 5 and 3 < two < 5 and one != two
    assert app.cost(machine, kernel="drawn", P=4).seconds == pytest.approx(4)


def test_a_thin_grid_is_told(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    app, machine = write(tmp_path, "kernel halo { execute [P] { comm [4] of size [8] as nn3d } }\n")
    pysmpi.simulate(app.program(machine), np=13, platform="flat:13")
    printed = capfd.readouterr().out
    assert "aspen: nn3d of 13 ranks is a grid of 13 × 1 × 1; a number of ranks with more divisors" in printed
    assert [line.split()[:1] for line in printed.splitlines()[1:3]] == [["kernel"], ["halo"]]
    pysmpi.simulate(app.program(machine), np=12, platform="flat:12")
    assert "a grid of" not in capfd.readouterr().out


def test_keeneland_as_a_platform() -> None:
    platform = KEENELAND.platform().build()
    assert len(platform.hosts) == 120 and platform.hosts[0].cores == 2
    assert platform.hosts[0].speed == pytest.approx(134.4e9)
    route = platform.route(platform.hosts[0].name, platform.hosts[-1].name)
    assert route.latency == pytest.approx(1e-6) and min(link.bandwidth for link in route.links) == pytest.approx(4e9)
    assert len(read(f"{MODELS / 'machines' / 'keeneland.aspen'}:numNodes=8:rails=2").hosts) == 8


def test_a_machine_as_a_file_of_a_platform(tmp_path: pathlib.Path) -> None:
    """Static watts are those of all sockets of a node, dynamic ones those of the sockets that compute."""
    text = (HERE / "hand_machine.aspen").read_text().replace("[2] cpu sockets", "[2] cpu sockets [3] gpu sockets")
    (tmp_path / "m.aspen").write_text(text + "socket gpu { [1] pe core static power [100] dynamic power [7] }\n")
    aspen.read_machine(str(tmp_path / "m.aspen")).platform("cpu").write(tmp_path / "m.xml")
    platform = read(tmp_path / "m.xml")
    assert len(platform.hosts) == 4 and platform.hosts[0].cores == 2
    assert platform.hosts[0].properties["wattage_per_state"] == "380.0:380.0:420.0"


def test_mistakes_on_the_command_line_are_one_line(tmp_path: pathlib.Path) -> None:
    app, _ = write(tmp_path, "kernel main { execute [P] { flops [1] } }\n")
    with pytest.raises(AspenError, match=r"^python -m pysmpi.aspen: unknown option '--contrl'; did you mean"):
        check_program([app.path, "--contrl", "main"], 2)
    with pytest.raises(LaunchError, match="option '--write' belongs to a program in Aspen; write it behind the file"):
        parse(["-np", "2", "--write", "p.py", app.path])
    machine = str(HERE / "hand_machine.aspen")
    chosen = parse(["-np", "2", "--platform", "m.aspen", app.path, f"--machine={machine}"]).parts[0]
    assert chosen.arguments == [app.path, f"--machine={machine}"]


def test_a_network_with_a_formula_of_its_time(tmp_path: pathlib.Path) -> None:
    """The bandwidth follows from the slope of the formula; one that is not positive is an error with a place."""
    text = UNIT.replace("latency [1 * nano] bandwidth [4 * giga]", "resource messages(x) [1 * micro + x / (3 * giga)]")
    (tmp_path / "m.aspen").write_text(text)
    platform = read(tmp_path / "m.aspen")
    route = platform.route(platform.hosts[0].name, platform.hosts[-1].name)
    assert route.latency == pytest.approx(1e-6) and min(link.bandwidth for link in route.links) == pytest.approx(3e9)
    (tmp_path / "m.aspen").write_text(text.replace("1 * micro +", "x / giga - 1 +"))
    with pytest.raises(AspenError, match=r"m.aspen:4: this network cannot be a platform: latency"):
        read(tmp_path / "m.aspen")
    (tmp_path / "m.aspen").write_text(text.replace("x / (3 * giga)", "x / 4 + x^2"))
    with pytest.raises(
        AspenError, match=r"m.aspen:4: seconds of messages must be linear .* but are 1 \* micro \+ x / 4 \+ x\^2"
    ):
        read(tmp_path / "m.aspen")
    (tmp_path / "m.aspen").write_text(UNIT.replace("[1] cpu", "[0] cpu"))
    with pytest.raises(AspenError, match=r"m.aspen:5: the number of 'cpu' is 0; a platform needs a whole"):
        read(tmp_path / "m.aspen")


def test_topologies_and_watts(tmp_path: pathlib.Path) -> None:
    platform = MACHINE.platform().build()
    assert platform.hosts[0].properties["wattage_per_state"] == "80.0:80.0:120.0"
    (tmp_path / "m.aspen").write_text((HERE / "hand_machine.aspen").read_text().replace("as torus", "as torus(3)"))
    with pytest.raises(AspenError, match=r"m.aspen:14: torus of 3 = 3 nodes, but the machine has 4"):
        read(tmp_path / "m.aspen")
    with pytest.raises(AspenError, match="an array of values can be costed, but not simulated"):
        pysmpi.simulate(APP.program(MACHINE, kernel="stream", n=[1.0, 2.0]), np=8, platform=MACHINE)


@pytest.mark.parametrize("ranks", [8, 5])
def test_energy_is_static_power_and_that_of_busy_sockets(tmp_path: pathlib.Path, ranks: int) -> None:
    """Nodes have two sockets of 40 W each, and 20 W more while a socket is busy; empty nodes take 80 W."""
    program = APP.program(MACHINE, kernel="stream")
    result = pysmpi.simulate(program, np=ranks, platform=MACHINE, cfg={"plugin": "host_energy"})
    seconds = result.simulated_time
    assert result.energy is not None and seconds > 0
    assert result.energy.total == pytest.approx(4 * 80 * seconds + ranks * 20 * seconds, rel=1e-9)


def test_commands_print_the_place_of_a_machine_that_is_no_platform(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from pysmpi.cli.main import main as command

    (tmp_path / "m.aspen").write_text(UNIT.replace("[1] cpu", "[0] cpu"))
    assert command(["platform", "info", str(tmp_path / "m.aspen")]) == 2
    problem = "the number of 'cpu' is 0; a platform needs a whole number above 0"
    assert capfd.readouterr().err == f"{tmp_path}/m.aspen:5: {problem}\n"


def test_times_of_kernels_add_up_to_the_simulated_time(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Computation belongs to its kernel, not to the messages after it; on a slow host it takes longer."""
    app, machine = write(
        tmp_path,
        "kernel work { execute [P] { flops [3e9] } }\nkernel swap { execute [P] { messages [1e9] as allToAll } }\n"
        "control main { work -> swap -> work }\n",
    )
    for slow, factor in (("1", 1.0), ("0.5", 2.0)):
        words = ["-np", "8", "--platform", os.fspath(machine), "--slow-host", f"*:{slow}", app.path]
        assert run(words) == 0
        printed = capfd.readouterr()
        rows = {line.split()[0]: float(line.split()[-1]) for line in printed.out.splitlines()[2:4]}
        seconds = re.search(r"simulated time ([\d.]+) s", printed.err)
        assert seconds is not None and sum(rows.values()) == pytest.approx(float(seconds[1]), rel=1e-4)
        assert rows["work"] == pytest.approx(6 * factor) and rows["swap"] < 0.5


def test_a_model_as_a_program_in_python_and_in_jobs(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The platform's machine computes; mistakes are found before ranks run."""
    app, machine = write(tmp_path, "param n = 4\nkernel main { execute [P * n] { flops [1e9] } }\n")
    assert pysmpi.simulate(app.path, np=4, platform=os.fspath(machine), args=["n=2"]).simulated_time == 2.0
    with pytest.raises(AspenError, match="no kernel is called 'mian'; did you mean 'main'"):
        pysmpi.simulate(app.path, np=4, platform=os.fspath(machine), args=["--kernel", "mian"])
    jobs = tmp_path / "jobs.toml"
    jobs.write_text("[[jobs]]\nname = 'one'\nprogram = 'a.aspen'\nranks = 4\narguments = ['n=3']\n")
    assert run(["--platform", os.fspath(machine), "--jobs", str(jobs)]) == 0
    assert "simulated time 3 s" in capfd.readouterr().err
