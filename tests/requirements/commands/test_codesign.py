"""The command ``pysmpi codesign``: output, JSON and exit status."""

import json
import pathlib

import pytest

from pysmpi.cli.main import main

CODES = str(pathlib.Path(__file__).parents[1] / "codesign" / "codes.toml")
STRAWMEN = str(pathlib.Path(__file__).parents[1] / "codesign" / "strawmen.toml")
BASE = ["--processes", "65536", "--memory", "2GB"]


def test_upgrade(capsys: pytest.CaptureFixture[str]) -> None:
    """A table for each model, with a linear program to compare with, and how the formulas are known."""
    assert main(["codesign", "upgrade", CODES, *BASE, "--upgrade", "wide: processes*4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "lulesh: 65,536 processes with 2e9 bytes each: n = 1,843.605, problem 1.20822e8" in lines
    assert "  A: double the racks          1        2       1   1.2635   1.2635    1.0625" in lines
    assert sum(line.startswith("    linear program") for line in lines) == 12
    assert sum(line.startswith("  wide ") for line in lines) == 3
    assert "  formulas: memory, flops, sent, accesses as written in the file" in lines


def test_upgrade_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for _ in range(2):
        assert main(["codesign", "upgrade", CODES, *BASE, "--json"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    lulesh = json.loads(outputs[0])["models"]["lulesh"]
    assert list(lulesh) == ["base", "upgrades"] and list(lulesh["upgrades"]) == ["A", "B", "C"]
    point = lulesh["upgrades"]["B"]
    assert list(point) == ["fits", "processes", "memory", "n", "problem", "ratios"]
    assert point["fits"] is True and point["processes"] == 131072 and point["memory"] == 1e9
    assert list(point["ratios"]) == ["n", "problem", "memory", "flops", "sent", "accesses"]
    assert point["ratios"]["flops"] == pytest.approx(0.6318, abs=1e-4)


def test_leading_powers_need_no_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["codesign", "upgrade", CODES, "--leading", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["models"]["relearn"]
    assert found["upgrades"]["B"]["ratios"]["accesses"] == 0.5 and found["base"] is None
    assert main(["codesign", "upgrade", CODES, "--leading", *BASE, "--json"]) == 0
    with_base = json.loads(capsys.readouterr().out)["models"]["relearn"]
    assert with_base["upgrades"]["B"]["ratios"] == found["upgrades"]["B"]["ratios"]
    assert with_base["base"]["n"] == pytest.approx(4e6)
    assert main(["codesign", "upgrade", CODES, "--leading"]) == 0
    assert "relearn: leading powers, at any base machine" in capsys.readouterr().out


def test_systems(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["codesign", "systems", CODES, "--systems", STRAWMEN]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  same problem everywhere, 1.25454e10: parallel 21.7151 s, vector 21.5063 s, hybrid 23.2414 s" in lines
    assert main(["codesign", "systems", CODES, "--systems", STRAWMEN, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["models", "benchmark"]
    vector = found["models"]["kripke"]["vector"]
    assert vector == {
        "fits": True, "processes": 50000000, "memory": 200000000, "n": 2000, "problem": 1e11,
        "seconds": {"flops": 1}, "bottleneck": "flops",
    }  # fmt: skip
    assert found["benchmark"]["models"]["kripke"] == {"problem": 1e11, "seconds": dict.fromkeys(SYSTEM_NAMES, 1)}


SYSTEM_NAMES = ("parallel", "vector", "hybrid")


def test_problems_that_are_too_small_for_a_system(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "systems.toml"
    path.write_text(
        "[few]\nprocesses = 2\nmemory = 1e6\nflops = 1e9\n[many]\nprocesses = 1e9\nmemory = 1e6\nflops = 1e9\n"
    )
    assert main(["codesign", "systems", CODES, "--systems", str(path)]) == 0
    assert "  same problem everywhere, 20: few 0.1 s, many has less than n = 1 a process" in capsys.readouterr().out
    path.write_text("[few]\nproceses = 2\nmemory = 1e6\n")
    assert main(["codesign", "systems", CODES, "--systems", str(path)]) == 2
    assert f"{path}:1: system 'few' has no processes; did you mean 'proceses'?" in capsys.readouterr().err


def test_what_does_not_fit_is_reported(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything else is answered, and the exit status is 1."""
    path = tmp_path / "big.toml"
    path.write_text('[big]\nmemory = "1e6*p + n"\nflops = "n*log2(p)"\n[small]\nmemory = "8*n"\nflops = "n"\n')
    assert main(["codesign", "upgrade", str(path), *BASE]) == 1
    printed = capsys.readouterr().out
    assert "does not fit, even with n = 1; on up to 1,999 processes it does" in printed
    assert "small: 65,536 processes with 2e9 bytes each: n = 2.5e8" in printed and "nan" not in printed
    assert main(["codesign", "systems", str(path), "--systems", STRAWMEN, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["models"]["big"]["vector"] == {
        "fits": False, "processes": 50000000, "memory": 200000000, "largest_processes": 199,
    }  # fmt: skip
    assert list(found["benchmark"]["models"]) == ["small"]


def test_formulas_that_are_not_exact_are_marked(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "found.toml"
    path.write_text(
        '[a]\nmemory = { formula = "8*n", exact = true, error = 1e-15, largest = { p = 64, n = 100 } }\n'
        'flops = { formula = "n", exact = false, error = 0.05, largest = { p = 64, n = 1000000000 } }\n'
    )
    assert main(["codesign", "upgrade", str(path), *BASE]) == 0
    expected = "formulas: memory exact; flops extrapolated within 5 % and far beyond the measurements ! verify"
    assert expected in capsys.readouterr().out


def test_pictures(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    upgrades, systems = tmp_path / "u.svg", tmp_path / "s.svg"
    assert main(["codesign", "upgrade", CODES, *BASE, "--plot", str(upgrades), "--json"]) == 0
    assert main(["codesign", "systems", CODES, "--systems", STRAWMEN, "--plot", str(systems)]) == 0
    assert "<svg" in upgrades.read_text() and "<svg" in systems.read_text()


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("2*lg2(n)", ":2:13: unknown function 'lg2'; did you mean 'log2'?"),
        ("2*n*ranks", ":2:15: unknown parameter 'ranks' (valid: p, n)"),
        ("min(n, 5)", ":2:11: memory 'min(n, 5)' stays below 2e+09 bytes for every n"),
    ],
)
def test_mistakes_in_files(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], formula: str, expected: str
) -> None:
    """The line begins with file, line and column, and the exit status is 2."""
    path = tmp_path / "m.toml"
    path.write_text(f'[a]\nmemory = "{formula}"\n')
    assert main(["codesign", "upgrade", str(path), *BASE]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith(f"{path}{expected}") and printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["upgrade", CODES], "the base machine is required"),
        (["upgrade", CODES, "--processes", "1.5", "--memory", "1"], "option --processes: '1.5' is not a whole number"),
        (["upgrade", CODES, "--processes", "4", "--memory", "2GX"], "option --memory: '2GX' has the unknown unit"),
        (["upgrade", CODES, *BASE, "--upgrade", "A: memory*2"], "two upgrades have the name 'A'"),
        (["upgrade", CODES, *BASE, "--upgrade", "few: processes/1e6"], "upgrade 'few' leaves 0.065536 processes"),
        (["upgrade", CODES, *BASE, "--plot", "x.gif"], "unknown format of a picture 'gif'"),
        (["upgrade", CODES, CODES, *BASE], "model 'kripke' is in another file, too"),
        (["upgrade", "none.toml", *BASE], "cannot read 'none.toml'"),
        (["systems", CODES], "--systems"),
    ],
)
def test_mistakes_in_words(capsys: pytest.CaptureFixture[str], words: list[str], expected: str) -> None:
    assert main(["codesign", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and expected in printed.err


def test_a_model_without_memory(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.toml"
    path.write_text('[a]\nmemry = "n"\n')
    assert main(["codesign", "upgrade", str(path), *BASE]) == 2
    assert capsys.readouterr().err == f"{path}:1: model 'a' has no formula named memory; did you mean 'memry'?\n"


def test_rates_that_serve_no_formula_are_noted(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.toml"
    path.write_text("[a]\nprocesses = 4\nmemory = 1e9\nflps = 1e9\n")
    assert main(["codesign", "systems", CODES, "--systems", str(path), "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == f"{path}:4: note: no model has a formula named 'flps'; did you mean 'flops'?\n"
    assert json.loads(printed.out)["models"]["kripke"]["a"]["fits"]
