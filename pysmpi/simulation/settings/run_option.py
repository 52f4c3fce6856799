"""A row of the table of a run's options: spelling, meaning and parser, for the command line and the documentation."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["RunOption", "run_option"]


@dataclass(frozen=True, slots=True)
class RunOption:
    """One option of pysmpirun.

    Attributes:
        names: names on the command line, without dashes.
        spelled: names and value as the help shows them, such as ``--hostfile FILE``.
        meaning: sentence for help and documentation.
        default: value if the option is not given.
        takes: "value", "optional value" (``--NAME`` or ``--NAME=VALUE``) or "nothing".
        parse: function that converts the text of the value; raises ValueError if it is not valid.
        valid: description of valid values for errors; empty if every text is valid.
        repeatable: True if the values of several uses are collected in a list.
        not_with: modes that refuse the option: "jobs", "replay", "what-if" or "replicas".
        of_one_run: True if runs that another command starts as a part of itself (what-if, replica, job) ignore the
            option, because its output belongs to one run.
        smpirun: smpirun's option for the same purpose, in Markdown, or "none".
    """

    names: tuple[str, ...]
    spelled: str
    meaning: str
    default: Any
    takes: str
    parse: Callable[[str], Any]
    valid: str
    repeatable: bool
    not_with: frozenset[str]
    of_one_run: bool
    smpirun: str

    @property
    def field(self) -> str:
        """Name of the value in Python: the first long name, with underscores."""
        return next(name for name in self.names if len(name) > 1).replace("-", "_")


def run_option(
    spelled: str,
    meaning: str,
    *,
    default: Any = None,
    parse: Callable[[str], Any] = str,
    valid: str = "",
    repeatable: bool = False,
    not_with: str = "",
    of_one_run: bool = False,
    smpirun: str = "none",
) -> RunOption:
    """Return the row of an option; `spelled` says what names it has and whether it takes a value.

    Args:
        spelled: names and value as the help shows them; ``[=`` precedes a value that may be missing.
        meaning: sentence for help and documentation.
        default: value if the option is not given; by default False for options without a value, else None.
        parse: function that converts the text of the value; raises ValueError if it is not valid.
        valid: description of valid values for errors.
        repeatable: whether the values of several uses are collected in a list.
        not_with: modes that refuse the option, in one string.
        of_one_run: whether runs that another command starts as a part of itself (what-if, replica, job) ignore the
            option, because its output belongs to one run.
        smpirun: smpirun's option for the same purpose.
    """
    takes = "optional value" if "[=" in spelled else "value" if re.search(r"[ =][A-Z]", spelled) else "nothing"
    return RunOption(
        names=tuple(re.findall(r"(?:^|, )--?([\w-]+)", spelled)),
        spelled=spelled,
        meaning=meaning,
        default=False if default is None and takes != "value" else default,
        takes=takes,
        parse=parse,
        valid=valid,
        repeatable=repeatable,
        not_with=frozenset(not_with.split()),
        of_one_run=of_one_run,
        smpirun=smpirun,
    )
