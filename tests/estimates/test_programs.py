"""Traced programs compute the same numbers as untraced ones, to the bit."""

import importlib.util
from pathlib import Path

import pytest

from pysmpi.estimates.comparison import differences
from pysmpi.estimates.running import run_program

_SPEC = importlib.util.spec_from_file_location("estimate_programs", Path(__file__).with_name("programs.py"))
assert _SPEC is not None and _SPEC.loader is not None
_MODULE = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)
PROGRAMS: dict[str, str] = _MODULE.PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_the_untraced_program(name: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import numpy as np\n{PROGRAMS[name]}")
    run = run_program(program, [])
    assert differences(program, [], run) == []
    assert run.output


def test_a_difference_is_found(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import numpy as np\na = np.ones(3) * 2\nb = type(a).__name__\nprint(b)\n")
    assert differences(program, [], run_program(program, [])) == [
        "the traced program prints something else in line 1: 'TracedArray' instead of 'ndarray'"
    ]


def test_modules_of_the_program_are_traced_too(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(
        "from numpy import zeros\nimport numpy.linalg as la\ndef start(n):\n    return zeros(n)\n"
    )
    program = tmp_path / "program.py"
    program.write_text("import part\nu = part.start(4)\nu[1:] = u[:-1] + 1\nprint(part.la.norm(u))\n")
    run = run_program(program, [])
    assert run.output == "1.7320508075688772\n"
    assert len(run.recorder.source) > 3
