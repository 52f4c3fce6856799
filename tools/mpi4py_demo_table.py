"""mpi4py's demos: command lines, sizes, and what they print under a real MPI. Read by mpi4py_demos.py."""

import dataclasses
import shlex
import sys
import sysconfig

__all__ = ["DEMOS", "NOT_RUN", "Demo"]

PYTHON = shlex.quote(sys.executable)
SIZES = (2, 5, 16)
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
INCLUDE = f"-I{sysconfig.get_path('include')} -I$({PYTHON} -c 'import mpi4py; print(mpi4py.get_include())')"
SHARED = "mpicc -shared -fPIC -o"
COMPILER = "mpicc mpichversion"  # of MPICH, whose ABI is ours


@dataclasses.dataclass(frozen=True)
class Demo:
    """Command line of a demo.

    Attributes:
        folder: working directory below demo/.
        command: words after `pysmpirun -np N`.
        sizes: values of N; 0 means a plain interpreter, for demos that start launchers themselves.
        stdin: input of rank 0.
        prints: pattern that the whole standard output must match; {n} is the number of ranks.
        build: shell command to run first.
        needs: required programs and modules.
    """

    folder: str
    command: str
    sizes: tuple[int, ...] = SIZES
    stdin: str = ""
    prints: str = r"(?s).*"
    build: str = ""
    needs: str = ""


PI = r"3\.1416009869231\d*"
INTERVALS = r"Enter the number of intervals: \(0 quits\) "
SCRIPT = f"for i in master worker; do (echo '#!{PYTHON}'; cat cpi-$i.py) > cpi-$i-py.exe; chmod +x cpi-$i-py.exe; done"
HELLO = r"(Hello, World! I am process \d+ of {n} on \S+\n){{{n}}}"
WRAPPED = r"((You passed MPI_COMM_NULL !!!|Hello, World! I am process \d+ of {n} on +\S+)\n)+"
TABLE = r"# MPI [^\n]*\n# Size \[B\][^\n]*\n( +\d+ +\d+\.\d\d( .*)?\n)+"
PRIMES = r"(\d+ is prime: (True|False)\n)+"
POOL_PI = r"pi: 3\.14159392515554\d*, error: 1\.272e-06 \(256 intervals, \d+ workers\)\n"
# The Fortran worker of the Mandelbrot demo, in Python.
MANDELBROT = f"""cat > mandelbrot-worker.exe <<'END'
#!{PYTHON}
from mpi4py import MPI
import numpy
master = MPI.Comm.Get_parent()
box, counts = numpy.empty(4, "f"), numpy.empty(3, "i")
master.Bcast([box, MPI.REAL], root=0)
master.Bcast([counts, MPI.INTEGER], root=0)
(x1, x2, y1, y2), (w, h, most) = box, counts
lines = numpy.arange(master.rank, h, master.size, dtype="i")
x, y = numpy.meshgrid(x1 + numpy.arange(w) * (x2 - x1) / w, y1 + lines * (y2 - y1) / h)
c, z, steps = x + 1j * y, numpy.zeros(x.shape, "D"), numpy.zeros(x.shape, "i")
for _ in range(most):
    inside = abs(z) < 2
    steps += inside
    z[inside] = z[inside] ** 2 + c[inside]
master.Gather(sendbuf=[numpy.array(len(lines), "i"), MPI.INTEGER], recvbuf=None, root=0)
master.Gatherv(sendbuf=[lines, MPI.INTEGER], recvbuf=None, root=0)
master.Gatherv(sendbuf=[steps, MPI.INTEGER], recvbuf=None, root=0)
master.Disconnect()
END
chmod +x mandelbrot-worker.exe"""
# A server and its client are two jobs of mpiexec; here one job starts both.
SERVICE = """cat > service.py <<'END'
import runpy, sys, time
from mpi4py import MPI
parent = MPI.Comm.Get_parent()
if parent != MPI.COMM_NULL:
    parent.Disconnect()
    del sys.argv[0]
    if sys.argv[0] == "server":
        runpy.run_module("mpi4py.futures.server", run_name="__main__", alter_sys=True)
    else:
        runpy.run_path("test_service.py", run_name="__main__")
else:
    for kind, ranks, arguments in ("server", 2, sys.argv[1]), ("client", 1, sys.argv[2]):
        MPI.COMM_SELF.Spawn(sys.executable, [__file__, kind, *arguments.split()], ranks).Disconnect()
        time.sleep(1)
END"""
OPTIONS = [f"{name}={value}" for name, values in {
    "threads": "true false", "thread_level": "single funneled serialized multiple", "fast_reduce": "true false",
    "recv_mprobe": "true false", "irecv_bufsz": "0 1 1024", "errors": "default exception abort fatal",
}.items() for value in values.split()]  # fmt: skip
EXAMPLES = "2.01 2.08 2.16 2.29 2.32 2.34 2.35 3.01 3.02 3.03 3.04 3.05 3.06 3.07 3.08 3.09 3.11 3.12 3.13".split()  # noqa: SIM905

