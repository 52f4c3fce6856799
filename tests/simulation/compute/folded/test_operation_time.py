"""Simulated time of operations on folded arrays."""

import numpy as np
import pytest

import pysmpi

N = 1000  # order of matrices of 8 MB


def _seconds(statement):
    from mpi4py import MPI

    a, b, v = (pysmpi.folded_empty(shape) for shape in ((N, N), (N, N), N))
    plain = np.zeros((N, N))
    start = MPI.Wtime()
    exec(statement, {"np": np, "a": a, "b": b, "v": v, "p": plain, "pysmpi": pysmpi})
    return MPI.Wtime() - start


@pytest.mark.parametrize(
    ("statement", "megabytes"),
    [
        ("a + b", 24),
        ("a + 1", 16),
        ("a += b", 24),
        ("a > b", 17),
        ("np.sqrt(a)", 16),
        ("a.sum()", 8),
        ("a[:500] * 2", 8),
        ("a[...] = b", 16),
        ("a[:, :500] = 0", 4),
        ("p[...] = a", 16),
        ("p += a", 24),
        ("a[:500] += b[:500]", 12),
        ("a[:500] = b[:500]", 8),
        ("a.copy()", 16),
        ("a.astype(np.float32)", 12),
        ("a.T.reshape(-1)", 16),
        ("np.concatenate([a, b])", 32),
        ("np.where(a > 0, a, b)", 9 + 25),
        ("np.array(a)", 16),
        ("np.ascontiguousarray(a.T)", 16),
        ("a[[0, 1]]", 0.032),
        ("a.fill(1)", 8),
        ("a.T; a[1:3, ::2]; a.reshape(-1); a.ravel(); np.asarray(a); a[0, 0]; np.empty_like(a)", 0),
    ],
)
def test_operations_take_the_time_of_their_bytes(run, statement: str, megabytes: float) -> None:
    """Operands are read once and results written once; views take no time."""
    (seconds,) = run(_seconds, 1, statement, cfg={"smpi/memory-bandwidth": "1e9"}).values
    assert seconds == pytest.approx(megabytes * 1e-3, rel=1e-5, abs=1e-12)


@pytest.mark.parametrize(
    ("statement", "gigaflops"),
    [
        ("a @ b", 2.0),
        ("np.dot(a, b)", 2.0),
        ("a.dot(b)", 2.0),
        ("np.einsum('ij,jk', a, b)", 2.0),
        ("np.tensordot(a, b, 1)", 2.0),
        ("a.astype(complex) @ b", 8.0),
        ("np.linalg.solve(a, v)", 2 / 3 + 0.002),
        ("np.linalg.inv(a)", 2.0),
        ("np.linalg.cholesky(a)", 1 / 3),
    ],
)
def test_products_take_the_time_of_their_operations(run, statement: str, gigaflops: float) -> None:
    """At 1 Gflop/s the core needs longer than the memory."""
    (seconds,) = run(_seconds, 1, statement, cfg={"smpi/memory-bandwidth": "1e15"}).values
    assert seconds == pytest.approx(gigaflops, rel=1e-6)


def _untimed():
    from mpi4py import MPI

    a = pysmpi.folded_empty((N, N))
    start = MPI.Wtime()
    with pysmpi.untimed():
        a += a
    return MPI.Wtime() - start


def test_untimed_operations_are_free(run) -> None:
    assert run(_untimed, 1).values == [0.0]


def _measured():
    from mpi4py import MPI

    a = pysmpi.folded_empty((N, N))
    start = MPI.Wtime()
    for _ in range(100):
        a += a
    return MPI.Wtime() - start


def test_what_folding_costs_here_does_not_count(run) -> None:
    """Measured computation covers only the program's own: 100 additions of 24 MB, and little else."""
    (seconds,) = run(_measured, 1, cfg={"smpi/simulate-computation": "yes", "smpi/memory-bandwidth": "1e7"}).values
    assert 240.0 <= seconds < 241.0


