"""Event loops of asyncio: each rank has its own, which wait in simulated time and let other ranks run."""

import asyncio
from collections.abc import Callable

import pytest

Lines = Callable[..., dict[int, list[str]]]

HEADER = """
    import asyncio, os, signal, sys, threading, time
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    rank = comm.rank
    def clock():
        return round(time.time(), 3)
"""


@pytest.fixture
def printed(lines_of: Lines) -> Lines:
    """Run coroutine `main` of a program on some ranks and return the lines that each has printed."""

    def run(source: str, **settings: object) -> dict[int, list[str]]:
        body = source.strip("\n")
        return lines_of(f"{HEADER}\n{body}\n    asyncio.run(main())\n", **settings)

    return run


def test_a_rank_communicates_in_a_coroutine(printed: Lines) -> None:
    """While it is blocked, other ranks start, run and end loops of their own."""
    lines = printed(
        """
    async def main():
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        await asyncio.sleep(0.5 * rank)
        print(clock(), await exchange())
        assert asyncio.get_running_loop() is loop and asyncio.current_task() is task
    async def exchange():
        return comm.sendrecv(rank, (rank + 1) % comm.size, source=(rank - 1) % comm.size)
    if rank == 0:
        asyncio.run(asyncio.sleep(0.25))
        """
    )
    assert lines == {0: ["0.25 2"], 1: ["0.5 0"], 2: ["1.0 1"]}


def test_timers_cancellation_and_groups(printed: Lines) -> None:
    lines = printed(
        """
    async def main():
        queue, event = asyncio.Queue(), asyncio.Event()
        async def produce():
            for i in range(3):
                await asyncio.sleep(0.1 + rank)
                await queue.put(i)
            event.set()
        async def consume():
            return [await queue.get() for _ in range(3)]
        print((await asyncio.gather(produce(), consume()))[1], event.is_set(), clock())
        try:
            await asyncio.wait_for(asyncio.Event().wait(), 1)
        except TimeoutError:
            print("late", clock())
        task = asyncio.create_task(asyncio.sleep(1e9))
        await asyncio.sleep(0)
        task.cancel()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(asyncio.sleep(i, i)) for i in range(3)]
        print([each.result() for each in tasks], task.cancelled(), clock())
        """
    )
    for rank in range(3):
        begun = 0.3 + 3 * rank
        assert lines[rank] == [
            f"[0, 1, 2] True {begun:.1f}", f"late {begun + 1:.1f}", f"[0, 1, 2] True {begun + 3:.1f}"
        ]  # fmt: skip


def test_threads_and_loops(printed: Lines) -> None:
    lines = printed(
        """
    async def main():
        loop = asyncio.get_running_loop()
        print(await asyncio.to_thread(comm.allreduce, 1), await loop.run_in_executor(None, time.sleep, 1 + rank))
        print(clock())
        event = asyncio.Event()
        threading.Timer(1, loop.call_soon_threadsafe, (event.set,)).start()
        await event.wait()
        print(clock())
        def other():
            asyncio.run_coroutine_threadsafe(asyncio.sleep(1), loop).result()
            return asyncio.run(asyncio.sleep(1, "other"))
        print(await asyncio.to_thread(other), clock())
        """
    )
    assert lines == {
        rank: ["3 None", str(1.0 + rank), str(2.0 + rank), f"other {4.0 + rank}"] for rank in range(3)
    }  # fmt: skip


def test_hooks_and_contexts_stay_with_their_loop(printed: Lines) -> None:
    lines = printed(
        """
    import contextvars
    variable = contextvars.ContextVar("variable")
    async def count():
        try:
            for i in range(9):
                comm.Barrier()
                yield i
        finally:
            print("closed", variable.get())
    async def main():
        variable.set(rank)
        counts = count()
        async for i in counts:
            await asyncio.sleep(0.1 * rank)
            if i == 3:
                break
        print(sys.get_asyncgen_hooks().finalizer is not None)
    def end():
        print(sys.get_asyncgen_hooks() == (None, None))
    import atexit; atexit.register(end)
        """
    )
    assert lines == {rank: ["True", f"closed {rank}", "True"] for rank in range(3)}


