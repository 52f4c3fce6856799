"""All clocks that Python offers show the simulated time in ranks, also where a module took the function before."""

import ctypes
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from datetime import datetime as taken_class
from time import monotonic as taken_clock
from time import sleep as taken_sleep
from typing import Any

import pytest

import pysmpi

Lines = Callable[..., dict[int, list[str]]]

CLOCKS = """
    import datetime, email.utils, logging, os, resource, time, timeit, uuid
    from mpi4py import MPI
    class Moment(datetime.datetime):
        pass
    zone = datetime.timezone(datetime.timedelta(hours=2))
    CLOCKS = {
        "time": time.time,
        "perf_counter": time.perf_counter,
        "monotonic_ns": lambda: time.monotonic_ns() / 1e9,
        "process_time": time.process_time,
        "default_timer": timeit.default_timer,
        "CLOCK_MONOTONIC": lambda: time.clock_gettime(time.CLOCK_MONOTONIC),
        "CLOCK_REALTIME": lambda: time.clock_gettime_ns(time.CLOCK_REALTIME) / 1e9,
        "CLOCK_PROCESS_CPUTIME_ID": lambda: time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID),
        "times": lambda: os.times().elapsed,
        "user time": lambda: os.times().user,
        "getrusage": lambda: resource.getrusage(resource.RUSAGE_SELF).ru_utime,
        "now": lambda: datetime.datetime.now().timestamp(),
        "now in a zone": lambda: datetime.datetime.now(tz=zone).timestamp(),
        "utcnow": lambda: (datetime.datetime.utcnow() - datetime.datetime(1970, 1, 1)).total_seconds(),
        "today": lambda: datetime.datetime.today().timestamp(),
        "derived class": lambda: Moment.now().timestamp(),
        "gmtime": lambda: time.mktime(time.gmtime()) - time.mktime(time.gmtime(0)),
        "strftime": lambda: float(time.strftime("%s")),
        "email": lambda: email.utils.parsedate_to_datetime(email.utils.formatdate()).timestamp(),
        "logging": lambda: logging.makeLogRecord({}).created,
        "since the start": lambda: logging.makeLogRecord({}).relativeCreated / 1000,
    }
"""


def test_clocks_follow_the_simulation(lines_of: Lines) -> None:
    lines = lines_of(
        CLOCKS
        + """
    begun = {name: clock() for name, clock in CLOCKS.items()}
    time.sleep(10)
    print({name: round(clock() - begun[name], 2) for name, clock in CLOCKS.items()})
    print(type(Moment.now()).__name__, datetime.date.today(), Moment.now(zone).utcoffset(), time.asctime()[:10])
    """,
        np=1,
        cfg={"smpi/simulate-computation": False, "smpi/wtime": "0"},
    )
    measured = eval(lines[0][0])
    assert measured == dict.fromkeys(measured, 10.0)
    assert lines[0][1].startswith("Moment 1970-01-0")


def test_a_deadline_and_errors(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import time
        end = time.clock_gettime(time.CLOCK_MONOTONIC) + 5
        turns = 0
        while time.clock_gettime(time.CLOCK_MONOTONIC) < end:
            time.sleep(0.5)
            turns += 1
        print(turns)
        for attempt in (lambda: time.clock_gettime(12345), lambda: time.clock_settime(time.CLOCK_REALTIME, 1.0)):
            try:
                attempt()
            except OSError as error:
                print(type(error).__name__, str(error)[:39])
        print(time.get_clock_info("monotonic").monotonic, time.clock_getres(time.CLOCK_MONOTONIC) < 1)
        """,
        np=1,
    )
    refused = "PermissionError [Errno 1] the simulated clock cannot be"
    assert lines == {0: ["10", "OSError [Errno 22] Invalid argument", refused, "True True"]}


def test_references_taken_before(run_ranks: Callable[..., list[Any]]) -> None:
    """Functions and classes that a module imported before the simulation are followed in ranks, and real outside."""

    def program(_mpi: Any) -> tuple[float, ...]:
        begun, date = taken_clock(), taken_class.now()
        taken_sleep(100)
        return round(taken_clock() - begun, 3), round((taken_class.now() - date).total_seconds(), 3), os.times().elapsed

    before = taken_clock(), time.time(), os.times().elapsed
    values = run_ranks(program, 2)
    after = taken_clock(), time.time(), os.times().elapsed
    assert [value[:2] for value in values] == [(100.0, 100.0)] * 2
    assert all(100 <= value[2] < 101 for value in values)
    assert all(0 <= end - begin < 60 for begin, end in zip(before, after, strict=True))
    assert abs(datetime.datetime.now().timestamp() - time.time()) < 60


def test_a_real_thread_reads_the_real_clock(platform_file: Any) -> None:
    """Only ranks see the simulated clock."""
    import _thread

    seen: list[float] = []
    start, lock, real = _thread.start_new_thread, _thread.allocate_lock(), time.time()

    def look() -> None:
        while time.time() < real:
            pass
        seen.append(time.time())
        lock.release()

    lock.acquire()
    start(look, ())
    pysmpi.simulate(lambda: time.sleep(1), np=1, platform=platform_file, cfg={"smpi/simulate-computation": False})
    lock.acquire()
    assert seen[0] == pytest.approx(real, abs=60)


def test_polls_take_simulated_time(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import os, select, time
        reading, writing = os.pipe()
        looker = select.poll()
        looker.register(reading, select.POLLIN)
        print(looker.poll(200), round(time.time(), 2), select.select([reading], [], [], 0.1), round(time.time(), 2))
        """,
        np=2,
    )
    assert lines == {rank: ["[] 0.2 ([], [], []) 0.3"] for rank in range(2)}


