"""Tests of tools/mpi4py_suite.py, which reports the outcome of each test and module."""

import os
import pathlib
import runpy
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).parents[2]

MAIN = """
    import importlib, re, sys, unittest

    (module,) = [name for name in ("test_address", "test_info", "test_op") if re.search(sys.argv[-1], f"/{name}.py")]
    unittest.main(module=importlib.import_module(module), argv=["main.py", "-v"])
"""
GOOD = """
    import unittest
    from mpi4py import MPI

    class TestAddress(unittest.TestCase):
        def testAintAdd(self):
            self.assertEqual(MPI.Aint_add(1, 2), 3)
        def testNone(self):
            self.skipTest("why not")
        @unittest.skipIf(MPI.COMM_WORLD.size > 1, "mpi-world-size>1")
        def testForOne(self):
            pass
"""
ONE_RANK_FAILS = """
    import unittest
    from mpi4py import MPI

    class TestInfo(unittest.TestCase):
        def testCreate(self):
            self.assertNotEqual(MPI.COMM_WORLD.rank, 1)
        def testParts(self):
            with self.subTest("the first"):
                raise ValueError
        def testStay(self):
            pass
"""
DIES = """
    import os, unittest

    class TestOp(unittest.TestCase):
        def testA(self):
            pass
        def testB(self):
            os.abort()
"""


@pytest.fixture
def suite(tmp_path: pathlib.Path):
    """Run the tool on a suite of three modules; return its output and exit status."""
    (tmp_path / "test").mkdir()
    modules = {"main": MAIN, "test_address": GOOD, "test_info": ONE_RANK_FAILS, "test_op": DIES}
    for name, source in modules.items():
        (tmp_path / "test" / f"{name}.py").write_text(textwrap.dedent(source))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "tools" / "mpi4py_suite.py"), "--source", str(tmp_path), *words]
        paths = os.pathsep.join(filter(None, sys.path))
        environment = os.environ | {"PYTHONPATH": paths, "PYTHONFAULTHANDLER": "1"}  # `make sanitize` has it off
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=100)

    return run


def test_what_fails_dies_or_is_missing_is_named(suite) -> None:
    """Failures on one rank or in a subtest count, and so do tests that a rank did not reach when the module died."""
    ended = suite("--sizes", "2")
    header, row, *lines = ended.stdout.splitlines()
    counts = dict(zip(header.split()[:6], row.split(), strict=False))
    assert counts == {"ranks": "2", "run": "7", "executed": "2", "skipped": "2", "failed": "1", "errors": "2"}
    assert "test_info on 2 ranks: test_info.TestInfo.testCreate: fail; test_info.TestInfo.testParts: error" in lines
    assert "test_op on 2 ranks: it died of SIGABRT; test_op.TestOp.testA: error" in lines
    assert any(line.endswith("in testB") for line in lines)
    assert "test_address on 2 ranks: test_address.TestAddress.testNone: skipped, 'why not'" in lines
    assert "test_address.TestAddress.testNone: skip (on 2 ranks; a real MPI passes it)" in lines
    assert "test_address.TestAddress.testBottom: not run (on 2 ranks; a real MPI passes it)" in lines
    assert not [line for line in lines if line.startswith("test_address.TestAddress.testAintAdd")]
    assert ended.returncode == 1
    for said in ("test_address: 1 ok, 2 skip", "test_info: 1 ok, 1 fail, 1 error", "test_op: 1 error"):
        assert said in ended.stderr


def test_a_module_that_takes_too_long_is_ended(suite) -> None:
    ended = suite("--sizes", "1", "--include", "address", "--limit", "0.01")
    assert "test_address on 1 ranks: it was ended after 0.01 s" in ended.stdout.splitlines()
    assert ended.returncode == 1


def test_a_notice_of_a_slow_test_is_not_its_outcome() -> None:
    parse = runpy.run_path(str(ROOT / "tools" / "mpi4py_suite.py"))["parse"]
    printed = "[0] testA (test_op.TestOp.testA) ... pysmpi: no simulated progress for 11 s: rank 0\nok\n"
    assert parse(printed, 1) == {"test_op.TestOp.testA": "ok"}


def test_without_a_package_index_it_says_so(tmp_path: pathlib.Path) -> None:
    """The exit status is 3, on which tests are skipped, and the reason is printed."""
    (tmp_path / "tools").mkdir()
    tool = tmp_path / "tools" / "mpi4py_suite.py"
    tool.write_text((ROOT / "tools" / "mpi4py_suite.py").read_text())
    environment = os.environ | {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    ended = subprocess.run([sys.executable, str(tool)], env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 3
    assert ended.stderr.startswith("cannot fetch the source archive of mpi4py 4.1.2: ERROR: ")
