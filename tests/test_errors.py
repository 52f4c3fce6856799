"""The errors' slugs and the texts that help to find the right word."""

import subprocess
import sys

import pytest

from pysmpi import errors


def test_each_error_has_its_own_slug() -> None:
    """Slugs are unique, also among subclasses defined by other modules."""
    found = errors.all_errors()
    assert {"pysmpi", "configuration", "platform", "placement", "launch", "binding", "deadlock", "rank"} <= set(found)
    for name in errors.__all__:
        kind = getattr(errors, name)
        if isinstance(kind, type) and issubclass(kind, errors.PysmpiError):
            assert found[kind.slug] is kind


def test_names_of_the_package_before_their_first_use() -> None:
    """Modules are imported when a name is used; all names are listed before."""
    code = (
        "import pysmpi, sys; assert not any('numpy' in name for name in sys.modules); "
        "assert set(pysmpi.__all__) <= set(dir(pysmpi)); print(pysmpi.errors.LaunchError.__name__)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "LaunchError\n"


@pytest.mark.parametrize(
    ("word", "choices", "match"),
    [
        ("smpi/oss", ["network/model", "smpi/os", "smpi/ois"], "smpi/os"),
        ("lv08", ["SMPI", "LV08", "CM02"], "LV08"),
        ("xyz", ["SMPI", "LV08"], None),
        ("anything", [], None),
    ],
)
def test_nearest(word: str, choices: list[str], match: str | None) -> None:
    assert errors.nearest(word, choices) == match
    assert errors.did_you_mean(word, choices) == (f"; did you mean {match!r}?" if match else "")


def test_unknown_lists_the_valid_words_in_order() -> None:
    """The text has the word, the nearest match and the choices as they were given."""
    assert (
        errors.unknown("network model", "LV8", ["SMPI", "LV08", "CM02"])
        == "unknown network model 'LV8'; did you mean 'LV08'? (valid: SMPI, LV08, CM02)"
    )


def test_unknown_does_not_list_thousands() -> None:
    text = errors.unknown("host", "node-7", [f"node-{i}.cluster" for i in range(5000)], shown=3)
    assert text.endswith("(valid: node-0.cluster, node-1.cluster, node-2.cluster, … (5000 in all))")
