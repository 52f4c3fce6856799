"""Figures of matplotlib.pyplot, with a small stand-in for matplotlib."""

from collections.abc import Callable

HELPERS = """
from collections import OrderedDict
class Gcf:
    figs = OrderedDict()
    @classmethod
    def get_active(cls):
        return next(reversed(cls.figs.values())) if cls.figs else None
    @classmethod
    def set_active(cls, number, figure):
        cls.figs[number] = figure
        cls.figs.move_to_end(number)
    @classmethod
    def destroy(cls, number):
        cls.figs.pop(number, None)
"""


def test_each_rank_has_its_own_figures(pysmpirun, installed: Callable[[str, str], None]) -> None:
    installed("matplotlib/__init__.py", "")
    installed("matplotlib/_pylab_helpers.py", HELPERS)
    source = """
        from mpi4py import MPI
        from matplotlib._pylab_helpers import Gcf
        rank = MPI.COMM_WORLD.rank
        assert Gcf.get_active() is None
        for number in (7, rank):
            Gcf.set_active(number, f"{number} of {rank}")
        MPI.COMM_WORLD.Barrier()
        print(Gcf.get_active(), list(Gcf.figs), 7 in Gcf.figs, len(Gcf.figs))
        Gcf.destroy(rank)
        del Gcf.figs[7]
        MPI.COMM_WORLD.Barrier()
        print(Gcf.get_active())
        """
    run = pysmpirun("-np", "2", "--label", "--quiet", "program.py", source=source)
    lines = [f"[{rank}] {text}" for rank in range(2) for text in (f"{rank} of {rank} [7, {rank}] True 2", "None")]
    assert sorted(run.stdout.splitlines()) == sorted(lines), run.stderr
