"""The gate for prose: which sentences tools/check_prose.py takes, and which it refuses."""

import importlib.util
import pathlib
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "tools" / "check_prose.py"
_spec = importlib.util.spec_from_file_location("check_prose", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
check_prose = sys.modules["check_prose"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check_prose)


def problems(source: str, suffix: str = ".py") -> list[str]:
    return [finding.problem for finding in check_prose.check("file", check_prose.READERS[suffix](source))]


@pytest.mark.parametrize(
    "text", ["Return the number of ranks.", "Number of ranks.", "Hosts of a platform, in its order."]
)
def test_plain_docstrings_pass(text: str) -> None:
    assert problems(f'def f():\n    """{text}"""\n') == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("What the ranks have found.", "begins with 'What': name the thing, or begin with a verb"),
        ("Whether it holds.", "begins with 'Whether': name the thing, or begin with a verb"),
        ("Of the links the fullest.", "begins with 'Of': name the thing, or begin with a verb"),
        ("Returns the ranks.", "begins with 'Returns': use the imperative"),
        ("Solve the network anew.", "says 'anew'"),
        (f"Return {'very ' * 40}much.", "42 words in a sentence (most: 40)"),
    ],
)
def test_awkward_docstrings_are_found(text: str, problem: str) -> None:
    assert problems(f'def f():\n    """{text}"""\n') == [problem]


def test_private_docstrings_may_begin_as_they_like() -> None:
    assert problems('def _f():\n    """What is left."""\n') == []


def test_comments_of_native_code() -> None:
    assert problems("// Rates of the flows, bytes/s.\nint rates;\n", ".hpp") == []
    assert problems("// Whether it holds.\nbool holds;\n", ".hpp") == [
        "begins with 'Whether': name the thing, or begin with a verb"
    ]
    assert problems("/* Of the links the fullest. */\n", ".h") == [
        "begins with 'Of': name the thing, or begin with a verb"
    ]


def test_code_and_tables_of_pages_are_no_prose() -> None:
    assert problems(f"```text\n{'word ' * 60}\n```\n\n| {'word ' * 60} |\n", ".md") == []
    assert problems(f"{'word ' * 60}.\n", ".md") == ["61 words in a sentence (most: 40)"]
