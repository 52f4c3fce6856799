"""Sockets in ranks: simulated hosts have addresses, and a waiting rank lets others run."""

from collections.abc import Callable

Lines = Callable[..., dict[int, list[str]]]


def test_a_server_waits_before_its_client_comes(lines_of: Lines) -> None:
    """Rank 0 accepts while rank 1 sleeps; more bytes than a socket buffers go in both directions."""
    lines = lines_of(
        """
        import socket, time
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        size = 1 << 23
        def receive(end):
            parts = []
            while sum(map(len, parts)) < size:
                parts.append(end.recv(1 << 16))
            return b"".join(parts)
        if comm.rank == 0:
            server = socket.socket()
            server.bind((socket.gethostname(), 0))
            server.listen(0)
            comm.send((socket.gethostname(), server.getsockname()[1]), 1)
            end = server.accept()[0]
            with server, end:
                print(receive(end) == b"x" * size, time.time() >= 1.0)
                end.sendall(b"y" * size)
        elif comm.rank == 1:
            address = comm.recv()
            time.sleep(1.0)
            with socket.create_connection(address) as end:
                end.sendall(b"x" * size)
                print(receive(end) == b"y" * size)
        """
    )
    assert {rank: printed for rank, printed in lines.items() if printed} == {0: ["True True"], 1: ["True"]}


def test_hosts_have_ports_of_their_own(lines_of: Lines) -> None:
    """The address of a simulated host is the same for all ranks; other names are looked up as usual."""
    lines = lines_of(
        """
        import socket
        from mpi4py import MPI
        names = MPI.COMM_WORLD.allgather(socket.gethostname())
        addresses = {name: socket.gethostbyname(name) for name in names}
        print(len(set(addresses.values())) == len(set(names)), socket.gethostbyname("127.0.0.1"))
        """
    )
    assert lines == {rank: ["True 127.0.0.1"] for rank in range(3)}


def test_timeouts_pass_on_the_simulated_clock(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import socket, time
        one, other = socket.socketpair()
        one.settimeout(0.03)
        begun = time.time()
        try:
            one.recv(1)
        except TimeoutError:
            print(0.03 <= time.time() - begun < 0.1)
        one.setblocking(False)
        try:
            one.recv(1)
        except BlockingIOError:
            print("not blocking")
        one.close()
        other.close()
        """
    )
    assert lines == {rank: ["True", "not blocking"] for rank in range(3)}
