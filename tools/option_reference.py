"""Write docs/options.md and docs/commands.md: every setting and every command line, generated from the sources.

    python tools/option_reference.py [--check]

Settings come from the registry (pysmpi/simulation/settings/options.py), commands from their parsers. With --check,
nothing is written, and the exit status is 1 if a page is out of date.
"""

import argparse
import importlib
import pathlib
import re
import sys
from collections.abc import Iterator

from pysmpi.calibrate.commands import main as calibrate
from pysmpi.cli import arguments
from pysmpi.cli import main as pysmpi
from pysmpi.simulation.collectives import OPERATIONS, SELECTORS, algorithms
from pysmpi.simulation.launch.instrument_kinds import run_options
from pysmpi.simulation.settings.foreign_options import FAMILIES, FORMER_NAMES, REASONS, reason_against
from pysmpi.simulation.settings.network_models import MODELS
from pysmpi.simulation.settings.options import OPTIONS, SELECTED, UNLIKE_SIMGRID, Option
from pysmpi.util.commands import parser

ROOT = pathlib.Path(__file__).resolve().parents[1]
NOTICE = "<!-- Written by tools/option_reference.py (make docs); do not edit. -->"

# Groups of settings, with patterns for their full names. The first match counts.
GROUPS = [
    ("MPI library and fabric", r"mpi|fabric.*", "[MPI libraries and fabrics](fabrics.md)"),
    ("Network", r"network/.*|platform/.*|smpi/(lat-factor|bw-factor|IB-.*)", "[Network models](models.md)"),
    ("LogGPS", r"loggps/.*", "[LogGPS](models.md#loggps)"),
    ("Packets", r"packets/.*", "[Packets](models.md#packets)"),
    ("Messages and calls of MPI", r"smpi/(os|ois|or|wtime|test|iprobe.*|grow-.*|init|spawn-time|async-.*"
     r"|send-is-.*)", "[Protocol](models.md#protocol), [loops that wait](programs.md)"),
    ("Computation", r"smpi/(simulate-computation|computation-clock|cpu-threshold|host-speed|noise|replace-.*)|cpu/.*"
     r"|host/.*", "[Computation](computation.md)"),
    ("Arrays larger than memory", r"smpi/.*(malloc|bandwidth|memory).*", "[Arrays larger than memory](memory.md)"),
    ("Files", r"io/.*", "[Files](files.md)"),
    ("Collectives", r"smpi/coll-selector|coll/.*", "[Collectives](collectives.md)"),
    ("Precision", r"precision/.*", "[How predictions are made](predictions.md)"),
    ("Others", r".*", ""),
]  # fmt: skip


def settings_page() -> str:
    """Return the text of docs/options.md."""
    lines = [
        "# Settings",
        "",
        NOTICE,
        "",
        "A setting has a name and a value: `--cfg=network/model:LV08` on the command line,",
        '`cfg={"network/model": "LV08"}` in Python, `<prop id="network/model" value="LV08"/>` in the `<config>` of a',
        "platform file. The command line goes before the platform file, which goes before the values that the",
        "[fabric and the MPI library](fabrics.md) bring, which go before the defaults. The defaults are SMPI's.",
        "`pysmpirun --print-config` shows all of them with their values and where these come from. A name or a value",
        "that is unknown, and a setting without effect under the chosen model, are errors, which say what is valid.",
        "",
        f"There are {len(OPTIONS)} settings. The last column tells what SimGrid 3.32 has: *same*, a setting of this",
        "name with this default; *none*; or the default or name that it has instead.",
        "",
    ]
    for title, rows in grouped():
        lines += [f"## {title}", ""]
        if see := next(see for name, _, see in GROUPS if name == title):
            lines += [f"See {see}.", ""]
        lines += ["| setting | default | meaning | valid | SimGrid |", "|---|---|---|---|---|", *rows, ""]
    lines += [
        "## The algorithm of each collective",
        "",
        "`--cfg=smpi/OPERATION:ALGORITHM` chooses one for an operation, or the selector whose choices it follows; the",
        f"default, `{SELECTED}`, is what `smpi/coll-selector` says. `pysmpi collectives NAME` tells what each does.",
        f"Valid beside the algorithms are the selectors: {', '.join(map(code, SELECTORS))}.",
        f"SimGrid has these settings, too, but for {', '.join(code(f'smpi/{each}') for each in not_simgrids())}.",
        "",
        "| setting | algorithms |",
        "|---|---|",
        *(
            f"| `smpi/{operation}` | {', '.join(f'`{each.name}`' for each in algorithms(operation))} |"
            for operation in OPERATIONS
        ),
        "",
        "## Settings of SimGrid that pysmpi does not have",
        "",
        "They are errors, with these words.",
        "",
        "| setting | what to do instead, or why it has no meaning here |",
        "|---|---|",
        *(f"| `{name}` | {reason_against(name)} |" for name in sorted(REASONS | FORMER_NAMES)),
        *(f"| `{family}…` | {reason} |" for family, reason in FAMILIES.items()),
        "",
    ]
    return "\n".join(lines)


def not_simgrids() -> list[str]:
    """Return the operations whose algorithm cannot be chosen in SimGrid."""
    return [operation for operation in OPERATIONS if UNLIKE_SIMGRID[f"smpi/{operation}"] == "none"]


def grouped() -> Iterator[tuple[str, list[str]]]:
    """Yield the titles of groups that have settings, with their rows; algorithms have a separate table."""
    rows: dict[str, list[str]] = {title: [] for title, _, _ in GROUPS}
    for option in OPTIONS.values():
        if option.name.removeprefix("smpi/") not in OPERATIONS:
            title = next(title for title, expression, _ in GROUPS if re.fullmatch(expression, option.name))
            rows[title].append(row_of(option))
    return ((title, found) for title, found in rows.items() if found)


