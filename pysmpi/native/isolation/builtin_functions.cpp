// Replacement of functions and methods written in C, for the ranks of a simulation. The address of the C function in
// CPython's description of the builtin (PyMethodDef) is exchanged, so that all references to the builtin are affected,
// also those that modules took before the simulation: `from time import monotonic as _time`.
#include <Python.h>
#include <pthread.h>

#include <array>
#include <utility>
#include <vector>

#include "engine/simulation.hpp"
#include "isolation/c_api.h"

namespace pysmpi {
namespace {

// A builtin whose C function is exchanged.
struct Builtin {
  PyMethodDef* definition = nullptr;
  PyCFunction original = nullptr;
  PyMethodDef unchanged{};          // description of `callable`
  PyObject* callable = nullptr;     // runs the original; owned
  PyObject* replacement = nullptr;  // owned; null between simulations
  bool is_method = false;           // the replacement gets the object or class, too
};

constexpr std::size_t kMost = 96;
std::array<Builtin, kMost> builtins;  // in order of their first replacement; they keep their places
std::size_t builtin_count = 0;

bool is_replaced(const Builtin& builtin) { return builtin.replacement && rank_runs_here(); }

PyObject* call(const Builtin& builtin, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject* const function = builtin.replacement;
  if (!builtin.is_method) return PyObject_Vectorcall(function, args, static_cast<std::size_t>(count), names);
  std::vector<PyObject*> all{self};
  all.insert(all.end(), args, args + count + (names ? PyTuple_GET_SIZE(names) : 0));
  return PyObject_Vectorcall(function, all.data(), static_cast<std::size_t>(count) + 1, names);
}

PyObject* call_with_tuple(const Builtin& builtin, PyObject* self, PyObject* args, PyObject* named) {
  if (!builtin.is_method) return PyObject_Call(builtin.replacement, args, named);
  PyObject* first = PyTuple_Pack(1, self);
  PyObject* all = first ? PySequence_Concat(first, args) : nullptr;
  PyObject* result = all ? PyObject_Call(builtin.replacement, all, named) : nullptr;
  Py_XDECREF(first);
  Py_XDECREF(all);
  return result;
}

template <typename Function>
Function original_of(const Builtin& builtin) {
  return reinterpret_cast<Function>(reinterpret_cast<void (*)()>(builtin.original));
}

// The C functions that take the place of that of the builtin `kIndex`, one for each of CPython's calling conventions.
template <std::size_t kIndex>
struct Stand {
  static const Builtin& builtin() { return builtins[kIndex]; }
  static PyObject* without(PyObject* self, PyObject* unused) {
    return is_replaced(builtin()) ? call(builtin(), self, nullptr, 0, nullptr) : builtin().original(self, unused);
  }
  static PyObject* one(PyObject* self, PyObject* arg) {
    return is_replaced(builtin()) ? call(builtin(), self, &arg, 1, nullptr) : builtin().original(self, arg);
  }
  static PyObject* tuple(PyObject* self, PyObject* args) {
    return is_replaced(builtin()) ? call_with_tuple(builtin(), self, args, nullptr) : builtin().original(self, args);
  }
  static PyObject* named(PyObject* self, PyObject* args, PyObject* names) {
    return is_replaced(builtin()) ? call_with_tuple(builtin(), self, args, names)
                                  : original_of<PyCFunctionWithKeywords>(builtin())(self, args, names);
  }
  static PyObject* fast(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    using Fast = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
    return is_replaced(builtin()) ? call(builtin(), self, args, count, nullptr)
                                  : original_of<Fast>(builtin())(self, args, count);
  }
  static PyObject* fast_named(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    using Fast = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
    return is_replaced(builtin()) ? call(builtin(), self, args, count, names)
                                  : original_of<Fast>(builtin())(self, args, count, names);
  }
};

template <typename Function>
PyCFunction as_stored(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

struct Stands {
  PyCFunction without, one, tuple, named, fast, fast_named;
};

template <std::size_t... kIndices>
constexpr auto make_stands(std::index_sequence<kIndices...>) {
  return std::array<Stands, sizeof...(kIndices)>{Stands{
      as_stored(Stand<kIndices>::without), as_stored(Stand<kIndices>::one), as_stored(Stand<kIndices>::tuple),
      as_stored(Stand<kIndices>::named), as_stored(Stand<kIndices>::fast), as_stored(Stand<kIndices>::fast_named)}...};
}

// Return the C function that takes the place of a builtin with these flags, or null for a convention that is not known.
PyCFunction stand_of(std::size_t index, int flags) {
  static const auto stands = make_stands(std::make_index_sequence<kMost>());
  switch (flags & ~(METH_CLASS | METH_STATIC | METH_COEXIST)) {
    case METH_NOARGS:
      return stands[index].without;
    case METH_O:
      return stands[index].one;
    case METH_VARARGS:
      return stands[index].tuple;
    case METH_VARARGS | METH_KEYWORDS:
      return stands[index].named;
    case METH_FASTCALL:
      return stands[index].fast;
    case METH_FASTCALL | METH_KEYWORDS:
      return stands[index].fast_named;
    default:
      return nullptr;
  }
}

PyMethodDef* definition_of(PyObject* function) {
  if (PyCFunction_Check(function)) return reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  const bool is_method = Py_IS_TYPE(function, &PyMethodDescr_Type) || Py_IS_TYPE(function, &PyClassMethodDescr_Type);
  return is_method ? reinterpret_cast<PyMethodDescrObject*>(function)->d_method : nullptr;
}

// Return a new callable that runs the original C function.
PyObject* original_callable(PyMethodDef* unchanged, PyObject* function) {
  if (PyCFunction_Check(function)) {
    auto* const object = reinterpret_cast<PyCFunctionObject*>(function);
    return PyCMethod_New(unchanged, object->m_self, object->m_module, nullptr);
  }
  PyTypeObject* const type = reinterpret_cast<PyDescrObject*>(function)->d_type;
  return unchanged->ml_flags & METH_CLASS ? PyDescr_NewClassMethod(type, unchanged)
                                          : PyDescr_NewMethod(type, unchanged);
}

// Return the entry of a builtin in `builtins`, or null if the builtin cannot be replaced.
Builtin* place_of(PyObject* function) {
  PyMethodDef* const definition = definition_of(function);
  for (std::size_t i = 0; i < builtin_count; ++i) {
    if (builtins[i].definition == definition) return &builtins[i];
  }
  if (!definition || builtin_count == kMost || !stand_of(builtin_count, definition->ml_flags)) return nullptr;
  Builtin& builtin = builtins[builtin_count];
  builtin.definition = definition;
  builtin.original = definition->ml_meth;
  builtin.unchanged = *definition;
  builtin.is_method = !PyCFunction_Check(function);
  builtin.callable = original_callable(&builtin.unchanged, function);
  if (!builtin.callable) {
    PyErr_Clear();
    return nullptr;
  }
  ++builtin_count;
  return &builtin;
}

}  // namespace
}  // namespace pysmpi

using namespace pysmpi;

void* pysmpi_original_builtin(void* function) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  const Builtin* const builtin = place_of(static_cast<PyObject*>(function));
  PyGILState_Release(gil);
  return builtin ? builtin->callable : nullptr;
}

void pysmpi_replace_builtin(void* function, void* replacement) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (Builtin* const builtin = place_of(static_cast<PyObject*>(function))) {
    Py_XSETREF(builtin->replacement, Py_NewRef(static_cast<PyObject*>(replacement)));
    const auto index = static_cast<std::size_t>(builtin - builtins.data());
    builtin->definition->ml_meth = stand_of(index, builtin->unchanged.ml_flags);
  }
  PyGILState_Release(gil);
}

void pysmpi_restore_builtin(void* function) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (Builtin* const builtin = place_of(static_cast<PyObject*>(function))) {
    builtin->definition->ml_meth = builtin->original;
    Py_CLEAR(builtin->replacement);
  }
  PyGILState_Release(gil);
}
