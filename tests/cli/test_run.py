"""The command pysmpirun: what it runs, what it says when it cannot, and how it ends."""

import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from pysmpi.simulation.settings.mpi_libraries import DEFAULT

Command = Callable[..., subprocess.CompletedProcess[str]]

RANKS = "from mpi4py import MPI\nprint(MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size, __import__('sys').argv[1:])\n"


@pytest.mark.parametrize(
    "words",
    [
        ["-np", "3", "program.py", "a", "-b"],
        ["-n", "3", "--quiet", "python", "program.py", "a", "-b"],
        ["--np=3", "python3.11", "-u", "program.py", "a", "-b"],
        ["-np", "3", "-m", "program", "a", "-b"],
        ["-np", "3", sys.executable, "-m", "program", "a", "-b"],
    ],
)
def test_ways_to_name_the_program(pysmpirun: Command, words: list[str]) -> None:
    """script.py, python script.py and -m module run alike, and what follows belongs to the program."""
    run = pysmpirun(*words, source=RANKS)
    assert (run.returncode, run.stdout) == (0, "".join(f"{rank} 3 ['a', '-b']\n" for rank in range(3)))


def test_a_module_in_folders_without_init(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    """-m finds a module in packages inside each other that have no __init__.py."""
    inner = tmp_path / "outer" / "middle" / "inner"
    inner.mkdir(parents=True)
    (inner / "__main__.py").write_text(RANKS)
    run = pysmpirun("-np", "2", "-m", "outer.middle.inner", "a")
    assert (run.returncode, run.stdout) == (0, "0 2 ['a']\n1 2 ['a']\n")


def test_a_program_on_the_command_line(pysmpirun: Command) -> None:
    """python -c runs a program given as text."""
    run = pysmpirun("-np", "2", "python", "-c", "from mpi4py import MPI; print(MPI.COMM_WORLD.rank)")
    assert (run.returncode, run.stdout) == (0, "0\n1\n")


def test_several_programs(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    """mpiexec's MPMD form gives each program its ranks, its arguments and its own modules."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "helper.py").write_text(f"words = [{name!r}]\n")
        (tmp_path / name / "main.py").write_text(
            "import sys, helper\nfrom mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\n"
            "print(MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size, sys.argv, helper.words)\n"
        )
    run = pysmpirun("-np", "1", "one/main.py", "x", ":", "-np", "2", "two/main.py", "y", "z")
    assert run.returncode == 0
    assert sorted(run.stdout.splitlines()) == [
        "0 3 ['one/main.py', 'x'] ['one']",
        "1 3 ['two/main.py', 'y', 'z'] ['two']",
        "2 3 ['two/main.py', 'y', 'z'] ['two']",
    ]


def test_the_summary(pysmpirun: Command) -> None:
    source = "from mpi4py import MPI\nc = MPI.COMM_WORLD\nc.sendrecv(None, c.rank ^ 1, source=c.rank ^ 1)"
    run = pysmpirun("-np", "2", "program.py", source=source)
    assert run.returncode == 0
    assert "simulated time" in run.stderr and "wall time" in run.stderr and "2 ranks" in run.stderr
    assert "2 messages" in run.stderr and run.stderr.count("\n") == 4
    assert "peak memory" not in run.stderr and "conditions: " not in run.stderr
    details = pysmpirun("-np", "2", "--verbose", "program.py", source=source).stderr
    assert "events/s" in details and "peak memory" in details and "\npysmpi: conditions: " in details
    assert pysmpirun("-np", "2", "--quiet", "program.py").stderr == ""


def test_labels_and_whole_lines(pysmpirun: Command) -> None:
    """--label names the rank of each line, and lines are never torn, however they are written."""
    source = """
        import sys
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        for word in ("one", "two"):
            print(word, end=" ", flush=True)
            comm.Barrier()
        sys.stdout.write("three\\nfour")
        comm.Barrier()
        sys.stdout.buffer.write(b" five\\n")
        print("last", end="")
        print("wrong", file=sys.stderr)
        """
    run = pysmpirun("-np", "3", "--label", "--quiet", "program.py", source=source)
    assert run.returncode == 0
    expected = {f"[{rank}] {text}" for rank in range(3) for text in ("one two three", "four five", "last")}
    assert set(run.stdout.splitlines()) == expected
    assert sorted(run.stderr.splitlines()) == [f"[{rank}] wrong" for rank in range(3)]


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("pass", 0),
        ("sys.exit(7) if rank == 1 else None", 7),
        ("sys.exit('message') if rank == 2 else None", 1),
        ("sys.exit(0)", 0),
        ("comm.Abort(9) if rank == 1 else comm.recv()", 9),
        ("comm.Abort(0) if rank == 1 else comm.recv()", 0),
        ("comm.Abort(256) if rank == 1 else comm.recv()", 1),
        ("os.kill(os.getpid(), 15) if rank == 1 else None", 143),
        ("1 / 0 if rank == 2 else comm.recv()", 1),
        ("raise SystemExit(300)", 44),
        ("os._exit(5) if rank == 0 else None", 5),
    ],
)
def test_exit_status(pysmpirun: Command, program: str, status: int) -> None:
    """The exit status is the program's, whichever way it ends."""
    source = f"import os, sys\nfrom mpi4py import MPI\ncomm = MPI.COMM_WORLD\nrank = comm.rank\n{program}\n"
    run = pysmpirun("-np", "3", "program.py", source=source)
    assert run.returncode == status, run.stderr
    assert ("message\n" in run.stderr) == ("message" in program)


def test_sys_exit_ends_one_rank(pysmpirun: Command) -> None:
    """The others go on, and may still talk to each other."""
    source = """
        import sys
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        rest = comm.Split(0 if comm.rank < 3 else 1)
        if comm.rank == 3:
            sys.exit(4)
        print(rest.allreduce(comm.rank))
        """
    run = pysmpirun("-np", "4", "program.py", source=source)
    assert (run.returncode, run.stdout) == (4, "3\n3\n3\n")


def test_a_rank_that_raises(pysmpirun: Command) -> None:
    source = """
        import time
        from mpi4py import MPI
        comm = MPI.COMM_WORLD

        def work():
            if comm.rank == 5:
                time.sleep(1)
                raise ValueError("no such matrix")
            try:
                comm.recv(source=5)
            finally:
                print("cleaning")
                comm.send(None, dest=0)

        work()
        """
    run = pysmpirun("-np", "20", "--quiet", "program.py", source=source)
    assert run.returncode == 1
    assert run.stdout.splitlines() == ["cleaning"] * 19
    lines = [line for line in run.stderr.splitlines() if line.strip("~^ ")]  # Python 3.13 marks places
    assert lines == [
        "rank 5 (host node0) raised ValueError; the other ranks are stopped",
        "Traceback (most recent call last):",
        '  File "program.py", line 16, in <module>',
        "    work()",
        '  File "program.py", line 9, in work',
        '    raise ValueError("no such matrix")',
        "ValueError: no such matrix",
    ]


def test_a_rank_that_swallows_errors_is_stopped_too(pysmpirun: Command) -> None:
    """A loop that catches every Exception ends when the rank is stopped, and so does one that polls."""
    source = """
        import time
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            time.sleep(1)
            raise RuntimeError("enough")
        while True:
            try:
                if comm.rank == 1:
                    comm.recv(source=2)
                elif comm.rank == 2:
                    comm.Iprobe()
                elif comm.rank == 3:
                    time.sleep(10)
                else:
                    comm.barrier()
            except Exception:
                pass
        """
    run = pysmpirun("-np", "5", "--quiet", "program.py", source=source)
    assert run.returncode == 1
    assert run.stderr.count("Traceback") == 1


def test_abort_is_reported(pysmpirun: Command) -> None:
    """MPI_Abort says which rank called it."""
    source = "from mpi4py import MPI\nc = MPI.COMM_WORLD\nc.Abort(3) if c.rank == 1 else c.barrier()"
    run = pysmpirun("-np", "3", "--quiet", "program.py", source=source)
    assert (run.returncode, run.stderr) == (3, "rank 1 (host node0) called MPI_Abort(3); all ranks are stopped\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-np", "2", "progam.py"], "cannot find the script 'progam.py'; did you mean 'program.py'?"),
        (["-np", "2", "-m", "progrm"], "cannot find a module 'progrm' to run; did you mean 'program'?"),
        (
            ["-np", "2", "--hostfil", "x", "program.py"],
            "unknown option '--hostfil'; did you mean --hostfile? (pysmpirun --help lists all options)",
        ),
        (["-np", "two", "program.py"], "option -np: 'two' is not a whole number (valid: 1 or more)"),
        (["-np", "0", "program.py"], "option -np: '0' is too small (valid: 1 or more)"),
        (["-np"], "option -np needs a value"),
        (["program.py"], "-np N is required: the number of ranks of program.py"),
        (["-np", "2"], "a program is required: script.py"),
        (["-np", "2", "-trace", "program.py"], "'-trace' is smpirun's option; pysmpirun has --trace FILE"),
        (
            ["-np", "2", "-trace-ti", "-trace-file", "f", "program.py"],
            "option -trace-ti needs a value: --trace-ti DIR; '-trace-file' after it is another option (name the output",
        ),
        (["-np", "2", "-wrapper", "x", "program.py"], "run the interpreter in the wrapper: WRAPPER python -m"),
        (["-np", "2", "/bin/true"], "cannot run '/bin/true': it is linked with no MPI library"),
        (
            ["-np", "2", "--cfg=smpi/wtim:0", "program.py"],
            "command line: unknown option 'smpi/wtim'; did you mean 'smpi/wt",
        ),
        (["-np", "2", "--cfg=smpi/wtime", "program.py"], "command line: 'smpi/wtime' is not of the form KEY:VALUE"),
        (
            ["-np", "2", "--cfg=network/model:LV8", "program.py"],
            "unknown network/model 'LV8'; did you mean 'LV08'? (valid: SMPI, IB, LV08, CM02, ",
        ),
        (["-np", "2", "--cfg=smpi/wtime:-1", "program.py"], "'-1' is not valid for smpi/wtime: -1 is below 0"),
        (
            ["-np", "2", "--cfg=smpi/pedantic:yes", "program.py"],
            "pysmpi does not have SimGrid's option 'smpi/pedantic'",
        ),
        (
            ["-np", "2", "--cfg=network/latency-factor:2", "program.py"],
            "network/latency-factor has no effect under network/model:SMPI; set smpi/lat-factor instead",
        ),
        (["-np", "129", "program.py"], "129 ranks, but the platform has 128 cores on 8 hosts"),
        (["-np", "2", "--hostfile", "none", "program.py"], "cannot read the hostfile none: No such file or directory"),
    ],
)
def test_what_cannot_be_run(pysmpirun: Command, words: list[str], expected: str) -> None:
    run = pysmpirun(*words, source="pass")
    assert run.returncode == 2
    assert run.stderr.startswith("pysmpirun: error: ")
    assert expected in run.stderr
    assert "Traceback" not in run.stderr


