"""Command ``pysmpi report``: write one HTML page about a run."""

import os
import pathlib
import sys

from pysmpi.errors import LaunchError
from pysmpi.util.commands.parser import Parser
from pysmpi.util.wings import wings

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Run ``pysmpi report`` and return the exit status."""
    parser = Parser(
        prog="pysmpi report",
        description="Write one self-contained HTML page about a saved estimate, or about a run: where the time "
        "went, what stands out, load balance, critical path, links, who sent how much to whom, settings.",
    )
    parser.add_argument("run", metavar="RUN",
                        help="directory that pysmpirun --save-run or pysmpi estimate -o has written")  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", help="file for the page (default RUN/report.html)")
    parser.add_argument("--open", action="store_true", help="show the page in a browser")
    arguments = parser.parse_args(words)
    from pysmpi.simulation.instruments.saved_run.page import page_of
    from pysmpi.simulation.instruments.saved_run.saved_run import read_run
    from pysmpi.util.whole_file import write_whole

    folder = pathlib.Path(arguments.run)
    pages = (each.page_of(folder) for each in wings().values() if each.page_of is not None)
    text = next((page for page in pages if page is not None), None) or page_of(read_run(arguments.run))
    target = pathlib.Path(arguments.output or os.path.join(arguments.run, "report.html"))
    try:
        write_whole(target, text.encode())
    except OSError as error:
        raise LaunchError(f"{target}: cannot write the page: {error.strerror}") from None
    print(target)
    if arguments.open:
        import webbrowser

        if not webbrowser.open(target.absolute().as_uri()):
            print("pysmpi report: no browser could be started", file=sys.stderr)
    return 0