LIBRARY = """
#include <chrono>
#include <ctime>
#include <poll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <thread>
#include <unistd.h>

extern "C" {
double read_clock_gettime() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
double read_gettimeofday() { timeval t; gettimeofday(&t, nullptr); return t.tv_sec + 1e-6 * t.tv_usec; }
double read_time() { return time(nullptr); }
double read_clock() { return double(clock()) / CLOCKS_PER_SEC; }
double read_times() { tms t; return double(times(&t)) / sysconf(_SC_CLK_TCK); }
double read_getrusage() { rusage r; getrusage(RUSAGE_SELF, &r); return r.ru_utime.tv_sec + 1e-6 * r.ru_utime.tv_usec; }
double read_steady() { return std::chrono::steady_clock::now().time_since_epoch().count() * 1e-9; }
double read_system() { return std::chrono::system_clock::now().time_since_epoch().count() * 1e-9; }
void rest() {
  usleep(500000);
  sleep(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(750));
  poll(nullptr, 0, 250);
  timeval limit{0, 500000};
  select(0, nullptr, nullptr, nullptr, &limit);
}
void spin(double seconds) { for (double end = read_clock_gettime() + seconds; read_clock_gettime() < end;) {} }
}
"""


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a compiler")
def test_clocks_of_a_library(lines_of: Lines, tmp_path: pathlib.Path) -> None:
    """A compiled library reads the simulated clock in ranks, sleeps on it, and waits for a time; so does NumPy."""
    source, library = tmp_path / "library.cpp", tmp_path / "library.so"
    source.write_text(LIBRARY)
    subprocess.run(["c++", "-shared", "-fPIC", "-O1", str(source), "-o", str(library)], check=True)
    names = sorted(set(re.findall(r"read_\w+", LIBRARY)))
    lines = lines_of(
        f"""
        import ctypes, time
        import numpy
        from mpi4py import MPI
        library = ctypes.CDLL({str(library)!r})
        library.spin.argtypes = [ctypes.c_double]
        clocks = [getattr(library, name) for name in {names}]
        for clock in clocks:
            clock.restype = ctypes.c_double
        begun = [clock() for clock in clocks]
        time.sleep(10)
        print([round(clock() - begin, 2) for clock, begin in zip(clocks, begun)])
        library.rest()
        print(round(MPI.Wtime(), 2))
        library.spin(5)
        print(round(MPI.Wtime(), 2), numpy.datetime64("now"))
        """,
        np=2,
    )
    assert lines == {rank: [str([10.0] * len(names)), "13.0", "18.0 1970-01-01T00:00:18"] for rank in range(2)}
    loaded = ctypes.CDLL(str(library))
    loaded.read_system.restype = ctypes.c_double
    assert loaded.read_system() == pytest.approx(time.time(), abs=60)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
def test_a_library_that_computes_between_readings_does_not_wait(pysmpirun: Any, tmp_path: pathlib.Path) -> None:
    """FFTW's planner does so: it reads a clock after each candidate."""
    source, library = tmp_path / "library.c", tmp_path / "library.so"
    source.write_text("""
#include <time.h>
void search(void) {
  volatile int steps = 0;
  for (int candidate = 0; candidate < 20000; ++candidate) {
    for (int i = 0; i < 20000; ++i) ++steps;
    clock();
  }
}
""")
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    run = pysmpirun(
        "-np",
        "1",
        "program.py",
        source=f"from mpi4py import MPI\nimport ctypes\nctypes.CDLL({str(library)!r}).search()",
    )
    assert "100.0% measured" in run.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
def test_clocks_of_a_library_that_is_loaded_again(lines_of: Lines, tmp_path: pathlib.Path) -> None:
    """A library follows the simulated clock, too, if it is loaded at the address of one that has been unloaded."""
    source, library = tmp_path / "library.c", tmp_path / "library.so"
    source.write_text("#include <time.h>\nlong read_clock(void) { return time(0); }\n")
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    lines = lines_of(
        f"""
        import _ctypes, ctypes, time
        from mpi4py import MPI
        time.sleep(10)
        for _ in range(3):
            library = ctypes.CDLL({str(library)!r})
            library.read_clock.restype = ctypes.c_long
            print(library.read_clock())
            _ctypes.dlclose(library._handle)
        """,
        np=1,
    )
    assert lines == {0: ["10"] * 3}