DEMOS = [
    Demo("", "helloworld.py", prints=HELLO),
    *(Demo("", f"osu_{name}.py", (2, 5), prints=TABLE)
      for name in ("allgather", "alltoall", "alltoallv", "barrier", "bcast", "gather", "scatter")),
    Demo("", "osu_multi_lat.py", (2, 4), prints=TABLE),  # pairs of ranks
    *(Demo("", f"osu_{name}.py", (2,), prints=TABLE) for name in ("bibw", "bw", "latency")),
    *(Demo("compute-pi", f"cpi-{name}.py", stdin="100\n",
           prints=f"{INTERVALS}pi is approximately {PI}, error is 0.000008333333\\d*\n{INTERVALS}\n?")
      for name in ("cco", "rma")),
    *(Demo("compute-pi", f"cpi-dpm.py {count}", (1,), stdin="100\n",
           prints=rf"{INTERVALS}computed pi is: +{PI}\nabsolute error:  0.000008333333\d*\n"
                  rf"computing units: {count} processes\nwall clock time: \S+ seconds\n") for count in (1, 5, 16)),
    *(Demo("futures", f"run_{name}.py", (1,), prints=prints)
      for name, prints in {"cpi": POOL_PI, "hello": r"(?s).*Hello.*", "primes": PRIMES}.items()),
    *(Demo("futures", f"run_{name}.py", (2, 5)) for name in ("julia", "mandelbrot")),
    *(Demo("futures", f"-m mpi4py.futures run_{name}.py", prints=prints)
      for name, prints in {"cpi": POOL_PI, "hello": r"(?s).*Hello.*", "primes": PRIMES}.items()),
    *(Demo("futures", f"-m mpi4py.futures run_{name}.py", (5,)) for name in ("julia", "mandelbrot")),
    Demo("futures", "test_futures.py", (1, 2, 5)),
    Demo("futures", "-m mpi4py.futures test_futures.py", (1, 2, 5)),
    *(Demo("futures", f"service.py '{server}' '{client}'", (1,), build=SERVICE) for server, client in {
        "--bind localhost": "--host localhost", "--port 31414 --info a=x,b=y": "--port 31414 --info a=x,b=y",
        "": "", "--service test-service": "--service test-service"}.items()),
    *(Demo("init-fini", f"test_0.py {option}", (2,)) for option in OPTIONS),
    *(Demo("init-fini", f"test_{name}.py", (2, 5)) for name in ("1", "2", "3", "4", "5", "6", "mpi40")),
    Demo("mandelbrot", "mandelbrot-master.py", (1,), build=MANDELBROT),
    Demo("mandelbrot", "mandelbrot.py", (2, 4, 7)),
    Demo("mandelbrot", "mandelbrot-seq.py", (1,)),
    *(Demo("mpi-ref-v1", f"ex-{number}.py", (1, *SIZES)) for number in EXAMPLES),
    *(Demo("nxtval", f"nxtval-{name}.py") for name in ("threads", "dynproc", "onesided")),
    # Rank 0 clears the counter while other ranks may already count. Computation takes no time, so that rank 0 is not
    # late.
    Demo("nxtval", "--cfg=smpi/simulate-computation:no nxtval-mpi3.py"),
    Demo("nxtval", "nxtval-scalable.py", (2, 4)),  # its mutex is a race, which may take minutes with many ranks
    *(Demo("profiling", f"{name}.py", (8,)) for name in ("cpi", "ring", "threads")),
    Demo("reductions", "test_reductions.py -q"),
    Demo("sequential", "test_seq.py", prints=HELLO),
    Demo("spawning", "./cpi-master-py.exe ./cpi-worker-py.exe", (1,), build=SCRIPT,
         prints=r"(?s)\S+ -> \S+\npi: 3\.14160098692312\d*, error: 0\.000008333333\d*\n"),
    Demo("test-run", "test_run.py -v", (0,)),
    Demo("threads", "sendrecv.py", (1, 2)),
    Demo("wrap-c", "test.py", prints=WRAPPED, needs=COMPILER,
         build=f"{SHARED} helloworld{SUFFIX} {INCLUDE} helloworld.c"),
    Demo("wrap-ctypes", "test.py", prints=WRAPPED, needs=COMPILER, build=f"{SHARED} libhelloworld.so helloworld.c"),
    Demo("wrap-pybind11", "test.py", prints=WRAPPED, needs=f"{COMPILER} pybind11",
         build=f"mpicxx -shared -fPIC -o helloworld{SUFFIX} {INCLUDE} "
               f"$({PYTHON} -m pybind11 --includes) helloworld.cxx"),
    Demo("wrap-cython", "test.py", prints=WRAPPED, needs=f"{COMPILER} Cython",
         build=f"{PYTHON} -m cython helloworld.pyx && {SHARED} helloworld{SUFFIX} {INCLUDE} helloworld.c"),
    Demo("cython", "python -c 'import helloworld'", (1,), needs=f"{COMPILER} Cython",
         build=f"{PYTHON} -m cython helloworld.pyx && {SHARED} helloworld{SUFFIX} {INCLUDE} helloworld.c"),
    *(Demo("", f"-m mpi4py.bench {command}", sizes) for command, sizes in {
        "helloworld": (1, *SIZES), "ringtest -n 1024 -l 10": SIZES, "pingpong -n 1048576": (2,),
        "futures -w 3 -n 4096": (1,)}.items()),
    *(Demo("", "-m mpi4py.futures -m mpi4py.bench futures -n 4096", (n,)) for n in (2, 5)),
    Demo("", "-m mpi4py.run -rc threads=no,recv_mprobe=no helloworld.py", prints=HELLO),
    Demo("", "-m mpi4py --version", (1,), prints=r"mpi4py 4\.1\.2\n"),
    Demo("", "-m mpi4py --mpi-std-version", (1,), prints=r"MPI \d\.\d.*\n"),
]  # fmt: skip

NOT_RUN = {
    "check-mpiexec": "is about the launchers of real MPIs",
    "cuda-aware-mpi": "needs a GPU",
    "embedding, spawning in C, C++ and Fortran": "compiled programs; ranks run Python",
    "futures/perf_primes.py": "also measures concurrent.futures' pool of processes, which ranks cannot wait for",
    "futures/run_crawl.py, perf_crawl.py": "fetch pages from the Internet",
    "libmpi-cffi": "binds to all that MPICH has, what MPI 3.0 removed among it",
    "wrap-boost, wrap-nanobind, wrap-swig": "need boost.python, nanobind, swig",
    "wrap-cffi": "gives cffi a path where that wants a string: fails everywhere",
    "wrap-f2py, wrap-ctypes-f90, wrap-ctypes-f08": "need a Fortran compiler",
}
