"""Ranks that fail, print and display in a kernel of Jupyter: the error is raised in the cell, and the kernel lives."""

import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

FAILS = "pysmpi.simulate({}, np=2, platform='flat:2')"
BAD = "def bad():\n    secret = 42\n    raise ValueError('no luck')\n"
CELLS = {
    "import": "import os, sys, threading\nimport pysmpi",
    **{f"raise {number}": FAILS.format("lambda: 1/0") for number in range(5)},
    "named": BAD + FAILS.format("bad"),
    "file": "def missing():\n    open('/nonexistent')\n" + FAILS.format("missing"),
    "deadlock": "def waits():\n    from mpi4py import MPI\n    MPI.COMM_WORLD.recv(source=0)\n" + FAILS.format("waits"),
    "exit": FAILS.format("lambda: sys.exit(3)") + ".exit_status",
    "script": "with open('bad.py', 'w') as file:\n    file.write('import mpi4py.MPI\\nraise KeyError(1)\\n')\n"
    + FAILS.format("'bad.py'"),
    "jobs": "pysmpi.simulate_jobs([pysmpi.JobDescription('bad.py', 1, name='a')], platform='flat:2')",
    "what-if": "pysmpi.what_if(bad, ['links*2'], np=2, platform='flat:2')",
    "replicas": "pysmpi.replicate(bad, 2, np=2, platform='flat:2')",
    "own hook": """\
        def hooked():
            import time
            def hook(*error):
                time.sleep(1)  # ranks that fail meanwhile are stopped here
                print("own hook:", error[1])
            sys.excepthook = hook
            raise ValueError("late")
        pysmpi.simulate(hooked, np=3, platform='flat:3')""",
    "host": """\
        import warnings
        from IPython.display import HTML, display
        def uses_host():
            from mpi4py import MPI
            rank = MPI.COMM_WORLD.rank
            print("printed", rank, os.getpid() == 100_000 + rank, flush=True)
            display(HTML(f"<b>{rank}</b>"))
            sys.displayhook(rank)
            warnings.warn("careful")
            sys.excepthook(ValueError, ValueError("shown"), None)
            thread = threading.Thread(target=lambda: [][1])
            thread.start()
            thread.join()
            class Careless:
                def __del__(self):
                    raise ValueError("ignored")
            Careless()
            return rank, MPI.Wtime()
        pysmpi.simulate(uses_host, np=2, platform='flat:2').values[1][0]""",
    "input": FAILS.format("lambda: input('name? ')"),
    "post mortem": "%pdb on\n" + FAILS.format("bad"),
    "alive": "%pdb off\nimport asyncio\nawait asyncio.sleep(0)\nprint('alive')",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[Any]]]:
    """The outputs of the cells, which one kernel runs."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    import textwrap

    cells = [nbformat.v4.new_code_cell(textwrap.dedent(text)) for text in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    folder = str(tmp_path_factory.mktemp("kernel"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", ":".join(filter(None, sys.path)))
        client = nbclient.NotebookClient(
            notebook, timeout=60, kernel_name="python3", allow_errors=True, resources={"metadata": {"path": folder}}
        )
        client.execute()
    yield dict(zip(CELLS, (cell.outputs for cell in notebook.cells), strict=True))


def errors(shown: list[Any]) -> list[tuple[str, str, str]]:
    """Return the name, the text and the plain traceback of each error."""
    return [
        (each.ename, each.evalue, re.sub(r"\x1b\[[\d;]*m", "", "\n".join(each.traceback)))
        for each in shown
        if each.output_type == "error"
    ]


def printed(shown: list[Any], stream: str) -> str:
    return "".join(each.text for each in shown if each.output_type == "stream" and each.name == stream)


pytestmark = pytest.mark.filterwarnings("ignore")  # of the client's own sockets and loops


def test_errors_of_ranks(outputs: dict[str, list[Any]]) -> None:
    """Five times in a row, and in other forms, the cell raises the rank's error, with the rank's traceback."""
    expected = {
        **{f"raise {number}": ("ZeroDivisionError: division by zero", "1/0") for number in range(5)},
        "named": ("ValueError: no luck", "secret = 42"),
        "file": ("FileNotFoundError: [Errno 2] No such file or directory: '/nonexistent'", "open('/nonexistent')"),
        "script": ("KeyError: 1", "raise KeyError(1)"),
        "jobs": ("KeyError: 1", "raise KeyError(1)"),
        "own hook": ("ValueError: late", 'raise ValueError("late")'),
    }
    for name, (error, source) in expected.items():
        ((kind, text, trace),) = errors(outputs[name])
        assert (kind, text) == ("RankError", f"rank 0 (host node-0) raised {error}")
        assert source in trace
        assert "pysmpi/" not in trace  # no frame of ours
        assert printed(outputs[name], "stderr").startswith(f"rank 0 (host node-0) raised {error.split(':')[0]};")
    assert "own hook: late\n" in printed(outputs["own hook"], "stdout")


def test_other_ends(outputs: dict[str, list[Any]]) -> None:
    ((kind, text, trace),) = errors(outputs["deadlock"])
    assert kind == "DeadlockError"
    assert "rank 0 waits for itself" in text
    assert "pysmpi/" not in trace
    assert [each.data["text/plain"] for each in outputs["exit"]] == ["3"]
    ((kind, text, trace),) = errors(outputs["what-if"])
    assert (kind, "ValueError: no luck" in text, "pysmpi/" in trace) == ("SimulationError", True, False)
    assert "raise ValueError('no luck')" in printed(outputs["what-if"], "stderr")  # from the process of the run
    ((kind, text, trace),) = errors(outputs["replicas"])
    assert (kind, "ValueError: no luck" in text) == ("SimulationError", True)


def test_host_in_ranks(outputs: dict[str, list[Any]]) -> None:
    """Output, displayed objects and hooks of the host work in ranks; the ranks' own process ids do not reach them."""
    shown = outputs["host"]
    assert printed(shown, "stdout") == "printed 0 True\nprinted 1 True\n"
    assert [each.data["text/html"] for each in shown if each.output_type == "display_data"] == ["<b>0</b>", "<b>1</b>"]
    results = [each.data["text/plain"] for each in shown if each.output_type == "execute_result"]
    assert sorted(results) == ["0", "1", "1"]  # by sys.displayhook, and that of the cell
    assert [text for _, text, _ in errors(shown)] == ["shown", "shown"]
    noise = printed(shown, "stderr")
    assert (noise.count("UserWarning: careful"), noise.count("IndexError: list index")) == (2, 2)
    assert noise.count("ValueError: ignored") == 2
    assert "pysmpi/" not in noise
    ((kind, text, _),) = errors(outputs["input"])
    assert (kind, "StdinNotImplementedError" in text) == ("RankError", True)


def test_post_mortem(outputs: dict[str, list[Any]]) -> None:
    """``%pdb`` begins in the frame of the rank that failed."""
    assert "raise ValueError" in re.sub(r"\x1b\[[\d;]*m", "", printed(outputs["post mortem"], "stdout"))
    assert printed(outputs["alive"], "stdout").endswith("alive\n")
