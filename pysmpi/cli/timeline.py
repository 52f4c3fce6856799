"""pysmpi timeline: the picture of a run's timeline."""

from pysmpi.cli.parser import Parser

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Runs ``pysmpi timeline`` and returns the exit status."""
    parser = Parser(
        prog="pysmpi timeline",
        description="Draw the timeline of a run, which pysmpirun --trace has written as a table: what ranks do when.",
    )
    parser.add_argument("table", metavar="TABLE", help="FILE.csv or FILE.parquet, of pysmpirun --trace")
    parser.add_argument("--output", required=True, metavar="PICTURE", help="NAME.svg, .png or .pdf")
    parser.add_argument("--begin", metavar="TIME", help="show the run from there on: 0.5, 20ms")
    parser.add_argument("--end", metavar="TIME", help="show it until there")
    arguments = parser.parse_args(words)
    from pysmpi.instruments.timeline.gantt import draw, read

    begin, end = _time("--begin", arguments.begin), _time("--end", arguments.end)
    draw(read(arguments.table, begin, end), arguments.output)
    return 0


def _time(option: str, text: str | None) -> float | None:
    from pysmpi.errors import LaunchError
    from pysmpi.settings.option_parsers import seconds

    try:
        return None if text is None else seconds(0.0)(text)
    except ValueError as error:
        raise LaunchError(f"option {option}: {error}; write seconds, such as 0.5 or 20ms") from None
