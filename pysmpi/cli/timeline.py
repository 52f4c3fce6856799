"""Command ``pysmpi timeline``: draw the timeline of a run as a Gantt chart."""

from pysmpi.util.commands.parser import Parser

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Run ``pysmpi timeline`` and return the exit status."""
    parser = Parser(
        prog="pysmpi timeline",
        description="Draw the timeline of a run, which pysmpirun --trace has written as a table.",
    )
    parser.add_argument("table", metavar="TABLE", help="FILE.csv or FILE.parquet written by pysmpirun --trace")
    parser.add_argument("--output", required=True, metavar="PICTURE", help="NAME.svg, .png or .pdf")
    parser.add_argument("--begin", metavar="TIME", help="start of the drawn interval, such as 0.5 or 20ms")
    parser.add_argument("--end", metavar="TIME", help="end of the drawn interval")
    arguments = parser.parse_args(words)
    from pysmpi.simulation.instruments.timeline.gantt import draw, read

    begin, end = _time("--begin", arguments.begin), _time("--end", arguments.end)
    draw(read(arguments.table, begin, end), arguments.output)
    return 0


def _time(option: str, text: str | None) -> float | None:
    from pysmpi.errors import LaunchError
    from pysmpi.simulation.settings.option_parsers import seconds

    try:
        return None if text is None else seconds(0.0)(text)
    except ValueError as error:
        raise LaunchError(f"option {option}: {error}; write a time such as 0.5 (seconds) or 20ms") from None
