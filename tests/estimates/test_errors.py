"""Programs that cannot be followed: one line with place, function and remedy."""

from pathlib import Path

import pytest

from pysmpi.estimates import EstimateError, depends_on_all, estimate, estimate_rule, rules


def failing(tmp_path: Path, text: str, **options: object) -> str:
    program = tmp_path / "program.py"
    program.write_text(f"import numpy as np\na = np.ones((4, 4))\n{text}\n")
    with pytest.raises(EstimateError) as caught:
        estimate(program, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(program), "program.py")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("b = np.linalg.eig(a + 1)", ["program.py:3: ", "numpy.linalg.eig has no rule", "estimate_rule"]),
        ("a.tofile('out.bin')", ["program.py:3: ", "array leaves NumPy here (ndarray.tofile)"]),
        ("np.save('out.npy', a)", ["program.py:3: ", "array leaves NumPy here (numpy.save)"]),
        ("import scipy.ndimage\nscipy.ndimage.gaussian_filter(a, 1)", ["program.py:4: ", "array leaves NumPy here"]),
        ("memoryview(a)", ["program.py:3: ", "array leaves NumPy here (memoryview)"]),
        ("import zlib\nb = 1 + zlib.crc32(a + 1)", ["program.py:4: ", "array leaves NumPy here (zlib.crc32)"]),
        (
            "import ctypes\nf = ctypes.CDLL(None).abs\nf.argtypes = [np.ctypeslib.ndpointer()]\nf(a)",
            ["program.py:6: ", "array leaves NumPy here (f)"],
        ),
        ("a.__array_interface__", ["program.py:3: ", "array leaves NumPy here (a.__array_interface__)"]),
        ("known = {id(a): 1}", ["program.py:3: ", "address of an array (id)"]),
        ("a < [None] * 4", ["program.py:3: ", "the program failed: TypeError"]),
        ("import pickle\npickle.dumps(a)", ["program.py:4: ", "array leaves NumPy here (pickle)"]),
        ("b = a.astype(object)\nb + 1", ["program.py:4: ", "dtype 'object'"]),
        ("np.array(['a', 'b'])", ["program.py:3: ", "dtype '<U1'"]),
        ("np.random.shuffle(a)", ["program.py:3: ", "shuffle of an array with several axes"]),
        ("import threading", ["program.py:3: ", "threading"]),
        ("a.byteswap()", ["program.py:3: ", "ndarray.byteswap has no rule"]),
        ("1 / 0", ["program.py:3: ", "ZeroDivisionError: division by zero"]),
        ("raise SystemExit(3)", ["program.py:3: ", "exit status 3"]),
    ],
)
def test_program_that_cannot_be_followed(tmp_path: Path, text: str, parts: list[str]) -> None:
    message = failing(tmp_path, text)
    for part in parts:
        assert part in message
    assert [each.name for each in tmp_path.iterdir()] == ["program.py"]


def test_nothing_traced(tmp_path: Path) -> None:
    assert "nothing was traced" in failing(tmp_path, "x = 1")


def test_too_many_nodes(tmp_path: Path) -> None:
    assert "4 x 4 elements, which 32 nodes cannot divide" in failing(tmp_path, "a[...] = a + 1", nodes=[32])


def test_memory(tmp_path: Path) -> None:
    assert "--memory" in failing(tmp_path, "a[...] = a + 1", memory=100)


@pytest.mark.parametrize(
    ("arguments", "sizes", "message"),
    [
        (["{n}"], {}, "the argument {n} has no values; give --size n="),
        (["{num}"], {"nun": [1]}, "the program's arguments have no {nun}; did you mean 'num'?"),
        (["{n}", "{m}"], {"n": [1, 2, 3], "m": [1, 2]}, "2 values, but another parameter has 3"),
    ],
)
def test_sizes(arguments: list[str], sizes: dict[str, list[int]], message: str) -> None:
    with pytest.raises(EstimateError, match=message.replace("{", r"\{").replace("?", r"\?")):
        estimate("program.py", arguments, sizes=sizes)


def test_blocks_and_nodes_disagree() -> None:
    with pytest.raises(EstimateError, match="--blocks 2x2 has 4 parts, but --nodes asks for 8"):
        estimate("program.py", nodes=[8], blocks=[2, 2])


def test_added_rule(tmp_path: Path) -> None:
    import numpy as np

    @estimate_rule(np.linalg.eigvalsh)
    def eigenvalues(a: object) -> object:
        return depends_on_all(np.linalg.eigvalsh, a)

    try:
        program = tmp_path / "program.py"
        program.write_text("import numpy as np\na = np.eye(6)\nb = np.linalg.eigvalsh(a + 1)\n")
        assert estimate(program, nodes=[2]).rows[0].usual.run == 2 * 18
    finally:
        del rules.ADDED[np.linalg.eigvalsh]


def test_file_of_rules(tmp_path: Path) -> None:
    import numpy as np

    file, program = tmp_path / "rules.py", tmp_path / "program.py"
    file.write_text("""\
import numpy
import pysmpi
from pysmpi.estimates import depends_on_all

pysmpi.estimate_rule(numpy.linalg.eigvals)(lambda a: depends_on_all(numpy.linalg.eigvals, a))
""")
    program.write_text("import numpy as np\na = np.eye(6)\nb = np.linalg.eigvals(a + 1)\n")
    try:
        assert estimate(program, nodes=[2], rules=file).rows[0].usual.run > 0
    finally:
        del rules.ADDED[np.linalg.eigvals]
    with pytest.raises(EstimateError, match=r"none.py: cannot read the program"):
        estimate(program, rules=tmp_path / "none.py")


@pytest.mark.parametrize("name", ["speed", "bandwidth"])
def test_rates_are_finite(name: str) -> None:
    with pytest.raises(EstimateError, match=f"{name}: inf is not a positive, finite number"):
        estimate("program.py", **{name: float("inf")})


def test_size_that_fits_is_named(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys\nimport numpy as np\na = np.ones(int(sys.argv[1]))\na += 1\n")
    with pytest.raises(EstimateError, match=r"program.py:4: .* edges, more than --memory allows .* \(n=100 fits\)"):
        estimate(program, ["{n}"], sizes={"n": [10, 100, 1000]}, nodes=[2], memory=64 * 500)


def test_probe(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    text = "import numpy as np\na = np.random.rand(64)\nfor _ in range(3):\n    a[1:] = np.FUNCTION(a)\n"
    words = []
    for name, probe in (("diff", []), ("ediff1d", ["numpy.ediff1d"])):
        program.write_text(text.replace("FUNCTION", name))
        found = estimate(program, nodes=[4], cut="blocks", probe=probe, compare=True)
        assert found.differences == []
        words.append(found.at(4).words)
    assert words == [3, 3]
    assert "showed which results of numpy.ediff1d depend on it (--probe)" in found.warnings[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("np.linalg.eig(a)", "program.py:3: numpy.linalg.eig cannot be probed: it refuses NaN"),
        ("np.ediff1d(a.astype(int))", "program.py:3: numpy.ediff1d cannot be probed: an argument has integers"),
        (
            "np.ediff1d(np.zeros(5000))",
            "program.py:3: numpy.ediff1d cannot be probed: its arguments have more than 4,096",
        ),
    ],
)
def test_probe_that_is_impossible(tmp_path: Path, text: str, message: str) -> None:
    assert message in failing(tmp_path, text, probe=["numpy.linalg.eig", "numpy.ediff1d"])
