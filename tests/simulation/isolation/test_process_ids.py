"""Process ids of ranks: functions of os, files of /proc and psutil agree."""

from collections.abc import Callable

Lines = Callable[..., dict[int, list[str]]]


def test_proc_shows_the_process_id_of_the_rank(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import os, pathlib
        me = os.getpid()
        print(me, os.readlink("/proc/self"), open("/proc/self/stat").read().split()[0],
              open(f"/proc/{me}/stat", "rb").read().split()[0].decode(),
              [line.split()[1] for line in pathlib.Path("/proc/self/status").read_text().splitlines()
               if line.startswith("Pid:")][0])
        print(os.path.isdir(f"/proc/{me}/fd"), os.path.exists(f"/proc/{me + 50}"),
              len(os.listdir(f"/proc/{me}/fd")) > 2, os.path.exists("/proc/self/maps"), os.path.exists("/proc/meminfo"))
        print(os.path.realpath("/proc/self") == f"/proc/{me}", os.path.islink(f"/proc/{me}"),
              str(me) in os.listdir("/proc"), b"%d" % me in os.listdir(b"/proc"), os.path.islink("/proc/self"))
        """
    )
    for rank in range(3):
        assert lines[rank] == [
            " ".join([str(100_000 + rank)] * 5),
            "True False True True True",
            "True False True True True",
        ]


def test_psutil_finds_the_process_of_the_rank(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import os, psutil
        process = psutil.Process()
        print(process.pid == os.getpid(), process.memory_info().rss > 0, process.is_running(),
              len(process.cmdline()) > 0, process == psutil.Process(os.getpid()), psutil.pid_exists(os.getpid()),
              psutil.pid_exists(99_999_999), process.num_threads() > 0, process.cpu_times().user > 0,
              psutil.pids().count(os.getpid()))
        """
    )
    assert lines == {rank: ["True True True True True True False True True 1"] for rank in range(3)}