def row_of(option: Option) -> str:
    """Return one line of a table."""
    default = code(option.default) if option.default else "(empty)"
    own = [f"{code(model.defaults[option.name])} under {name}" for name, model in MODELS.items()
           if model.defaults.get(option.name, option.default) != option.default]  # fmt: skip
    meaning = option.meaning
    if option.models is not None:
        without = [model for model in MODELS if model not in option.models]
        few = len(without) < len(option.models)
        meaning += f"; not under {', '.join(without)}" if few else f"; under {', '.join(option.models)}"
    if option.accumulates:
        meaning += "; several add up"
    simgrid = UNLIKE_SIMGRID.get(option.name, "same")
    cells = (code(option.name), ", ".join([default, *own]), meaning, option.valid, simgrid)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def code(text: str) -> str:
    """Return a text as Markdown code; long tables are split into pieces, between which lines may break."""
    return " ".join(f"`{piece}`" for piece in re.findall(r"[^;]+;?", text)) if len(text) > 40 else f"`{text}`"


def commands_page() -> str:
    """Return the text of docs/commands.md."""
    lines = [
        "# Commands",
        "",
        NOTICE,
        "",
        "What `--help` says, in one place.",
        "",
        "## pysmpirun",
        "",
        *text_block(arguments.USAGE),
        "Runs an MPI program written for mpi4py on a simulated machine. PROGRAM is script.py, python script.py, or",
        "-m module. Options come before it; what follows is the program's.",
        "",
        "| option | meaning | smpirun |",
        "|---|---|---|",
    ]
    for row in run_options():
        lines.append(f"| {code(row.spelled)} | {row.meaning} | {row.smpirun} |")
    lines += ["", "Spellings with one dash (`-platform`, `-map`) work too. The exit status is the program's.", ""]
    for name, (meaning, module) in pysmpi.commands().items():
        lines += [f"## pysmpi {name}", "", sentence(meaning), ""]
        lines += command(module, [])
    for name, meaning in calibrate.PARTS.items():
        lines += [f"## pysmpi-calibrate {name}", "", sentence(meaning), ""]
        # The network part needs MPI before it parses its command line, unless there is nothing to measure.
        lines += command("pysmpi.calibrate.commands.main", [name, "--from", "-"])
    return "\n".join(lines)


def sentence(text: str) -> str:
    """Return a text with a capital letter and a full stop."""
    return text[0].upper() + text[1:] + "."


def text_block(text: str) -> list[str]:
    """Return the lines of a Markdown code block."""
    return ["```text", *text.splitlines(), "```", ""]


class _Found(Exception):  # raised when a command has created its parser
    pass


def parser_of(module: str, words: list[str]) -> parser.Parser:
    """Return the parser that a command creates when it starts."""
    found: list[parser.Parser] = []

    def stop(made: parser.Parser, *_: object) -> None:
        found.append(made)
        raise _Found

    real, parser.Parser.parse_args = parser.Parser.parse_args, stop  # type: ignore[method-assign, assignment]
    try:
        importlib.import_module(module).main(words)
    except _Found:
        return found[0]
    finally:
        parser.Parser.parse_args = real  # type: ignore[method-assign]
    raise AssertionError(f"{module}.main has no parser")


def command(module: str, words: list[str]) -> list[str]:
    """Return the description of a command and its subcommands."""
    usage = getattr(importlib.import_module(module), "USAGE", None)  # of a command that has no parser of its own
    if usage is not None:
        return text_block(usage.strip())
    return described(parser_of(module, words))


def described(made: argparse.ArgumentParser, told: str = "") -> list[str]:
    """Return usage, description, and a table of options."""
    made.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=100)
    lines = text_block(made.format_usage().strip())
    if made.description and made.description != told:
        lines += [" ".join(made.description.split()), ""]
    within = [action for action in made._actions if isinstance(action, argparse._SubParsersAction)]
    rows = [row for action in made._actions if action not in within if (row := action_row(action))]
    if rows:
        lines += ["| word | meaning |", "|---|---|", *rows, ""]
    for action in within:
        meanings = {choice.dest: choice.help or "" for choice in action._choices_actions}
        for name, inner in action.choices.items():
            lines += [f"### {inner.prog}", "", sentence(meanings[name]), ""]
            lines += described(inner, sentence(meanings[name]))
    return lines


def action_row(action: argparse.Action) -> str | None:
    """Return the table row of one option, or None for options that need no explanation."""
    if isinstance(action, argparse._HelpAction):
        return None
    spelled = ", ".join(action.option_strings)
    value = action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else None)
    if value is None and action.nargs != 0:
        value = action.dest.upper()
    if value is not None:
        value = " ".join(value) if isinstance(value, tuple) else value
        spelled = f"{spelled} {value}".strip() + (" …" if action.nargs in ("+", "*") else "")
    meaning = " ".join(((action.help or "") % vars(action)).split())
    if action.required and action.option_strings:
        meaning += " (required)"
    return f"| {code(spelled)} | {meaning} |".replace("\\|", "|")


PAGES = {ROOT / "docs" / "options.md": settings_page, ROOT / "docs" / "commands.md": commands_page}


def main() -> int:
    """Write the pages, or compare them; return 1 if one is out of date."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true")
    check = options.parse_args().check
    status = 0
    for path, write in PAGES.items():
        text = write()
        if not check:
            path.write_text(text)
        elif not path.is_file() or path.read_text() != text:
            print(f"{path.relative_to(ROOT)} is out of date; run make docs", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
