"""Tests of apps/hpl under pysmpirun, with real numbers and with modelled computation."""

import json
import pathlib
import re
import subprocess
import sys
from types import SimpleNamespace

import matgen
import numpy as np
import pytest

import pysmpi
from pysmpi.study import Study
from pysmpi.study.analysis import factors_without_effect, main_effects

HPL = pathlib.Path(__file__).parents[2] / "apps" / "hpl" / "hpl.py"
FREE = {"smpi/simulate-computation": "no"}
RESULT = re.compile(r"^W\S+\s+\d+\s+\d+\s+\d+\s+\d+\s+(\S+)\s+(\S+)", re.MULTILINE)
PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node-" suffix="" radical="0-63" speed="1Gf" bw="10Gbps" lat="1us"
           loopback_bw="5120MiBps" loopback_lat="1.5E-9s" topology="FAT_TREE" topo_parameters="2;8,8;1,8;1,1"/>
</platform>
"""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Return a fat tree of 64 hosts."""
    path = tmp_path_factory.mktemp("platform") / "fattree.xml"
    path.write_text(PLATFORM)
    return path


def pysmpirun(platform: pathlib.Path, ranks: int, arguments: str) -> str:
    """Run hpl.py in a simulation, and return what it prints."""
    command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "-np", str(ranks), "--platform", str(platform)]
    if "--published-model" in arguments:
        command.append("--cfg=smpi/simulate-computation:no")
    result = subprocess.run([*command, str(HPL), *arguments.split()], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.parametrize(("ranks", "arguments"), [(4, "--n 500"), (6, "--n 100 --nb 7 --p 3 --q 2"), (1, "--n 30")])
def test_exact_solution(platform: pathlib.Path, tmp_path: pathlib.Path, ranks: int, arguments: str) -> None:
    output = pysmpirun(platform, ranks, f"{arguments} --exact --solution {tmp_path}/x.npy")
    assert output.count("PASSED") == 1
    n = int(arguments.split()[1])
    alone = SimpleNamespace(p=1, q=1, my_row=0, my_column=0)
    system = matgen.generate(alone, n, n)  # type: ignore[arg-type]
    expected = np.linalg.solve(system[:, :n], system[:, n])
    np.testing.assert_allclose(np.load(tmp_path / "x.npy"), expected, rtol=1e-9, atol=1e-9 * abs(expected).max())


def test_all_modules_are_shared(platform: pathlib.Path) -> None:
    """A private module would cost each rank its import and its memory."""
    command = [sys.executable, "-m", "pysmpi.cli.run", "-v", "-np", "4", "--platform", str(platform), str(HPL)]
    result = subprocess.run([*command, "--n", "100"], capture_output=True, text=True, check=True)
    assert "module rates: shared by all ranks" in result.stderr
    assert "private to each rank" not in result.stderr


def test_modelled_run_is_deterministic(platform: pathlib.Path) -> None:
    """Two runs print the same output in HPL's format, because no measured time enters the result."""
    first, second = (pysmpirun(platform, 64, "--n 2000 --p 8 --q 8") for _ in range(2))
    assert first == second
    match = RESULT.search(first)
    assert match is not None
    seconds, gflops = (float(group) for group in match.groups())
    assert gflops == pytest.approx((2 / 3 * 2000**3 + 3 / 2 * 2000**2) / seconds / 1e9, rel=1e-5)
    assert "1 tests completed without checking" in first


def test_a_row_of_processes_looks_ahead(platform: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """One process row exchanges no rows; with a look-ahead of one panel the solution takes no longer than without."""
    seconds = []
    for depth in (0, 1):
        words = f"t t f 6 1 1500 1 120 0 1 1 4 16.0 1 0 1 2 1 2 1 0 1 1 1 {depth} 2 64 0 0 1 8"
        (tmp_path / "HPL.dat").write_text(words.replace(" ", "\n"))
        match = RESULT.search(pysmpirun(platform, 4, f"--c-gemm 1e-10 --c-trsm 5e-11 {tmp_path}/HPL.dat"))
        assert match is not None
        seconds.append(float(match[1]))
    assert 0.5 * seconds[0] < seconds[1] <= seconds[0]


def test_one_modelled_rank_takes_what_its_model_says(platform: pathlib.Path) -> None:
    output = pysmpirun(platform, 1, "--n 4 --nb 2 --c-gemm 1 --c-trsm 100")
    # Panels are two columns wide, so the recursion ends at once. Update of panel 1: three columns to the right
    # (b included), dtrsm of order 2, dgemm 2×3×2. Update of panel 2: the column b only, and no rows below.
    expected = 100 * 3 * 2**2 + 2 * 3 * 2 + 100 * 1 * 2**2
    match = RESULT.search(output)
    assert match is not None
    assert float(match[1]) == pytest.approx(expected, abs=1e-5)


def test_more_ranks_are_faster(platform: pathlib.Path) -> None:
    peak = 0.9  # Gflop/s: the part of the host's speed that dgemm reaches
    speeds = []
    for ranks in (1, 4, 16, 64):
        match = RESULT.search(pysmpirun(platform, ranks, "--n 3000"))
        assert match is not None
        speeds.append(float(match[2]))
        assert speeds[-1] < ranks * peak
    assert speeds == sorted(speeds)


def gflops(output: str) -> float:
    match = RESULT.search(output)
    assert match is not None
    return float(match[2])


def on_flat(speed: str, *more: str, arguments: str = "--n 600") -> subprocess.CompletedProcess[str]:
    """Run hpl.py on four hosts of a speed."""
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", "4", "--platform", f"flat:4:speed={speed}:bw=100Gbps"]
    command += [*more, str(HPL), *arguments.split()]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_products_take_the_speed_of_the_platform() -> None:
    runs = [on_flat(speed, "--quiet").stdout for speed in ("10Gf", "40Gf", "80Gf")]
    rates = [gflops(text) for text in runs]
    assert rates[0] < 40
    assert 2 * rates[0] < rates[1] < rates[2]
    assert "dgemm reaches 0.9 of the host's 40 Gflop/s" in runs[1]
    assert gflops(on_flat("40Gf", "--quiet", arguments="--n 600 --efficiency 0.45").stdout) < rates[1]


def test_explicit_coefficients_scale_with_the_host_only_if_told() -> None:
    fixed = [on_flat(speed, "--quiet", arguments="--n 600 --c-gemm 1e-10").stdout for speed in ("10Gf", "40Gf")]
    assert gflops(fixed[0]) == gflops(fixed[1])
    assert "the same on every host" in fixed[0]
    scaled = on_flat("40Gf", "--quiet", arguments="--n 600 --c-gemm 1e-10 --c-speed 10e9").stdout
    assert gflops(scaled) == gflops(on_flat("40Gf", "--quiet", arguments="--n 600 --c-gemm 2.5e-11").stdout)
    assert "measured on a host of 10 Gflop/s" in scaled


BLAS_FIT = {"measurements": 2, "r_squared": None, "largest_relative_error": None}


def blas_model(path: pathlib.Path, *routines: str) -> str:
    """Write a model of a host of 20 Gf with these routines, and return its path."""
    sizes = {"dgemm": "mnk", "dtrsm": "mnk", "dgemv": "mn", "idamax": "n", "dscal": "n", "dlaswp": "nk"}
    terms = {"dgemm": 1e-10, "dtrsm": 5e-11, "dgemv": 1e-9, "idamax": 1e-9, "dscal": 1e-9, "dlaswp": 1e-9}
    model = {
        "format": "pysmpi-blas-model-1", "machine": "m", "library": "l", "date": "d", "speed": 2e10,
        "routines": {
            name: {
                "seconds": {"*".join(sizes[name]): terms[name]},
                "fit": {**BLAS_FIT, "range": {size: [1, 10_000] for size in sizes[name]}},
            }
            for name in routines
        },
    }  # fmt: skip
    path.write_text(json.dumps(model))
    return str(path)


def test_a_blas_model_gives_the_times(tmp_path: pathlib.Path) -> None:
    model = blas_model(tmp_path / "blas.json", "dgemm", "dtrsm")
    run = on_flat("40Gf", "--verbose", "--blas", model)
    by_hand = on_flat("40Gf", arguments="--n 600 --c-gemm 1e-10 --c-trsm 5e-11 --c-speed 2e10")
    assert gflops(run.stdout) == pytest.approx(gflops(by_hand.stdout), rel=1e-6)
    assert "--blas gives the time of dgemm, dtrsm" in run.stdout
    assert re.search(r"calls that took the model's time: dgemm \(", run.stderr)
    every = on_flat(
        "40Gf", "--verbose", "--blas", blas_model(tmp_path / "all.json", "dgemm", "dtrsm", "dgemv", "idamax", "dlaswp")
    )
    assert gflops(every.stdout) < 0.97 * gflops(run.stdout)
    for routine in ("dgemv", "idamax", "dlaswp"):
        assert f"{routine} (" in every.stderr


@pytest.mark.parametrize("model", [False, True])
def test_a_study_its_effects_what_if_and_pairs_of_runs_agree(tmp_path: pathlib.Path, *, model: bool) -> None:
    """Twice the speed and twice the bandwidth have one answer, whoever is asked."""
    blas = blas_model(tmp_path / "blas.json", "dgemm", "dtrsm") if model else None
    words = ["--n", "600", "--nb", "120", "--p", "2", "--q", "2"]
    (tmp_path / "study.toml").write_text(
        f"program = {str(HPL)!r}\narguments = {words!r}\n"
        + (f"blas = {blas!r}\n" if blas else "")
        + "platform = 'flat:4:speed={{speed}}:bw={{bandwidth}}'\n"
        "fixed = { ranks = 4, cfg = { 'smpi/simulate-computation' = 'no' } }\n"
        "factors = { platform = { speed = ['10Gf', '20Gf'], bandwidth = ['1Gbps', '2Gbps'] } }\n"
    )
    table = Study.read(tmp_path / "study.toml").run(tmp_path / "results")
    of_study = {(row["platform.speed"], row["platform.bandwidth"]): row["simulated_time"] for row in table}

    def directly(speed: str, bandwidth: str) -> float:
        platform = f"flat:4:speed={speed}:bw={bandwidth}"
        return pysmpi.simulate(str(HPL), args=words, np=4, platform=platform, blas=blas, cfg=FREE).simulated_time

    pairs = [("10Gf", "1Gbps"), ("20Gf", "1Gbps"), ("10Gf", "2Gbps"), ("20Gf", "2Gbps")]
    times = [directly(*pair) for pair in pairs]
    assert [of_study[pair] for pair in pairs] == pytest.approx(times, rel=1e-9)
    found = pysmpi.what_if(
        str(HPL), ["speed*2", "bandwidth*2", "speed*2 bandwidth*2"], args=words, np=4,
        platform="flat:4:speed=10Gf:bw=1Gbps", blas=blas, cfg=FREE,
    )  # fmt: skip
    assert [each.simulated_time for each in found.variations] == pytest.approx(times, rel=1e-9)
    assert factors_without_effect(table, "simulated_time") == []
    means = {effect.factor: list(effect.means) for effect in main_effects(table, "simulated_time")}
    slow, fast, wide, both = times
    assert means["platform.speed"] == pytest.approx([(slow + wide) / 2, (fast + both) / 2], rel=1e-9)
    assert means["platform.bandwidth"] == pytest.approx([(slow + fast) / 2, (wide + both) / 2], rel=1e-9)


def test_a_blas_model_that_is_not_used_is_reported(tmp_path: pathlib.Path) -> None:
    model = blas_model(tmp_path / "blas.json", "dgemm")
    run = on_flat("40Gf", "--blas", model, arguments="--n 600 --c-gemm 1e-10")
    assert "no effect: --blas" in run.stderr
    assert "lacks dgemm" in on_flat("1Gf", "--blas", blas_model(tmp_path / "s.json", "dscal")).stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("--efficiency 0.9 --c-gemm 1e-10", "--efficiency has no effect"),
        ("--c-trsm 1e-10", "--c-trsm needs --c-gemm"),
        ("--exact --c-gemm 1e-10", "--c-gemm has no effect"),
        ("--published-model 1e-10,1e-10 --efficiency 1", "--efficiency has no effect"),
        ("--efficiency 0", "above 0 and at most 1"),
        ("--c-gemm 1e-10 --c-speed 0", "above 0"),
    ],
)
def test_options_without_effect_are_refused(arguments: str, problem: str) -> None:
    run = on_flat("1Gf", arguments=f"--n 100 {arguments}")
    assert run.returncode != 0
    assert problem in run.stderr


