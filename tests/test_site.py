"""Build docs/ as a site: without a warning, without files from elsewhere, with every page in the navigation."""

import importlib.util
import os
import pathlib
import re
import runpy
import subprocess
import sys

import pytest

import pysmpi
import pysmpi.platform
import pysmpi.simulation.instruments.energy
import pysmpi.study

ROOT = pathlib.Path(__file__).parents[1]
PICTURES = ROOT / "tools" / "site_pictures.py"
PACKAGES = {"mkdocs": "mkdocs", "material": "mkdocs-material", "mkdocstrings": "mkdocstrings[python]"}
TOLD = re.compile(r"^::: (\S+)$", re.MULTILINE)


def _missing() -> list[str]:
    return [package for module, package in PACKAGES.items() if importlib.util.find_spec(module) is None]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder with the site, built strictly: warnings end it, of dead links or of pages outside the navigation."""
    if missing := _missing():
        pytest.skip(f"the extra docs is not installed: {', '.join(missing)}")
    folder, pictures = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("pictures")
    subprocess.run([sys.executable, PICTURES, pictures, "profile"], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PICTURES": str(pictures)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_it_is_built_strictly(site: pathlib.Path) -> None:
    """Every page of docs/ is there."""
    for page in ROOT.glob("docs/**/*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).is_file(), page


def test_nothing_is_fetched(site: pathlib.Path) -> None:
    """Scripts, style sheets, fonts and pictures are the site's own."""
    fetched = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?(https?:)?//|"
                         r"<link\b(?![^>]*rel=[\"']?canonical)[^>]*\bhref=[\"']?(https?:)?//")  # fmt: skip
    for page in site.rglob("*.html"):
        assert fetched.search(page.read_text()) is None, page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"@import|url\([\"']?(https?:)?//", sheet.read_text()), sheet


def test_no_place_of_this_machine_is_told(site: pathlib.Path) -> None:
    for page in site.rglob("*.html"):
        assert str(ROOT) not in page.read_text(), page


def test_links_to_sources_have_pages(site: pathlib.Path) -> None:
    """A page links to a source file of the repository: on the site that is a page which shows it."""
    assert 'href="repository/pysmpi/native/engine/fiber.cpp.html"' in (site / "design.html").read_text()
    assert "PyGreenlet_Switch" in (site / "repository/pysmpi/native/engine/fiber.cpp.html").read_text()
    assert (site / "repository/calibration/index.html").is_file()


def test_pictures_stand_before_their_captions(site: pathlib.Path) -> None:
    """A site without pictures has the captions."""
    page = (site / "profile.html").read_text()
    picture, caption = page.index('src="profile/network/congestion.svg"'), page.index("network/congestion.svg</code>")
    assert 0 < caption - picture < 200
    assert "<svg" in (site / "profile/network/congestion.svg").read_text()
    page = (site / "exascale.html").read_text()
    assert "figure_5b.svg</code>" in page and "<img" not in page


def test_pictures_that_commands_draw_are_not_stored() -> None:
    """Each has a caption in the form that the tool reads, and its command writes it."""
    assert {path.parent.name for path in ROOT.glob("docs/**/*.svg")} == {"design"}
    caption = runpy.run_path(str(PICTURES))["CAPTION"]
    drawn = 0
    for page in ROOT.glob("docs/*.md"):
        text = page.read_text()
        found = caption.findall(text)
        assert len(found) == text.count("*Picture "), page
        drawn += len(found)
        for _, command, _ in found:
            program = command.split()[1]
            assert not program.endswith(".py") or (ROOT / program).is_file(), command
    assert drawn >= 14


def test_everything_public_is_told() -> None:
    """Each name of the public modules' `__all__`, and each kind of error, stands on one of the pages about Python."""
    told = [name for page in ROOT.glob("docs/api/*.md") for name in TOLD.findall(page.read_text())]
    assert len(told) == len(set(told))
    public = [f"pysmpi.{name}" for name in pysmpi.__all__ if name != "PysmpiError"]
    known = {*pysmpi.__all__, "PlatformError"} - {"Host"}  # pysmpi.platform has one of its own
    for module in (pysmpi.platform, pysmpi.simulation.instruments.energy, pysmpi.study):
        public += [f"{module.__name__}.{name}" for name in module.__all__ if name not in known]
    assert not set(public) - set(told)
    words = {name.rpartition(".")[2] for name in told}
    kinds = re.compile(r"^class ([A-Z]\w*Error)\((?!Exception|ValueError)", re.MULTILINE)
    for source in ROOT.glob("pysmpi/*/**/*.py"):  # errors.py is told as a whole; a ValueError stays inside
        assert set(kinds.findall(source.read_text())) <= words, source
