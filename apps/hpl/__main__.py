"""Run Linpack as a module: ``python -m pysmpi.apps.hpl``, under a real MPI or in a simulation.

With ``--platform``, the program is run on that simulated machine, as by ``pysmpi hpl``.
"""

import pathlib
import runpy
import sys

if __name__ == "__main__":
    folder = pathlib.Path(__file__).resolve().parent
    if any(word.partition("=")[0] in ("-platform", "--platform") for word in sys.argv[1:]):
        from pysmpi.cli.main import main

        sys.exit(main(["hpl", *sys.argv[1:]]))
    sys.path.insert(0, str(folder))
    runpy.run_path(str(folder / "hpl.py"), run_name="__main__")
