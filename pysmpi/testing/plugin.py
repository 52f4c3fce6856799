"""Plugin for pytest: ``@pytest.mark.ranks(4)`` runs a test on four simulated ranks (docs/testing.md).

Each rank runs the test function with the same fixture values, which are created once, outside the ranks. A failing rank
stops alone; the other ranks continue until they end or block forever.
"""

import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from pysmpi.errors import DeadlockError, PysmpiError

__all__ = [
    "pytest_addoption",
    "pytest_configure",
    "pytest_generate_tests",
    "pytest_pyfunc_call",
    "pytest_runtest_setup",
]

_SETTING = "simulated_mpi"
_NUMBER = "number_of_ranks"  # parameter of a test that holds one of the marker's numbers
_SETTINGS = {"platform", "cfg", "smpi", "mpi", "fabric", "hosts", "seed", "check", "blas"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ini option ``simulated_mpi``, which makes mpi4py use the simulator's MPI library in the whole process."""
    parser.addini(
        _SETTING, "bind mpi4py to pysmpi's virtual ranks in the whole process, also in test modules", "bool", False
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker ``ranks``; with the ini option ``simulated_mpi``, make mpi4py use the simulator's MPI
    library."""
    config.addinivalue_line(
        "markers",
        "ranks(n, …, platform=…, cfg=…): run the test on n virtual MPI ranks of pysmpi, once for "
        "each n; other arguments "
        "are those of pysmpi.simulate",
    )
    if config.getini(_SETTING):
        import pysmpi

        pysmpi.use()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with the marker ``ranks`` once for each number of ranks that the marker names."""
    marker = metafunc.definition.get_closest_marker("ranks")
    if marker is None:
        return
    numbers = marker.args
    if not numbers or not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in numbers):
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid}: ranks{numbers!r}: the marker needs numbers of ranks of at least 1, such as "
            "ranks(4) or ranks(1, 2, 7)"
        )
    unknown = sorted(set(marker.kwargs) - _SETTINGS)
    if unknown:
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid}: the marker ranks has no argument {unknown[0]!r} (valid: "
            f"{', '.join(sorted(_SETTINGS))})"
        )
    if inspect.iscoroutinefunction(metafunc.function):
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid}: the marker ranks does not support `async def` functions"
        )
    metafunc.fixturenames.append(_NUMBER)
    metafunc.parametrize(_NUMBER, numbers, ids=[f"ranks={n}" for n in numbers])


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a method of unittest.TestCase with the marker ``ranks``, because pytest would run it without ranks."""
    if isinstance(item, pytest.Function) and not hasattr(item, "callspec") and item.get_closest_marker("ranks"):
        pytest.fail("the marker ranks has no effect on methods of unittest.TestCase; use a plain class", pytrace=False)


class _Failure(NamedTuple):
    rank: int
    exception: BaseException


class _Body:
    """Test function as the program of each rank; collects the failures of all ranks.

    ``__globals__`` refers to the test module's global variables, as that of a function does.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__globals__ = function.__globals__
        self.failures: list[_Failure] = []

    def __call__(self, **arguments: Any) -> None:
        from pysmpi.native import lib

        rank = lib.pysmpi_running_rank()
        try:
            self._function(**arguments)
        except (Exception, SystemExit, pytest.fail.Exception, pytest.skip.Exception) as exception:
            if lib.pysmpi_is_stopping(rank):  # the rank has been stopped by the failure of another
                raise
            self.failures.append(_Failure(rank, exception))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test with the marker ``ranks`` on simulated ranks, or on the real ranks of mpi4py's MPI library."""
    marker = pyfuncitem.get_closest_marker("ranks")
    if marker is None:
        return None
    number = pyfuncitem.callspec.params[_NUMBER]
    assert isinstance(number, int)
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    if not _is_simulated():
        _run_for_real(pyfuncitem.obj, number, arguments)
        return True
    import pysmpi
    from pysmpi.errors import DeadlockError, PysmpiError
    from pysmpi.platform import Cluster
    from pysmpi.simulation.instruments.check import Finding, report

    settings = {"platform": Cluster(number), **marker.kwargs}
    cfg = settings.get("cfg", {})
    own = "smpi/simulate-computation"
    settings["cfg"] = {own: "no", **cfg} if isinstance(cfg, Mapping) else [f"{own}:no", *cfg]
    body = _Body(pyfuncitem.obj)
    deadlock = None
    found: tuple[Finding, ...] = ()
    try:
        found = pysmpi.simulate(body, np=number, kwargs=arguments, **settings).findings
    except DeadlockError as error:
        if not body.failures:
            raise _without_traceback(error) from None
        deadlock = error
    except PysmpiError as error:
        raise _without_traceback(error) from None
    if body.failures:
        _show(pyfuncitem, body.failures, number, deadlock)
        skips = pytest.skip.Exception  # skips must not hide failures of other ranks
        raise min(body.failures, key=lambda failure: isinstance(failure.exception, skips)).exception
    if found:
        pytest.fail("\n".join(report(found)), pytrace=False)
    return True