HOSTS = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="slow" speed="1Gf"><prop id="memory-bandwidth" value="{}"/></host>
    <host id="usual" speed="1Gf"/>
  </zone>
</platform>
"""


def test_hosts_may_have_their_own_bandwidth(tmp_path) -> None:
    platform = tmp_path / "platform.xml"
    cfg = {"smpi/simulate-computation": "no", "smpi/wtime": 0}
    platform.write_text(HOSTS.format("1e9"))
    result = pysmpi.simulate(_seconds, np=2, platform=platform, cfg=cfg, args=["a + b"])
    assert result.values == pytest.approx([24e-3, 2.4e-3])
    platform.write_text(HOSTS.format("fast"))
    with pytest.raises(pysmpi.PysmpiError, match="property 'memory-bandwidth' of host 'slow' is 'fast'"):
        pysmpi.simulate(_seconds, np=2, platform=platform, cfg=cfg, args=["a + b"])


def _seconds_again(statement):
    from mpi4py import MPI

    a, b, c = (pysmpi.folded_empty((N, N)) for _ in range(3))
    code = compile(statement, "statement", "exec")
    names = {"np": np, "a": a, "b": b, "c": c}
    for _ in range(3):
        start = MPI.Wtime()
        exec(code, names)
        seconds = MPI.Wtime() - start
    return seconds


@pytest.mark.parametrize(
    ("statement", "near", "far"),
    [
        ("a += 1", 16, 0),  # no other array is touched in between: 8 MB
        ("np.add(a, b, out=c)", 0, 24),  # three arrays in turn: 24 MB
        (
            "np.add(a[1:], a[:-1], out=b[1:])",
            7.992,
            15.984,
        ),  # two passes, the second of which finds the data of the first in the cache
        ("np.add(a, b, out=a); c[...] = 0", 8, 24),
        ("c[...] = (a + b) * 2", 24, 32),  # the product overwrites the sum, and is assigned from there
    ],
)
def test_near_data_take_less_time(run, statement: str, near: float, far: float) -> None:
    """With arrays of 8 MB, data touched up to 8 MB ago have ten times the bandwidth."""
    cfg = {"smpi/memory-bandwidth": "8000000:1e10;8000001:1e9"}
    (seconds,) = run(_seconds_again, 1, statement, cfg=cfg).values
    assert seconds == pytest.approx((near / 10 + far) * 1e-3, rel=1e-4)


@pytest.mark.parametrize(
    ("statement", "megabytes"),
    [
        ("a + b", 0),  # reuses the memory of the previous result, which is freed
        ("c = a + b", 0),
        ("d = (a + b) * 3", 0),
        ("a[...] = (a + b) * (a - b)", 16),  # two results together: both are returned to the kernel
        ("np.concatenate([a] * 5)", 40),  # larger than the memory that the allocator keeps
    ],
)
def test_new_memory_takes_time(run, statement: str, megabytes: float) -> None:
    cfg = {"smpi/memory-bandwidth": "1e30", "smpi/new-memory-bandwidth": "0:1e12;4000000:1e9"}
    (seconds,) = run(_seconds_again, 1, statement, cfg=cfg).values
    assert seconds == pytest.approx(megabytes * 1e-3, rel=1e-4, abs=1e-12)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="NumPy's buffers were others before")
@pytest.mark.parametrize(
    ("statement", "megabytes"),
    [("a + b", 0), ("a[:, 1:] + b[:, 1:]", 2 * 7.992), ("a[:, 1:].sum()", 7.992), ("a + b[0]", 8)],
)
def test_buffers_take_time(run, statement: str, megabytes: float) -> None:
    cfg = {"smpi/memory-bandwidth": "1e30", "smpi/buffer-bandwidth": "1e9"}
    (seconds,) = run(_seconds_again, 1, statement, cfg=cfg).values
    assert seconds == pytest.approx(megabytes * 1e-3, rel=1e-4, abs=1e-12)
