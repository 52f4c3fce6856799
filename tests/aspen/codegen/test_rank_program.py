"""Programs that are written from applications take the simulated time of the application, to the bit."""

import functools
import pathlib
import subprocess
import sys

import pytest

import pysmpi
from pysmpi import aspen
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.program import main, write_program

HERE = pathlib.Path(__file__).parents[1]
ROOT = HERE.parents[1]
FFT, MD = (str(ROOT / "models" / name) for name in ("fft3d.aspen", "md.aspen"))
KEENELAND = f"{ROOT / 'models' / 'machines' / 'keeneland.aspen'}:numNodes=8"
PAPER, TOOL = (str(HERE / "models" / f"{name}_application.aspen") for name in ("paper", "tool"))
HAND, HAND_MACHINE = str(HERE / "hand_application.aspen"), str(HERE / "hand_machine.aspen")
TOOL_MACHINE = str(HERE / "models" / "tool_machine.aspen")

MIXED = """
param n = 1000
param steps = 3 in 1 .. 9
param weights[] = {1, 2 * n, 3}
param lambda = n / 7 + weights[1] / 3
param twice = 2 * later
param later = max(n, 5^2, 2^0.5, min(3)) - 3 * -n / 7
enum Mode { fast, exact }
param mode = exact in Mode
data field [8 * n]

kernel work(k, data d) {
  param local = k * inner
  param inner = lambda / 3
  exposes parallelism [n * 1.1]
  requires flops [local] as dp, simd
  requires loads [k + n / 3] of size [8] from d
  requires stores [n] to d
  requires loads [7]
}
kernel talk { execute [P] { messages [n * 8] as allReduce, sum flops [n / 3] } }
kernel rows { execute [n] { messages [8 * P] as allToAll, within(P^(1/2)) } }
kernel columns { execute [P] { messages [64 * P] as AllGather, within(P^(1/2), P^(1/2)) } }
kernel halo(s) { execute [P] { comm [s] of size [24] as nn2d, periodic, face } faces }
kernel faces { execute [2 * P] { messages [999] as nn3d, nodal } }
kernel wave { execute [P] { comm [3] of size [8] as nn1d, pwave } execute [P] { messages [100] as random } }
kernel pure { work(1, field) iterate [3] { work(2, field) work(n, field) } iterate i [4] { work(i, field) } }
kernel mixed { if (n > 3 and n < 10) { talk } else { pure work(3, field) } }
kernel cases { switch (mode) { [0] { talk } [1] { halo(4) } else { pure } } }
kernel chances { probability { [0.25] { talk } [0.5] { work(1, field) work(2, field) } else { wave } } }
kernel drawn { sample k from uniform(3, 5) work(k, field) }
kernel overlap { par { work(1, field) pure } map [3] { work(2, field) } map j [3] { work(j, field) } beside }
kernel beside { { pure, work(4, field) -> pure } }

control loops { iterate [steps] { rows -> columns -> halo(5) }
  iterate i [2] { halo(i) work(i, field) } seq { pure wave } }
control others { mixed -> cases  iterate [20] { chances } drawn }
control overlaps { overlap -> talk }
control parts {
  { talk -> pure, halo(3) -> work(1, field) -> rows, pure }
  { talk, pure }
  map [2] { columns -> work(1, field) }
  map j [2] { halo(j) }
  iterate [2] { { chances, { talk -> wave, rows } } }
}
control computes { iterate [2] { pure } { pure, drawn } }
"""


def both(application: str, ranks: int, platform: str, *words: str, path: pathlib.Path) -> tuple[float, float]:
    """Return the simulated times of an application and of its written program, which send equal messages."""
    given = [application, *words]
    program = path / "program.py"
    assert write_program([*given, "--write", str(program)], ranks)
    model = pysmpi.simulate(functools.partial(main, given), np=ranks, platform=platform, network_report=True)
    written = pysmpi.simulate(str(program), np=ranks, platform=platform, network_report=True)
    assert written.counters.messages == model.counters.messages
    assert written.network is not None and model.network is not None
    assert written.network.matrix.bytes.tolist() == model.network.matrix.bytes.tolist()
    return model.simulated_time, written.simulated_time


