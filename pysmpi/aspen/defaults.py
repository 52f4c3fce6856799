"""Change of the defaults of parameters in the text of a model file; the rest, including comments, is kept."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from pysmpi.aspen.application import Application
from pysmpi.aspen.aspen_dialect import ASPEN, Place, Token, error_at
from pysmpi.aspen.errors import AspenError
from pysmpi.formulas.expressions.text import number_text
from pysmpi.formulas.expressions.tokens import tokens_of

__all__ = ["check_defaults", "text_with_defaults"]


def check_defaults(application: Application, names: Collection[str]) -> None:
    """Check that parameters are defined in the application's own file.

    Raises:
        AspenError: a parameter is defined in a file that it includes.
    """
    for name in names:
        place = application.module.params[name].place
        if place.file != application.path:
            raise error_at(
                place, f"{name!r} is not defined in {application.path}, so its default cannot be written there"
            )


def text_with_defaults(application: Application, values: Mapping[str, float]) -> str:
    """Return the text of an application's file with other defaults of parameters that have a range.

    Args:
        application: the application.
        values: new defaults by the parameters' names.

    Raises:
        AspenError: the file cannot be read, or a parameter is defined in another file.
    """
    check_defaults(application, values)
    try:
        with open(application.path, encoding="utf-8", newline="") as file:  # keeps the ends of lines as they are
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise AspenError(f"{application.path}:1: cannot read the model: {error}") from None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    tokens = tokens_of(text, ASPEN, Place(application.path, 1))
    for begin, end, name in reversed(list(_places(application, tokens, values))):
        text = text[:begin] + number_text(values[name]) + text[end:]
    return mark + text


def _places(
    application: Application, tokens: Sequence[Token], names: Collection[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield the positions at which each default begins and ends in the text, and the parameter's name."""
    for number, word in enumerate(tokens):
        if not _is(word, "param"):
            continue
        equals = next((at for at in range(number, len(tokens)) if _is(tokens[at], "=")), None)
        if equals is None:
            return
        name = "".join(token.text for token in tokens[number + 1 : equals])
        if name in names and application.module.params[name].place == word.place:
            last = next(at for at in range(equals, len(tokens)) if _is(tokens[at], "in")) - 1
            yield tokens[equals + 1].begin, tokens[last].end, name


def _is(token: Token, text: str) -> bool:
    return token.kind in ("name", "sign") and token.text == text
