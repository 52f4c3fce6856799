"""Child processes of ranks live in simulated time as long as they really run, however their rank waits for them.

A child of 0.3 s takes at least 0.3 simulated seconds, and more if this machine is loaded. On a loaded machine, files
and pipes may be ready before the simulated time at which the child would have written them.
"""

import pathlib
import subprocess
import sys
from collections.abc import Callable

import pysmpi

Command = Callable[..., subprocess.CompletedProcess[str]]
Lines = Callable[..., dict[int, list[str]]]

HEADER = """
    import asyncio, multiprocessing, os, select, subprocess, sys, threading, time
    from mpi4py import MPI
    CHILD = ["sleep", "0.3"]
    SHELL = ["sh", "-c", "sleep 0.3; echo x; touch done"]
    def start(command=CHILD, **options):
        return subprocess.Popen(command, **options)
    def took(name, function, least=0.3, most=3):
        begun = MPI.Wtime()
        result = function()
        seconds = MPI.Wtime() - begun
        print(name, result, "in time" if least - 0.01 <= seconds < most else f"took {seconds}")
    def turns(ended):
        count = 0
        while not ended():
            time.sleep(0.1)
            count += 1
        return count < 30
"""

WAITS = {
    "run": "took('run', lambda: subprocess.run(CHILD).returncode)",
    "run with a limit": "took('run', lambda: subprocess.run(CHILD, timeout=5).returncode)",
    "wait with a limit": "took('wait', lambda: start().wait(5))",
    "check_output": "took('output', lambda: subprocess.check_output(SHELL, timeout=5))",
    "communicate": "took('communicate', lambda: start(SHELL, stdout=-1, stderr=-1).communicate(timeout=5))",
    "output line by line": "took('lines', lambda: list(start(SHELL, stdout=-1, text=True).stdout))",
    "system": "took('system', lambda: os.system('sleep 0.3; exit 3') >> 8)",
    "popen": "took('popen', lambda: os.popen('sleep 0.3; echo x').read())",
    "waitpid": "took('waitpid', lambda: os.waitpid(start().pid, 0)[1])",
    "wait4": "took('wait4', lambda: os.wait4(start().pid, 0)[1])",
    "waitid": "took('waitid', lambda: os.waitid(os.P_PID, start().pid, os.WEXITED).si_status)",
    "polls": "child = start(); took('polls', lambda: turns(lambda: child.poll() is not None))",
    "polls without sleep": "child = start()\n    while child.poll() is None: pass\n    print(0.29 <= MPI.Wtime() < 3)",
    "polls of waitpid": "pid = start().pid; took('waitpid', lambda: turns(lambda: os.waitpid(pid, os.WNOHANG)[0]))",
    "polls of a pipe": (
        "child = start(SHELL, stdout=-1); "
        "took('select', lambda: turns(lambda: select.select([child.stdout], [], [], 0)[0]), 0)"
    ),
    "polls of a file": (
        "child = start(SHELL, stdout=-1); took('file', lambda: turns(lambda: os.path.exists('done')), 0)"
    ),
    "a descriptor of the process": (
        "looker = select.poll(); looker.register(os.pidfd_open(start().pid)); "
        "took('poll', lambda: len(looker.poll(5000)))"
    ),
    "is_alive": (
        "child = multiprocessing.Process(target=time.sleep, args=(0.3,)); child.start(); "
        "took('alive', lambda: turns(lambda: not child.is_alive()))"
    ),
    "a queue": (
        "queue = multiprocessing.Queue(); "
        "multiprocessing.Process(target=lambda: (time.sleep(0.3), queue.put(1))).start(); "
        "took('queue', lambda: turns(lambda: not queue.empty()), 0)"
    ),
    "asyncio": (
        "\n    async def main():\n        child = await asyncio.create_subprocess_exec(*CHILD)"
        "\n        return await child.wait()\n    took('asyncio', lambda: asyncio.run(main()))"
    ),
}


def test_a_wait_takes_as_long_as_the_child(pysmpirun: Command) -> None:
    """All ways to wait for a child of 0.3 s, each in a separate rank, at the same time."""
    source = HEADER + "    os.mkdir(str(MPI.COMM_WORLD.rank)); os.chdir(str(MPI.COMM_WORLD.rank))\n"
    for rank, wait in enumerate(WAITS.values()):
        source += f"    if MPI.COMM_WORLD.rank == {rank}:\n" + "\n".join(
            f"    {line}" if line.startswith("    ") else f"        {line}" for line in wait.split("\n")
        )
        source += "\n"
    settings = ("-np", str(len(WAITS)), "--quiet", "--label", "--cfg=smpi/simulate-computation:no")
    run = pysmpirun(*settings, "program.py", source=source)
    lines = dict(line.lstrip("[").split("] ", 1) for line in run.stdout.splitlines())
    for rank, name in enumerate(WAITS):
        line = lines[str(rank)]
        assert line.endswith(("in time", "True")) and "False" not in line, (name, line, run.stderr)


def test_a_child_lives_while_its_rank_does_other_things(pysmpirun: Command) -> None:
    """A wait takes no time if the child has ended in simulated time; a limit that expires takes the limit's time."""
    source = (
        HEADER
        + """
    child = start()
    time.sleep(20)
    print(child.poll(), child.wait(), MPI.Wtime())
    longer, shorter = start(["sleep", "0.4"]), start(["sleep", "0.2"])
    took("first", lambda: os.wait()[0] == shorter.pid, 0.2)
    took("second", lambda: os.wait3(0)[0] == longer.pid, 0)
    try:
        os.wait()
    except ChildProcessError as error:
        print(error)
    def late():
        try:
            subprocess.run(["sleep", "30"], timeout=0.2)
        except subprocess.TimeoutExpired:
            return "late"
    took("limit", late, 0.2)
    child = start(["sleep", "30"])
    time.sleep(0.1)
    child.terminate()
    took("signal", child.wait, 0, 5)
    """
    )
    run = pysmpirun("-np", "2", "--quiet", "--cfg=smpi/simulate-computation:no", "program.py", source=source)
    expected = ["0 0 20.0", "first True in time", "second True in time", "[Errno 10] No child processes"]
    expected += ["limit late in time", "signal -15 in time"]
    assert sorted(run.stdout.splitlines()) == sorted([*expected, *expected]), run.stderr


def test_other_ranks_and_threads_go_on(lines_of: Lines) -> None:
    lines = lines_of(
        HEADER
        + """
    if MPI.COMM_WORLD.rank == 0:
        thread = threading.Thread(target=subprocess.run, args=(CHILD,))
        thread.start()
        time.sleep(0.1)
        print(MPI.Wtime())
        took("join", thread.join, 0.15)
    else:
        time.sleep(0.2)
        print(MPI.Wtime())
    """,
        np=2,
    )
    assert lines == {0: ["0.1", "join None in time"], 1: ["0.2"]}


def test_a_run_with_children_counts_as_measured(platform_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(f"import subprocess\nsubprocess.run([{sys.executable!r}, '-c', 'pass'])\n")
    result = pysmpi.simulate(script, np=1, platform=platform_file, cfg={"smpi/simulate-computation": False})
    assert result.child_processes == 1
    assert "child processes measured on this machine" in result.conditions[0]
    assert "two runs are equal to the bit" not in result.conditions[1]