def _without_traceback(error: "PysmpiError") -> BaseException:
    """Return an error of the same class, which pytest reports by its text alone: the test's code has not raised it."""
    kind: Any = type(error)
    members = {"__init__": _set_text, "__module__": kind.__module__}
    reported: BaseException = type(kind.__name__, (kind, pytest.fail.Exception), members)(error)
    return reported


def _set_text(self: Any, error: "PysmpiError") -> None:
    text = f"{type(error).__name__}: {error}"
    pytest.fail.Exception.__init__(self, "\n".join([text, *getattr(error, "__notes__", ())]), pytrace=False)


def _is_simulated() -> bool:
    from pysmpi.simulation.launch.binding import is_bound

    return is_bound() or "mpi4py.MPI" not in sys.modules


def _run_for_real(function: Callable[..., Any], number: int, arguments: dict[str, Any]) -> None:
    from mpi4py import MPI

    if MPI.COMM_WORLD.size != number:
        pytest.skip(
            f"mpi4py is bound to a real MPI with {MPI.COMM_WORLD.size} ranks, but the test needs {number}; for virtual "
            f"ranks set {_SETTING} = true in pytest's ini-file"
        )
    function(**arguments)


def _show(item: pytest.Function, failures: Sequence[_Failure], number: int, deadlock: "DeadlockError | None") -> None:
    """Add report sections with the failed ranks, their errors, and the ranks that waited for them."""
    failures = sorted(failures, key=lambda failure: failure.rank)
    kinds: dict[str, list[int]] = {}
    texts: dict[str, str] = {}
    for rank, exception in failures:
        kind = f"{type(exception).__name__}: {exception}"
        kinds.setdefault(kind, []).append(rank)
        texts.setdefault(kind, "".join(traceback.format_exception(exception)[-3:]))
    lines = [f"{_ranks(ranks)} of {number}: {kind.splitlines()[0]}" for kind, ranks in kinds.items()]
    passed = sorted(set(range(number)) - {failure.rank for failure in failures})
    if passed:
        lines.append(f"{_ranks(passed)}: {'did not fail' if deadlock is None else 'did not fail, or waited forever'}")
    item.add_report_section("call", "ranks", "\n".join(lines) + "\n")
    for kind, ranks in list(kinds.items())[1:]:
        item.add_report_section("call", _ranks(ranks), texts[kind])
    if deadlock is not None:
        item.add_report_section("call", "waiting ranks", f"{deadlock}\n")


def _ranks(ranks: Sequence[int]) -> str:
    """Return ranks as text, such as "ranks 0 to 2, 7"."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and runs[-1][-1] == rank - 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    text = ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
    return f"rank{'s' if len(ranks) > 1 else ''} {text}"
