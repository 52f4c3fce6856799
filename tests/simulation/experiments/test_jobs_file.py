"""Tests of job files."""

import pathlib

import pytest

from pysmpi import JobDescription
from pysmpi.errors import LaunchError
from pysmpi.simulation.experiments.jobs_file import read_jobs


def test_what_a_file_says(tmp_path: pathlib.Path) -> None:
    (tmp_path / "jobs.toml").write_text("[[jobs]]\nprogram = 'a/p.py'\nranks = 2\nstart = 1\nhosts = ['node-*']\n")
    assert read_jobs(tmp_path / "jobs.toml") == [
        JobDescription(str(tmp_path / "a" / "p.py"), 2, "p", start=1, hosts=["node-*"])
    ]


def test_in_python_too() -> None:
    with pytest.raises(LaunchError, match="ranks = 0 is too small; the least valid value is 1"):
        JobDescription("p.py", 0)
    with pytest.raises(LaunchError, match="ranks = '2' is not a whole number"):
        JobDescription("p.py", "2")  # type: ignore[arg-type]
    with pytest.raises(LaunchError, match="hosts = 'node-0' is not a list of strings"):
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
        (
            "jobs = [{program = 'p.py', ranks = 0}]\n",
            r"jobs.toml:1: job 1 \(p.py\): ranks = 0 is too small; the least valid value is " r"1",
        ),
        (
            "[[jobs]]\nprogram = 'p.py'\nranks = 2\n" * 2,
            r"jobs.toml:4: job 2 \(p.py\): the name 'p' is used by another " r"job",
        ),
        ("[[job]]\nprogram = 'p.py'\n", r"jobs.toml:1: unknown key 'job'; did you mean 'jobs'"),
        (
            "[[jobs]]\nprogram = 'p.py'\nranks = 2\nstart = nan\n",
            r"start = nan is not valid; write a number of seconds from 0 " r"to",
        ),
        (
            "[[jobs]]\nprogram = 'p.py'\nranks = 2\nhostfile = 'h'\nmapping = 'random'\n",
            r"jobs.toml:5: .* mapping 'random' is not valid with a hostfile",
        ),
        ("jobs = 3\n", r"no jobs found; describe each job in a table \[\[jobs\]\]"),
        ("[[jobs]\n", r"jobs.toml:1: not valid TOML"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: pathlib.Path, text: str, message: str) -> None:
    (tmp_path / "jobs.toml").write_text(text)
    with pytest.raises(LaunchError, match=message):
        read_jobs(tmp_path / "jobs.toml")