@pytest.mark.parametrize(
    ("application", "ranks", "words"),
    [
        (FFT, 16, ["n=2^8", "--control", "pencil"]),
        (FFT, 12, ["n=100", "Z=100", "--control", "slab"]),
        (FFT, 4, ["n=2^8", "--kernel", "localFFT"]),
        (MD, 16, ["atoms=5e4"]),
        (MD, 7, ["meshDim=30", "3DFFT.a=4"]),
    ],
)
def test_shipped_models(tmp_path: pathlib.Path, application: str, ranks: int, words: list[str]) -> None:
    model, written = both(application, ranks, KEENELAND, *words, "--machine", KEENELAND, path=tmp_path)
    assert model == written > 0


@pytest.mark.parametrize(
    ("application", "words"),
    [
        (HAND, ["--control", "twice"]),
        (HAND, ["--control", "copies"]),
        (HAND, ["--control", "branches", "n=40"]),
        (HAND, ["--control", "chances"]),
        (HAND, ["--kernel", "everywhere"]),
        (HAND, ["--kernel", "shuffle"]),
        (str(HERE / "models" / "imported.aspen"), []),
    ],
)
@pytest.mark.parametrize("machine", [HAND_MACHINE, TOOL_MACHINE])
def test_models_of_the_tests(tmp_path: pathlib.Path, application: str, words: list[str], machine: str) -> None:
    socket = ["--socket", "chip"] if machine == TOOL_MACHINE else []
    model, written = both(application, 8, machine, *words, "--machine", machine, *socket, path=tmp_path)
    assert model == written > 0


@pytest.mark.parametrize("control", ["loops", "others", "overlaps", "parts", "computes"])
@pytest.mark.parametrize("machine", [HAND_MACHINE, None])
def test_each_statement(tmp_path: pathlib.Path, control: str, machine: str | None) -> None:
    (tmp_path / "mixed.aspen").write_text(MIXED)
    words = ["--control", control, "--seed", "5", *(["--machine", machine] if machine else [])]
    model, written = both(str(tmp_path / "mixed.aspen"), 16, "torus:4,4:lat=1us:bw=4GBps", *words, path=tmp_path)
    assert model == written
    assert written > 0 or (machine is None and control == "computes")


def test_parameters_are_arguments(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "program.py"
    write_program([FFT, "n=64", "--control", "pencil", "--machine", KEENELAND, "--write", str(path)], 16)
    text = path.read_text()
    assert len(text.splitlines()) < 90 and "def localFFT():" in text and max(map(len, text.splitlines())) <= 120
    written = pysmpi.simulate(str(path), args=["--n", "128"], np=16, platform=KEENELAND).simulated_time
    model = aspen.read_application(FFT).program(aspen.read_machine(KEENELAND), control="pencil", n=128)
    assert pysmpi.simulate(model, np=16, platform=KEENELAND).simulated_time == written


def test_programs_run_for_real(tmp_path: pathlib.Path) -> None:
    (tmp_path / "mixed.aspen").write_text(MIXED)
    for control in ("loops", "parts"):
        path = tmp_path / f"{control}.py"
        write_program([str(tmp_path / "mixed.aspen"), "--control", control, "--write", str(path)], 4)
        mpiexec = pathlib.Path(sys.executable).parent / "mpiexec"
        if not mpiexec.exists():
            pytest.skip("no mpiexec")
        subprocess.run([mpiexec, "-n", "4", sys.executable, path], check=True, timeout=60)


def test_files_are_not_overwritten_and_endless_calls_are_errors(tmp_path: pathlib.Path) -> None:
    with pytest.raises(AspenError, match="refusing to overwrite an input file"):
        write_program([FFT, "--control", "slab", "--write", FFT], 4)
    (tmp_path / "a.aspen").write_text("param n = 1\nkernel main { if (n > 2) { main } execute { flops [1] } }\n")
    write_program([str(tmp_path / "a.aspen"), "--write", str(tmp_path / "p.py")], 4)
    (tmp_path / "a.aspen").write_text("param n = 3\nkernel main { if (n > 2) { main } execute { flops [1] } }\n")
    with pytest.raises(AspenError, match=r"a.aspen:2: more than 60 nested calls"):
        write_program([str(tmp_path / "a.aspen"), "--write", str(tmp_path / "p.py")], 4)
    with pytest.raises(AspenError, match="cannot write the program"):
        write_program([FFT, "--control", "slab", "--write", str(tmp_path / "no" / "p.py")], 4)
