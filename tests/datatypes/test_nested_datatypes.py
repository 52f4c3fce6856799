"""Random derived datatypes, nested, overlapping and with negative displacements, compared with type maps and a real
MPI."""

import ctypes
import json
import pathlib
import random
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nested_types import SIZES, Description, draw, external, facts, make, model, packed, unpacked, unpacked_external

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
MPIEXEC = pathlib.Path(sys.executable).parent / "mpiexec"

descriptions = st.builds(
    lambda seed, depth: draw(random.Random(seed), depth), st.integers(0, 2**32), st.integers(0, 4)
).filter(lambda description: len(model(description).items) < 2000)


@QUICK
@given(descriptions)
def test_size_and_bounds(MPI: ModuleType, description: Description) -> None:
    datatype, expected = make(MPI, description), model(description)
    offsets = expected.offsets
    assert datatype.Get_size() == len(offsets)
    assert datatype.Get_extent() == (expected.lower, expected.extent)
    true = (min(offsets), max(offsets) + 1 - min(offsets)) if offsets else (0, 0)
    assert datatype.Get_true_extent() == true
    free(datatype)


@QUICK
@given(descriptions, st.integers(0, 3))
def test_packing_follows_the_type_map(MPI: ModuleType, description: Description, count: int) -> None:
    """Each packed byte comes from its place in the type map; unpacking puts it back and changes nothing else."""
    datatype, expected = make(MPI, description), model(description)
    places = [i * expected.extent + offset for i in range(count) for offset in expected.offsets]
    origin = -min([0, *places])
    length = origin + max([0, *places]) + 1
    memory = (ctypes.c_ubyte * length)(*(1 + i % 251 for i in range(length)))
    data = packed(MPI, datatype, count, memory, origin)
    assert list(data) == [memory[origin + place] for place in places]
    again = (ctypes.c_ubyte * length)()
    unpacked(MPI, datatype, count, data, again, origin)
    touched = {origin + place for place in places}
    assert list(again) == [memory[i] if i in touched else 0 for i in range(length)]
    free(datatype)


def rebuilt(MPI: Any, datatype: Any) -> Any:
    """Return another type, made from the queried parameters of the type."""
    old, combiner, parameters = datatype.decode()
    if combiner == "NAMED":
        return datatype
    if combiner == "STRUCT":
        used = parameters.pop("datatypes")
        parameters["datatypes"] = [rebuilt(MPI, each) for each in used]
        maker = MPI.Datatype.Create_struct
    else:
        used = [old]
        maker = getattr(rebuilt(MPI, old), "Dup" if combiner == "DUP" else f"Create_{combiner.lower()}")
    made = maker(**parameters)
    for each in used:
        free(each)
    return made


def free(datatype: Any) -> None:
    if not datatype.is_predefined:
        datatype.Free()


@QUICK
@given(descriptions)
def test_contents_rebuild_the_type(MPI: ModuleType, description: Description) -> None:
    """The types that it was made of have been freed."""
    datatype = make(MPI, description)
    again = rebuilt(MPI, datatype)
    assert (again.Get_size(), *again.Get_extent()) == (datatype.Get_size(), *datatype.Get_extent())
    length = 4 * abs(datatype.Get_true_extent()[0]) + 2 * datatype.Get_true_extent()[1] + 1
    memory = (ctypes.c_ubyte * (2 * length))(*(i % 251 for i in range(2 * length)))
    assert packed(MPI, again, 1, memory, length) == packed(MPI, datatype, 1, memory, length)
    free(again) if again is not datatype else None
    free(datatype)


@QUICK
@given(descriptions, st.integers(0, 3))
def test_external32_and_back(MPI: ModuleType, description: Description, count: int) -> None:
    """Every basic item has its bytes in the other order; unpacking restores it."""
    datatype, expected = make(MPI, description), model(description)
    items = [(i * expected.extent + offset, SIZES[name]) for i in range(count) for offset, name in expected.items]
    origin = -min([0, *(place for place, _ in items)])
    length = origin + max([0, *(place + size for place, size in items)])
    memory = (ctypes.c_ubyte * length)(*(1 + i % 251 for i in range(length)))
    data = external(MPI, datatype, count, memory, origin)
    assert list(data) == [memory[origin + place + size - 1 - i] for place, size in items for i in range(size)]
    again = (ctypes.c_ubyte * length)()
    unpacked_external(MPI, datatype, count, data, again, origin)
    touched = {origin + place + i for place, size in items for i in range(size)}
    assert list(again) == [memory[i] if i in touched else 0 for i in range(length)]
    free(datatype)


@pytest.mark.skipif(not MPIEXEC.exists(), reason="no mpiexec beside this interpreter: pip install mpich")
def test_a_real_mpi_says_the_same(MPI: ModuleType) -> None:
    """MPICH gives 400 random types the same size, the same bounds and the same packed bytes."""
    script = pathlib.Path(__file__).parent / "nested_types.py"
    command = [str(MPIEXEC), "-n", "1", sys.executable, str(script), "0", "400"]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100)
    ours = [facts(MPI, draw(random.Random(seed), 3, real=True)) for seed in range(400)]
    assert ours == json.loads(run.stdout.splitlines()[-1])