OPTIONS = {  # ranks, and HPL.dat's lines; lists are combined
    "factorisations, L1 transposed": (4, "1 60 1 8 0 1 2 2 16.0 3 0,1,2 2 1,3 1 2 3 0,1,2 1 0 1 0 2 64 0 0 1 8"),
    "factorisations, L1 not transposed": (4, "1 60 1 8 0 1 2 2 16.0 3 0,1,2 1 3 1 3 3 0,1,2 1 0 1 0 2 64 1 0 1 1"),
    "broadcasts and look-ahead": (15, "1 61 1 4 1 1 3 5 16.0 1 2 1 2 1 2 1 1 6 0,1,2,3,4,5 2 0,2 1 64 0 1 1 8"),
    "binary exchange": (13, "1 61 1 4 0 3 6,5,13 2,2,1 16.0 1 2 1 2 1 2 1 1 1 1 2 0,1 0 64 0 1 1 8"),
    "spread and roll": (12, "1 64 1 4 0 3 7,12,3 1,1,4 16.0 1 2 1 2 1 2 1 1 1 4 2 0,3 1 64 0 0 0 8"),
    "mix": (6, "1 90 1 4 0 1 3 2 16.0 1 0 1 2 1 2 1 0 1 3 1 1 2 20 1 1 1 8"),
}


