"""Files that describe several jobs."""

import pathlib

import pytest

from pysmpi import JobDescription
from pysmpi.errors import LaunchError
from pysmpi.experiments.jobs_file import read_jobs


def test_what_a_file_says(tmp_path: pathlib.Path) -> None:
    """Paths begin at its folder; what is not said has a default."""
    (tmp_path / "jobs.toml").write_text("[[jobs]]\nprogram = 'a/p.py'\nranks = 2\nstart = 1\nhosts = ['node-*']\n")
    assert read_jobs(tmp_path / "jobs.toml") == [
        JobDescription(str(tmp_path / "a" / "p.py"), 2, "p", start=1, hosts=["node-*"])
    ]


def test_in_python_too() -> None:
    """Values are looked at wherever they come from."""
    with pytest.raises(LaunchError, match="ranks = 0 is less than 1"):
        JobDescription("p.py", 0)
    with pytest.raises(LaunchError, match="ranks = '2' is not a whole number"):
        JobDescription("p.py", "2")  # type: ignore[arg-type]
    with pytest.raises(LaunchError, match="hosts = 'node-0' is not a list of texts"):
        JobDescription("p.py", 2, hosts="node-0")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[[jobs]]\nprogram = 'p.py'\nrank = 2\n",
            r"jobs.toml:3: job 1 \(p.py\): unknown key 'rank'; did you mean 'ranks'",
        ),
        ("[[jobs]]\nprogram = 'p.py'\n", r"jobs.toml:1: job 1 \(p.py\): ranks is missing"),
        ("[[jobs]]\nprogram = 'p.py'\nranks = '2'\n", r"ranks = '2' is not a whole number"),
        (
            "[[jobs]]\nprogram = 'p.py'\nranks = 2\n" * 2 + "mapping = 'any'\nname = 'q'\n",
            r":7: job 2 \(q\): unknown mapping 'any'",
        ),
        ("jobs = [{program = 'p.py', ranks = 0}]\n", r"jobs.toml:1: job 1 \(p.py\): ranks = 0 is less than 1"),
        ("[[jobs]]\nprogram = 'p.py'\nranks = 2\n" * 2, r"jobs.toml:4: job 2 \(p.py\): another job is named 'p'"),
        ("[[job]]\nprogram = 'p.py'\n", r"jobs.toml:1: unknown key 'job'; did you mean 'jobs'"),
        ("[[jobs]]\nprogram = 'p.py'\nranks = 2\nstart = nan\n", r"start = nan is not a number of seconds from 0 to"),
        (
            "[[jobs]]\nprogram = 'p.py'\nranks = 2\nhostfile = 'h'\nmapping = 'random'\n",
            r"jobs.toml:5: .* the hostfile says where each rank goes; random is for hosts",
        ),
        ("jobs = 3\n", r"there are no jobs; each is a table \[\[jobs\]\]"),
        ("[[jobs]\n", r"jobs.toml:1: not valid TOML"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: pathlib.Path, text: str, message: str) -> None:
    """The error names the file, the job, and what is valid."""
    (tmp_path / "jobs.toml").write_text(text)
    with pytest.raises(LaunchError, match=message):
        read_jobs(tmp_path / "jobs.toml")
