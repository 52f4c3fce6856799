"""Replacement of default values of parameters in the text of a model file. All other text is kept, also comments."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from pysmpi.aspen.application import Application
from pysmpi.aspen.aspen_dialect import ASPEN, Place, Token, error_at
from pysmpi.aspen.errors import AspenError
from pysmpi.formulas.expressions.text import number_text
from pysmpi.formulas.expressions.tokens import tokens_of

__all__ = ["check_defaults", "text_with_defaults"]


def check_defaults(application: Application, names: Collection[str]) -> None:
    """Check that parameters are defined in the application's own file, so that their defaults can be replaced there.

    Args:
        application: the application.
        names: names of parameters of the application.

    Raises:
        AspenError: a parameter is defined in a file that the application includes.
    """
    for name in names:
        place = application.module.params[name].place
        if place.file != application.path:
            raise error_at(
                place, f"{name!r} is not defined in {application.path}, so its default cannot be written there"
            )


def text_with_defaults(application: Application, values: Mapping[str, float]) -> str:
    """Return the text of an application's file in which some parameters have new defaults.

    Each of these parameters must have a range, as in ``param a = 6.3 in 1 .. 20``.

    Args:
        application: the application.
        values: new default of each parameter to change, by its name.

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
    """Yield begin, end and parameter's name of each default in a file; begin and end are positions of characters.

    Args:
        application: the application.
        tokens: tokens of its file.
        names: names of the parameters whose defaults are wanted.
    """
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
