"""Build a source distribution and a wheel into dist/, and check both.

The wheel is built from the source distribution and not from the tree, so that the build fails if a file is missing in
the source distribution. Checks: metadata (twine), no native sources and no tables of measurements in the wheel, and the
platform tag that auditwheel gives. Needs the extra ``release``. Releases contain wheels for all interpreters and
platforms, which cibuildwheel builds (pyproject.toml).
"""

import os
import pathlib
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
LEFT_OUT = (".cpp", ".hpp", ".h", ".map", "cffi_source.py", "default_functions.py", "decision_tables.py",
            "fortran_functions.py", "fortran_modules.py", ".csv.gz")  # fmt: skip
HEADERS = "pysmpi/include/"  # for programs that pysmpicc compiles


def run(*words: str | pathlib.Path) -> None:
    """Run a Python module of this environment, with its commands on PATH; end if it fails."""
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environment = {**os.environ, "PATH": path}
    done = subprocess.run([sys.executable, "-m", *map(str, words)], cwd=ROOT, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"check_distributions.py: {words[0]} ended with status {done.returncode}")


def main() -> None:
    """Build and check; the repaired wheel lies in dist/wheelhouse."""
    for old in [*DIST.glob("pysmpi-*"), *DIST.glob("wheelhouse/pysmpi-*")]:
        old.unlink()
    run("build", "--outdir", DIST)  # the source distribution, and from that the wheel
    run("twine", "check", "--strict", *DIST.glob("pysmpi-*"))
    (wheel,) = DIST.glob("pysmpi-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.startswith(HEADERS)]
    surplus = [name for name in names if name.endswith(LEFT_OUT)]
    if surplus:
        sys.exit(f"check_distributions.py: {wheel.name} has files that only the repository needs: {', '.join(surplus)}")
    run("auditwheel", "show", wheel)
    run("auditwheel", "repair", "--wheel-dir", DIST / "wheelhouse", wheel)


if __name__ == "__main__":
    main()