def test_policies_are_private(printed: Lines) -> None:
    lines = printed(
        """
    class Policy(asyncio.DefaultEventLoopPolicy):
        pass
    if rank == 1:
        asyncio.set_event_loop_policy(Policy())
    comm.Barrier()
    async def main():
        print(type(asyncio.get_event_loop_policy()).__name__)
        """
    )
    assert lines[1] == ["Policy"]
    assert lines[0] == lines[2] != ["Policy"]


def test_the_launcher_may_run_a_loop(run_ranks) -> None:
    """In a notebook, the simulation runs inside a running loop."""

    async def launch() -> list[int]:
        loop = asyncio.get_running_loop()
        values = run_ranks(lambda MPI: asyncio.run(asyncio.sleep(1, MPI.COMM_WORLD.rank)), 3)
        assert asyncio.get_running_loop() is loop
        return values

    assert asyncio.run(launch()) == [0, 1, 2]


def test_sockets_pipes_children_and_signals(printed: Lines) -> None:
    lines = printed(
        """
    async def serve(reader, writer):
        writer.write((await reader.readline()).upper())
        writer.close()
        await writer.wait_closed()
    async def main():
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "print(input().upper())", stdin=pipe, stdout=pipe
        )
        print((await child.communicate(b"text"))[0], child.returncode)
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        ports = comm.allgather(server.sockets[0].getsockname()[1])
        reader, writer = await asyncio.open_connection("127.0.0.1", ports[(rank + 1) % comm.size])
        writer.write(b"line\\n")
        print(await reader.read())
        writer.close()
        await writer.wait_closed()
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        loop.add_signal_handler(signal.SIGUSR1, event.set)
        threading.Timer(1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        await event.wait()
        request = comm.Ibarrier()
        while not request.Test():
            await asyncio.sleep(0)
        server.close()
        await server.wait_closed()
        """
    )
    assert list(lines.values()) == [["b'TEXT\\n' 0", "b'LINE\\n'"]] * 3


def test_a_stopped_rank_leaves_its_loop(pysmpirun) -> None:
    source = """
        import asyncio
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        async def main():
            if comm.rank == 2:
                raise ValueError("stop")
            try:
                comm.recv(source=2) if comm.rank else await asyncio.Event().wait()
            finally:
                print("left", comm.rank)
        asyncio.run(main())
        """
    run = pysmpirun("-np", "3", "--quiet", "program.py", source=source)
    assert run.returncode == 1
    assert sorted(run.stdout.splitlines()) == ["left 0", "left 1"]
    assert run.stderr.count("Traceback") == 1
    assert "Task" not in run.stderr
    assert "never awaited" not in run.stderr


def test_a_loop_that_nothing_wakes_is_a_deadlock(pysmpirun) -> None:
    source = """
        import asyncio
        from mpi4py import MPI
        async def main():
            await asyncio.Event().wait()
        asyncio.run(main())
        """
    run = pysmpirun("-np", "2", "--quiet", "program.py", source=source)
    assert run.returncode != 0
    assert "2 ranks are blocked and no event is pending" in run.stderr
    assert "Task" not in run.stderr


def test_a_loop_that_a_shared_module_keeps(pysmpirun, installed: Callable[[str, str], None]) -> None:
    """The rank that has created the first loop ends first."""
    installed(
        "keeper.py",
        """
        import asyncio, threading
        loop = [None]
        thread = None
        def run(coroutine):
            global thread
            if loop[0] is None:
                loop[0] = asyncio.new_event_loop()
                thread = threading.Thread(target=loop[0].run_forever, daemon=True)
                thread.start()
            return asyncio.run_coroutine_threadsafe(coroutine, loop[0]).result()
        """,
    )
    source = """
        import asyncio, time
        import keeper
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        async def task(number):
            await asyncio.sleep(1)
            return world.rank + number
        for number in (5, 7):
            time.sleep(2 * world.rank)
            print(world.rank, keeper.run(task(number)))
        """
    run = pysmpirun("-np", "3", "--quiet", "program.py", source=source)
    assert sorted(run.stdout.splitlines()) == ["0 5", "0 7", "1 6", "1 8", "2 7", "2 9"], run.stderr