@pytest.mark.parametrize("options", OPTIONS)
def test_every_option_passes_the_residual(platform: pathlib.Path, tmp_path: pathlib.Path, options: str) -> None:
    ranks, words = OPTIONS[options]
    (tmp_path / "HPL.dat").write_text(f"t t f 6 {words}".replace(" ", "\n").replace(",", " "))
    output = pysmpirun(platform, ranks, f"--exact {tmp_path}/HPL.dat")
    passed = re.search(r"(\d+) tests completed and passed", output)
    assert passed is not None
    assert int(passed[1]) == output.count("PASSED") > 0
    assert "FAILED" not in output


# The modified HPL (Ezibenroc/hpl at 4177490, level 3, dgemm 1.658198e-10, dtrsm 8.624970e-11) under SMPI 3.32 on this
# fat tree: N, P, Q, options as in HPL.dat, HPL's time in seconds, and how many messages and polls there are in all.
PUBLISHED_PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="ft" prefix="n" suffix="" radical="0-63" speed="10Gf" bw="12.5GBps" lat="1us" topology="FAT_TREE"
           topo_parameters="3;4,4,4;1,4,2;1,1,1" loopback_bw="10GBps" loopback_lat="100ns"/>
</platform>
"""
PUBLISHED: list[tuple[int, int, int, dict[str, int], float, int, int]] = [
    (1000, 1, 4, {}, 0.032596639, 87, 120),
    (1000, 4, 1, {}, 0.030419291, 8182, 0),
    (1000, 2, 2, {}, 0.029431561, 2108, 76),
    (1000, 3, 5, {}, 0.059269703, 5638, 612),
    (1000, 8, 8, {}, 0.10631038, 27738, 4043),
    (1000, 2, 8, {"pmap": 1}, 0.024732538, 2498, 500),
    (1000, 3, 4, {"swap": 0}, 0.055874322, 5403, 461),
    (1000, 6, 3, {"swap": 1, "equil": 0, "rfact": 1, "ndiv": 3, "l1": 1}, 0.07935159, 14658, 652),
    (1000, 4, 4, {"l1": 1, "u": 1}, 0.046717137, 8799, 517),
    (1000, 4, 4, {"u": 1, "rfact": 0}, 0.046717137, 8799, 517),
    (1000, 4, 4, {"depth": 1}, 0.05426387, 8856, 583),
    (1000, 4, 4, {"depth": 2}, 0.061684873, 8900, 649),
    (1000, 5, 5, {"depth": 1, "bcast": 3}, 0.078895773, 12409, 1050),
    (1000, 7, 2, {"depth": 1, "bcast": 1, "nbmin": 8}, 0.060225729, 18282, 312),
    (1000, 3, 7, {"bcast": 2, "threshold": 500}, 0.062671914, 5702, 847),
    (2000, 2, 4, {"bcast": 4, "depth": 1}, 0.114287744, 4794, 0),
    (2000, 2, 4, {"bcast": 5}, 0.09438112, 4564, 0),
]
SEVERAL_A_HOST = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="mc" prefix="n" suffix="" radical="0-7" core="8" speed="10Gf" bw="12.5GBps" lat="1us" topology="FAT_TREE"
           topo_parameters="2;4,2;1,2;1,1" loopback_bw="20GBps" loopback_lat="300ns"/>
</platform>
"""