def test_a_platform_file_with_an_error(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    """The message begins with the file and the line."""
    (tmp_path / "bad.xml").write_text('<?xml version="1.0"?>\n<platform version="4.1">\n<zone id="z" routng="Full"/>\n')
    run = pysmpirun("-np", "2", "program.py", source="pass", platform="bad.xml")
    assert run.returncode == 2
    assert run.stderr.startswith("pysmpirun: error: bad.xml:3: ")
    assert "routing" in run.stderr
    missing = pysmpirun("-np", "2", "program.py", source="pass", platform="none.xml")
    assert missing.returncode == 2 and "none.xml" in missing.stderr


def test_a_script_with_a_syntax_error(pysmpirun: Command) -> None:
    run = pysmpirun("-np", "4", "program.py", source="x = (1,\n\ndef f(:\n")
    assert run.returncode == 1
    assert run.stderr.count("SyntaxError") == 1 and 'File "program.py"' in run.stderr


def test_hostfile_and_map(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    """Lines host, host:n and host slots=n place ranks in order; --map prints where; -np may be left out."""
    (tmp_path / "hosts").write_text("# places\nnode3\nnode1:2  # two\n\nnode0 slots=2\n")
    expected = [f"rank {rank} -> {host}" for rank, host in enumerate(["node3", "node1", "node1", "node0", "node0"])]
    for spelling in ("-hostfile", "--machinefile"):
        run = pysmpirun("-np", "4", spelling, "hosts", "-map", "program.py", source="pass")
        assert (run.returncode, run.stdout.splitlines()) == (0, expected[:4])
    run = pysmpirun("--hostfile", "hosts", "--map", "program.py")
    assert (run.returncode, run.stdout.splitlines()) == (0, expected)


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        ("# none\n\nnode0:0\n", "hosts: the hostfile has no place for a rank"),
        ("node0\nnod1\n", "hosts:2: "),
        ("node0:x\n", "hosts:1: 'x' ranks on node0: the number of ranks must be a whole number, 0 or more"),
        ("node0 8\n", "hosts:1: 'node0 8' is not of the form 'host', 'host:n' or 'host slots=n'"),
    ],
)
def test_hostfiles_with_errors(pysmpirun: Command, tmp_path: pathlib.Path, hosts: str, expected: str) -> None:
    """The message names the file and the line."""
    (tmp_path / "hosts").write_text(hosts)
    run = pysmpirun("-np", "4", "--hostfile", "hosts", "program.py", source="pass")
    assert run.returncode == 2
    assert expected in run.stderr


