"""Tests of saved runs, and of the page that pysmpi report makes from them."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest

from pysmpi.cli.main import main
from pysmpi.simulation.instruments.saved_run.saved_run import SavedRunError, read_run

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SOURCE = """
    import sys
    import numpy as np
    from mpi4py import MPI
    import pysmpi
    comm = MPI.COMM_WORLD
    with pysmpi.phase("<b>work</b>"):
        pysmpi.execute(0.1 if comm.rank else 0.3)
    comm.Barrier()  # </script><script>document.title = "broken"</script>
    comm.Sendrecv(np.zeros(10**5), (comm.rank + 1) % comm.size, recvbuf=np.zeros(10**5))
"""


@pytest.fixture
def saved(pysmpirun, tmp_path: pathlib.Path) -> pathlib.Path:
    """Return the directory of a saved run."""
    run = pysmpirun("-np", "3", "--cfg=smpi/simulate-computation:no", "--cfg=network/model:LV08", "--save-run", "run",
                    "program.py", "some", "words", source=SOURCE)  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "profile:" not in run.stderr
    return tmp_path / "run"


def test_a_saved_run_holds_what_the_run_tells(saved: pathlib.Path) -> None:
    run = read_run(saved)
    assert run.result["program"].endswith("program.py some words")
    assert run.result["ranks"] == 3
    assert [phase["name"] for phase in run.result["phases"]] == ["<b>work</b>"]
    origins = {setting["name"]: (setting["value"], setting["origin"]) for setting in run.settings}
    assert origins["network/model"] == ("LV08", "command line")
    assert run.profile["findings"][0]["kind"] == "slow rank"
    assert sum(sum(row) for row in run.profile["ranks"]["seconds"]) == pytest.approx(
        3 * run.result["simulated_time"], rel=0.01
    )
    computed = [sum(row) for row in run.overview["seconds"]["computation"]]
    assert computed == pytest.approx([0.3, 0.1, 0.1], rel=1e-4)
    assert run.matrix["ranks"] == 3
    assert {link["name"] for link in run.links}
    assert sorted(path.name for path in saved.iterdir()) == [
        "network", "overview.json", "profile.json", "result.json", "settings.json"
    ]  # fmt: skip
    assert not [path for path in saved.parent.iterdir() if path.name.startswith(".run")]


def test_the_page_needs_nothing_else(saved: pathlib.Path, capsys) -> None:
    assert main(["report", str(saved)]) == 0
    target = saved / "report.html"
    assert capsys.readouterr().out == f"{target}\n"
    text = target.read_text()
    assert not re.search(r"(src|href)=[\"'](?!#|data:)", text)
    assert "http://www.w3.org/2000/svg" in text  # a name, not an address
    assert len(re.findall(r"https?://", re.sub(r'"data:[^"]*"', "", text))) == 1
    assert '<script>document.title = "broken"' not in text
    assert text.count("</script>") == 2


@pytest.mark.memory
@pytest.mark.skipif(BROWSER is None, reason="no Chromium to load the page in")
def test_a_browser_shows_the_page(saved: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert BROWSER is not None
    assert main(["report", str(saved), "-o", str(tmp_path / "page.html")]) == 0
    run = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'browser'}",
         "--virtual-time-budget=5000", "--dump-dom", (tmp_path / "page.html").as_uri()],
        capture_output=True, text=True, timeout=100, check=True,
    )  # fmt: skip
    shown = run.stdout
    for section in ("summary", "findings", "time", "timeline", "places", "balance", "path", "waits", "phases", "links",
                    "matrix", "settings"):  # fmt: skip
        assert f'<section id="{section}">' in shown, section
    assert "rank 0 (host node0) computes for 300 ms" in shown
    assert "program.py:9" in shown
    assert 'href="data:image/png;base64,' in shown.partition('<section id="timeline">')[2].partition("</section>")[0]
    assert "&lt;b&gt;work&lt;/b&gt;" in shown
    assert "<title>program.py some words on" in shown.replace("broken", "")
    assert '<td class="wide">LV08</td>' in shown


def test_directories_that_no_run_has_left(tmp_path: pathlib.Path, capsys) -> None:
    with pytest.raises(SavedRunError, match="the directory does not exist; write one with pysmpirun --save-run DIR"):
        read_run(tmp_path / "nowhere")
    assert main(["report", str(tmp_path)]) == 2
    assert "result.json: the file does not exist; name a directory written by" in capsys.readouterr().err
    (tmp_path / "result.json").write_text("{")
    with pytest.raises(SavedRunError, match=r"result\.json:1: not valid JSON: Expecting property name"):
        read_run(tmp_path)
    (tmp_path / "result.json").write_text(json.dumps({"version": 99}))
    with pytest.raises(SavedRunError, match="not written by this version of pysmpi"):
        read_run(tmp_path)
    assert SavedRunError.slug == "saved-run"


def test_a_run_is_saved_where_nothing_is(saved: pathlib.Path, pysmpirun) -> None:
    run = pysmpirun("-np", "1", "--save-run", "run", "program.py", source="print('runs')")
    assert run.returncode == 2
    assert "--save-run run: already exists and is not an empty directory" in run.stderr
    assert "runs" not in run.stdout


def test_a_profile_on_the_terminal_and_in_a_file(pysmpirun, tmp_path: pathlib.Path) -> None:
    run = pysmpirun("-np", "3", "--cfg=smpi/simulate-computation:no", "--profile=p.json", "program.py", source=SOURCE)
    assert run.returncode == 0, run.stderr
    for text in ("profile: the ranks' time:", "profile: slow rank: rank 0", "program.py:9", "comm.Barrier()",
                 "profile: load balance:", "profile: critical path,"):  # fmt: skip
        assert text in run.stderr
    document = json.loads((tmp_path / "p.json").read_text())
    assert len(document["by_rank"]["rank"]) == len(document["by_rank"]["seconds"])
    bad = pysmpirun("-np", "1", "--profile=no/p.json", "program.py")
    assert bad.returncode == 2
    assert "no/p.json: cannot write the profile: No such file or directory" in bad.stderr


@pytest.mark.parametrize("option", ["--profile", "--network-report", "--save-run=run"])
def test_traces_have_no_profile(pysmpirun, option: str) -> None:
    run = pysmpirun("--replay", "traces", option)
    assert run.returncode == 2
    assert f"--replay and {option.partition('=')[0]} do not go together" in run.stderr


def test_a_saved_run_that_is_damaged(saved: pathlib.Path, capsys) -> None:
    (saved / "profile.json").write_text("{}")
    assert main(["report", str(saved)]) == 2
    assert "damaged, or written by another version of pysmpi" in capsys.readouterr().err
