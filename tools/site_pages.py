"""Hook for MkDocs: pages of repository files, and pictures.

A link from a page to a file outside docs/, such as from docs/design.md to a source file, works in the repository. On
the site it leads to a page that shows the file. Links to folders become plain text.

Pictures that tools/site_pictures.py has drawn stand before their captions. The site can be built without them.
"""

import logging
import pathlib
import posixpath
import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from site_pictures import CAPTION

ROOT = pathlib.Path(__file__).resolve().parents[1]
LOG = logging.getLogger("mkdocs.plugins.pictures")
FOLDER = "repository"  # folder of these pages on the site
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^()\s:#]+)(#[^()\s]*)?\)")
LANGUAGES = {".py": "python", ".cpp": "cpp", ".hpp": "cpp", ".h": "c", ".c": "c", ".xml": "xml", ".json": "json"}


def in_repository(src_uri: str) -> str:
    """Return the repository path of the file that a page of the site shows."""
    if src_uri.startswith(f"{FOLDER}/"):
        path = src_uri.removeprefix(f"{FOLDER}/")
        return path if path.endswith("README.md") else path.removesuffix(".md")
    return f"docs/{src_uri}"


def page_of(path: str) -> str:
    """Return the page of the site that shows a file of the repository."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"{FOLDER}/{path}" if path.endswith("README.md") else f"{FOLDER}/{path}.md"


def links_of(markdown: str, src_uri: str) -> list[str]:
    """Return the files of the repository outside docs/ that a page links to."""
    folder = posixpath.dirname(in_repository(src_uri))
    targets = [posixpath.normpath(posixpath.join(folder, link[2])) for link in LINK.finditer(markdown)]
    return [path for path in targets if not path.startswith(("docs/", "..")) and (ROOT / path).is_file()]


def content_of(path: str) -> str:
    """Return the page that shows a file."""
    text = (ROOT / path).read_text()
    if path.endswith("README.md"):
        return text
    fence = "~" * 8
    head = "---\nsearch:\n  exclude: true\nhide: [navigation]\n---\n"
    return f"{head}# {path}\n\n{fence}{LANGUAGES.get(pathlib.Path(path).suffix, 'text')}\n{text}\n{fence}\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages for all files that are linked to, directly or from such pages, and the pictures."""
    drawn = ROOT / config.extra["pictures"]
    for picture in sorted(drawn.rglob("*.svg")):
        files.append(File.generated(config, picture.relative_to(drawn).as_posix(), abs_src_path=str(picture)))
    waiting = [(file.content_string, file.src_uri) for file in files.documentation_pages()]
    while waiting:
        for path in links_of(*waiting.pop()):
            uri = page_of(path)
            if files.get_file_from_path(uri) is None:
                content = content_of(path)
                files.append(File.generated(config, uri, content=content, inclusion=InclusionLevel.NOT_IN_NAV))
                waiting.append((content if path.endswith("README.md") else "", uri))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links between pages, and show pictures."""
    src_uri = page.file.src_uri
    if src_uri.startswith(f"{FOLDER}/") and not src_uri.endswith("README.md"):
        return markdown
    folder = posixpath.dirname(in_repository(src_uri))

    def turned(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        path = posixpath.normpath(posixpath.join(folder, target))
        if (ROOT / path).is_dir():
            return text
        if not (ROOT / path).is_file():
            return link[0]
        uri = posixpath.relpath(page_of(path), posixpath.dirname(src_uri) or ".")
        return f"[{text}]({uri}{anchor})"

    def shown(caption: re.Match[str]) -> str:
        picture = f"{page.file.name}/{caption[1]}"
        if files.get_file_from_path(picture) is None:
            if (ROOT / config.extra["pictures"] / "drawn").exists():  # make site has drawn all pictures
                LOG.warning("%s: the picture %r is missing; 'make clean site' draws it", src_uri, caption[1])
            return caption[0]
        return f"![{' '.join(caption[3].split())}]({picture})\n\n{caption[0]}"

    return CAPTION.sub(shown, LINK.sub(turned, markdown))
