"""The notebooks run at their smallest scale, and are kept without output."""

import json
import pathlib
import sys

import pytest

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "notebook"
SMALLEST = {'SCALE = "small"': 'SCALE = "tiny"'}


@pytest.mark.parametrize("name", ["first_steps", "capacity_planning", "codesign", "estimate"])
def test_without_output(name: str) -> None:
    """No cell has been run: what is shown never goes stale."""
    for cell in json.loads((NOTEBOOKS / f"{name}.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None


@pytest.mark.filterwarnings("ignore")  # of the clients' own sockets and loops
@pytest.mark.parametrize(
    ("name", "pictures"), [("first_steps", 2), ("capacity_planning", 4), ("codesign", 2), ("estimate", 1)]
)
def test_executed(name: str, pictures: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cell runs, and every figure is drawn."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    monkeypatch.setenv("PYTHONPATH", ":".join(filter(None, sys.path)))
    for folder in ("apps", "platforms", "calibration"):
        (tmp_path / folder).symlink_to(NOTEBOOKS.parent / folder)
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4)
    for cell in notebook.cells:
        for text, smallest in SMALLEST.items():
            cell.source = cell.source.replace(text, smallest)
    client = nbclient.NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in shown) == pictures
    assert not [output["text"] for output in shown if output.get("name") == "stderr"]
