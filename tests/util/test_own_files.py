"""Reading of files in somebody else's directory."""

import os
from pathlib import Path

import pytest

from pysmpi.util.own_files import names_of, read_own


def test_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_bytes(b"content")
    assert read_own(tmp_path, "a", "b", "c") == b"content"
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert read_own(tmp_path / "link", "b", "c") == b"content"  # the user names the directory
    assert names_of(tmp_path) == ["a", "link"] and names_of(tmp_path / "link") == names_of(tmp_path / "none") == []


def test_links_and_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "file").write_bytes(b"secret")
    run = tmp_path / "run"
    run.mkdir()
    (run / "folder").symlink_to(tmp_path / "secret")
    (run / "file").symlink_to(tmp_path / "secret" / "file")
    os.mkfifo(run / "pipe")
    for names in (("folder", "file"), ("file",)):
        with pytest.raises(OSError, match="is a symbolic link, which is not followed"):
            read_own(run, *names)
    with pytest.raises(OSError, match="is not a regular file"):
        read_own(run, "pipe")