@pytest.mark.smpi
@pytest.mark.parametrize(
    ("machine", "n", "p", "q", "options", "seconds", "messages", "polls"),
    [*((PUBLISHED_PLATFORM, *each) for each in PUBLISHED), (SEVERAL_A_HOST, 300, 8, 8, {}, 0.01759886, 8761, 973)],
)
def test_published_model_takes_smpis_time(
    tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
    machine: str,
    n: int,
    p: int,
    q: int,
    options: dict[str, int],
    seconds: float,
    messages: int,
    polls: int,
) -> None:
    """Message by message and poll by poll, the time equals that of the C program under SMPI to the last digit."""
    (tmp_path / "platform.xml").write_text(machine)
    usual = {"pmap": 0, "nbmin": 2, "ndiv": 2, "rfact": 2, "bcast": 0, "depth": 0, "swap": 2, "threshold": 64}
    chosen = SimpleNamespace(**usual | {"l1": 0, "u": 0, "equil": 1} | options)
    words = (
        f"t t f 6 1 {n} 1 120 {chosen.pmap} 1 {p} {q} 16.0 1 1 1 {chosen.nbmin} 1 {chosen.ndiv} 1 {chosen.rfact} "
        f"1 {chosen.bcast} 1 {chosen.depth} {chosen.swap} {chosen.threshold} {chosen.l1} {chosen.u} {chosen.equil} 8"
    )
    (tmp_path / "HPL.dat").write_text(words.replace(" ", "\n"))
    result = pysmpi.simulate(
        HPL,
        np=p * q,
        platform=tmp_path / "platform.xml",
        cfg={"smpi/simulate-computation": "no"},
        args=["--published-model", "1.658198e-10,8.624970e-11", str(tmp_path / "HPL.dat")],
    )
    match = RESULT.search(capsys.readouterr().out)
    assert match is not None
    assert float(match[1]) == pytest.approx(seconds, abs=2e-9)
    found = -(-n // 120) * p * (q - 1) if polls else 0  # each process gets each panel of other process columns once
    assert (result.counters.messages, result.counters.failed_probes) == (messages, polls - found)


def test_host_speed_scales_the_published_model(platform: pathlib.Path, tmp_path: pathlib.Path) -> None:
    times = []
    for speed in ("", ",1e9", ",5e8"):  # the platform's hosts do 1 Gflop/s
        output = pysmpirun(platform, 1, f"--published-model 1e-9,1e-9{speed} --n 500 --nb 50")
        match = RESULT.search(output)
        assert match is not None
        times.append(float(match[1]))
    assert times[1] == times[0]
    assert times[2] == pytest.approx(times[0] / 2, rel=1e-6)


def test_a_failed_residual_fails_the_run(platform: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A threshold that cannot be met prints FAILED with the norms, and the exit status is 1."""
    words = "t t f 6 1 20 1 4 0 1 1 1 1e-9 1 0 1 2 1 2 1 0 1 0 1 0 2 64 0 0 1 8"  # one a line
    (tmp_path / "HPL.dat").write_text(words.replace(" ", "\n"))
    command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "-np", "1", "--platform", str(platform)]
    result = subprocess.run(
        [*command, str(HPL), "--exact", str(tmp_path / "HPL.dat")], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "FAILED" in result.stdout
    assert "||A||_oo" in result.stdout
    assert "1 tests completed and failed residual checks" in result.stdout