def test_a_hostfile_with_too_few_places_begins_again(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    (tmp_path / "hosts").write_text("node0\nnode1:2\n")
    run = pysmpirun("-np", "5", "--hostfile", "hosts", "--map", "--quiet", "program.py", source="pass")
    assert run.stdout.split()[3::4] == ["node0", "node1", "node1", "node0", "node1"]
    assert run.stderr == (
        "pysmpirun: warning: hosts: 5 ranks, but the hostfile has 3 places; ranks 3 and up begin again with its first "
        "line, as under smpirun\n"
    )


def test_print_config_tells_where_values_come_from(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    (tmp_path / "own.xml").write_text(
        '<platform version="4.1"><config><prop id="smpi/os" value="0:1e-6:0"/>'
        '<prop id="smpi/wtime" value="1us"/></config>'
        '<cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us"/></platform>'
    )
    run = pysmpirun("--cfg=smpi/wtime:2e-8", "--cfg=network/model:LV08", "--print-config", platform="own.xml")
    assert run.returncode == 0
    lines = {line.partition(":")[0]: line for line in run.stdout.splitlines()}
    assert lines["smpi/wtime"].startswith("smpi/wtime:2e-8 ") and lines["smpi/wtime"].endswith("[command line]")
    assert "0:1e-6:0" in lines["smpi/os"] and "own.xml" in lines["smpi/os"]
    assert (
        lines["network/weight-S"].endswith("[default of network/model:LV08]") and ":20537 " in lines["network/weight-S"]
    )
    assert lines["smpi/test"].endswith(f"[mpi:{DEFAULT.name} (default)]")
    assert lines["smpi/cpu-threshold"].endswith("[default]")


def test_help_and_version(pysmpirun: Command) -> None:
    """Both are printed, and nothing is run."""
    for word in ("--help", "-help", "-h"):
        assert pysmpirun(word).stdout.startswith("usage: pysmpirun -np N [--platform FILE]")
    assert pysmpirun("--version").stdout.startswith("pysmpirun ")


def test_default_machine(platform_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Without --platform the laptop is simulated, which is said; --smpi needs a platform, as smpirun does."""
    (tmp_path / "program.py").write_text("from mpi4py import MPI\nprint(MPI.Get_processor_name())\n")
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", "1", "program.py"]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "laptop\n")
    assert run.stderr.startswith("pysmpirun: no --platform given: simulating 'laptop'")
    assert ", 1 rank on " in run.stderr
    command.insert(3, "--smpi")
    run = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr.startswith("pysmpirun: error: --smpi needs --platform")


def test_two_runs_are_equal(pysmpirun: Command) -> None:
    """Also for a program that iterates over a set of strings and draws random numbers."""
    source = """
        import random, tempfile
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        for word in {"alpha", "beta", "gamma", "delta"}:
            comm.bcast(word * random.randint(1, 1000))
            print(comm.rank, word, MPI.Wtime())
        """
    words = ["-np", "3", "--quiet", "--cfg=smpi/simulate-computation:no", "program.py"]
    assert pysmpirun(*words, source=source).stdout == pysmpirun(*words).stdout != ""


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (signal.SIGINT, "interrupted"),
        (signal.SIGTERM, "terminated by SIGTERM"),
        (signal.SIGHUP, "terminated by SIGHUP"),
    ],
)
def test_signals_that_stop_a_run(
    number: signal.Signals, said: str, platform_file: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "program.py").write_text(
        "from mpi4py import MPI\nimport itertools\ntry:\n    for step in itertools.count():\n"
        "        MPI.COMM_WORLD.barrier()\n        if step == 100:\n            print('begun', flush=True)\n"
        "finally:\n    print('ended')\n"
    )
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", "2", "--platform", str(platform_file), "program.py"]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, cwd=tmp_path, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # which nohup has set to be ignored
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        assert [process.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
        process.send_signal(number)
        assert process.stdout.read() == "ended\nended\n"
        errors = process.stderr.read()
    assert process.returncode == 128 + number
    assert errors.startswith(f"pysmpi: {said} at ")
    assert f"\npysmpirun: {said}\npysmpi: simulated time " in errors


def test_signal_to_processes_of_a_run(platform_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The run and its variants are processes; a signal to the first one stops all. A rank's own child ends as usual."""
    (tmp_path / "program.py").write_text(
        "from mpi4py import MPI\nimport multiprocessing, time\n"
        "child = multiprocessing.get_context('fork').Process(target=time.sleep, args=(60,))\n"
        "child.start()\nchild.terminate()\nchild.join()\n"
        "try:\n    print('begun', child.exitcode, flush=True)\n    while True:\n        MPI.COMM_WORLD.barrier()\n"
        "finally:\n    print('ended', flush=True)\n"
    )
    words = ["-np", "1", "--platform", str(platform_file), "--what-if", "links*2", "program.py"]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-m", "pysmpi.cli.run", *words],
        cwd=tmp_path, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        begun = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert begun + process.stdout.read() == "begun -15\nended\n"
        assert "terminated by SIGTERM at" in process.stderr.read()
    assert process.returncode == 143


def test_a_signal_between_runs_apart(tmp_path: pathlib.Path) -> None:
    """Stop runs in processes of their own, too, without a traceback of ours."""
    (tmp_path / "program.py").write_text("print('begun', flush=True)\nwhile True:\n    pass\n")
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", "1", "--replicas", "2", "program.py"]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, cwd=tmp_path, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGTERM)
        errors = process.stderr.read()
    assert process.returncode == 143
    assert "terminated by SIGTERM" in errors and "Traceback" not in errors


def limited(limit: str) -> tuple[str, ...]:
    """Return the beginning of a command that runs the interpreter under a limit, such as ``ulimit -Sn 256``."""
    return "bash", "-c", f'{limit}; exec "$0" "$@"', sys.executable


def test_many_open_files(pysmpirun: Command) -> None:
    """The soft limit is raised at the start; at the hard limit errors explain themselves, whichever call they leave."""
    source = """
        import os, socket, sys, tempfile
        from mpi4py import MPI
        kinds = {
            "open": lambda: open("/dev/null"), "os": lambda: os.open("/dev/null", 0), "pipe": os.pipe,
            "socket": socket.socket, "temporary": tempfile.TemporaryFile,
            "mpi": lambda: MPI.File.Open(MPI.COMM_SELF, os.devnull),
        }
        kept = [kinds[sys.argv[1]]() for _ in range(300)]
        MPI.COMM_WORLD.barrier()
        print(len(kept))
    """
    words = ("-np", "2", "--quiet", "program.py")
    run = pysmpirun(*words, "open", source=source, python=limited("ulimit -Sn 256"))
    assert (run.returncode, run.stdout) == (0, "300\n300\n")
    for kind in ("open", "os", "pipe", "socket", "temporary", "mpi"):
        run = pysmpirun(*words, kind, source=source, python=limited("ulimit -n 256"))
        assert run.returncode == 1
        assert "all ranks are one process, which may have 256 files open" in run.stderr, kind


def test_a_traceback_shows_only_the_program(pysmpirun: Command) -> None:
    """Functions that pysmpi replaces, such as open, do not appear in it."""
    run = pysmpirun("-np", "1", "--quiet", "program.py", source="with open('missing.txt') as file:\n    file.read()\n")
    assert "FileNotFoundError" in run.stderr
    assert run.stderr.count("  File ") == 1


def test_ranks_own_files_on_a_full_disk(pysmpirun: Command) -> None:
    """A rank that writes too much gets the error; if a report or a last line does not fit, a line says so."""
    files = ("--rank-stdout", "out", "--quiet", "program.py")
    full = limited("ulimit -f 8")  # 8 KiB a file
    run = pysmpirun("-np", "1", *files, source="print('x' * 20_000, end='')", python=full)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "pysmpirun: --rank-stdout: rank-0.out is incomplete: File too large\n"
    source = "import sys\nsys.stderr.write('x' * 8_191 + '\\n')\nprint('y' * 20_000)\n"
    run = pysmpirun("-np", "1", *files, source=source, python=full)
    assert run.returncode == 1
    assert run.stderr.startswith("rank 0 (host node0) raised OSError; the other ranks are stopped\nTraceback")
    assert run.stderr.count("Traceback") == 1
    assert run.stderr.endswith("OSError: [Errno 27] File too large\n") or run.stderr.endswith(
        "\npysmpirun: --rank-stdout: rank-0.err is incomplete: File too large\n"
    )


def test_errors_at_the_interpreters_exit(pysmpirun: Command) -> None:
    """Communicators, requests, windows onto freed things and keyvals that are left behind end cleanly."""
    source = """
        import atexit, sys
        import numpy as np
        from mpi4py import MPI
        comm = MPI.COMM_WORLD.Dup()
        key = MPI.Comm.Create_keyval(delete_fn=lambda *arguments: None)
        comm.Set_attr(key, object())
        pending = comm.Irecv(np.zeros(3), source=0)
        operation = MPI.Op.Create(lambda a, b, kind: None)
        atexit.register(lambda: 1 / 0)
        def last():
            MPI.Finalize()
        atexit.register(last)
        """
    run = pysmpirun("-np", "3", "--quiet", "program.py", source=source)
    assert run.returncode == 0
    assert run.stderr.count("ZeroDivisionError: division by zero") == run.stderr.count("Traceback") == 3


@pytest.mark.parametrize("option", ["--trace {}", "--profile={}"])
def test_programs_are_not_written_over(pysmpirun: Command, tmp_path: pathlib.Path, option: str) -> None:
    program = tmp_path / "mine.py"
    program.write_text("print('hello')\n")
    run = pysmpirun("-np", "1", *option.format(program).split(), str(program))
    assert (run.returncode, run.stdout) == (2, "")
    assert "refusing to overwrite an input file" in run.stderr
    assert program.read_text() == "print('hello')\n"


@pytest.mark.parametrize("closed", [(0,), (1,), (0, 1, 2)])
def test_closed_streams(tmp_path: pathlib.Path, closed: tuple[int, ...]) -> None:
    """Programs whose output nobody wants run all the same, and no file is taken for a stream."""
    (tmp_path / "program.py").write_text("print('told')\nopen('kept', 'w').write('kept')\n")
    redirections = " ".join(f"{descriptor}>&-" for descriptor in closed)
    words = [sys.executable, "-m", "pysmpi.cli.run", "-np", "1", "--platform", "flat:2", "program.py"]
    command = ["bash", "-c", f'"$@" {redirections}', "bash", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ("" if 1 in closed else "told\n")
    assert (tmp_path / "kept").read_text() == "kept"


def test_output_that_nobody_reads_any_more(tmp_path: pathlib.Path) -> None:
    """After ``| head`` all ranks are stopped without a traceback."""
    (tmp_path / "program.py").write_text(
        "from mpi4py import MPI\nfor i in range(100_000):\n    print(i, flush=True)\nMPI.COMM_WORLD.recv()\n"
    )
    command = f"{sys.executable} -m pysmpi.cli.run -np 3 --platform flat:4 program.py"
    words = ["bash", "-c", f"{command} | head -n 2; echo status ${{PIPESTATUS[0]}}"]
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.stdout.splitlines()[-1] == "status 141"
    assert run.stderr == ""
