// Counts NumPy's operations on plain arrays. Three places of NumPy's public structures lead to them:
// - the vectorcall function of a universal function, by which operators and calls such as numpy.add(a, b) come;
// - the tables of methods (PyMethodDef) of universal functions and arrays: reduce, accumulate, dot, copy …;
// - the table entries of functions of the module: dot, where, concatenate …
// Each is replaced by a function that calls the original and then counts; putting the originals back ends it.
// Operations on matrices call functions of BLAS and LAPACK, whose calls are counted natively (blas/calls.hpp).
#include <Python.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "counting/counts.hpp"
#include "counting/distances.hpp"
#include "counting/numpy_objects.hpp"
#include "engine/simulation.hpp"
#include "rank_memory/assignment.hpp"

namespace pysmpi {

namespace {

using numpy::Array;

struct Ufunc {
  std::string name;
  int inputs;
  double real, complex;  // operations per element, for real and complex numbers
  bool special, core;
};

// Originals of the replaced functions, and NumPy's objects, while something is counted.
struct Replaced {
  pysmpi_numpy numpy{};
  vectorcallfunc call = nullptr;
  std::unordered_map<PyObject*, Ufunc> ufuncs;  // looked up; iterated only to restore
  std::pair<PyObject*, const Ufunc*> last{};    // the last one that was looked up
  std::vector<std::pair<PyTypeObject*, ternaryfunc>> types;
};
Replaced replaced;

vectorcallfunc& call_of(PyObject* ufunc) {
  return *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(ufunc) + Py_TYPE(ufunc)->tp_vectorcall_offset);
}

pysmpi_counts* counted() {
  ComputationCounts& all = ComputationCounts::current();
  return all.paused ? nullptr : all.of_running_rank();
}

bool is_plain_array(PyObject* object) {
  return Py_IS_TYPE(object, static_cast<PyTypeObject*>(replaced.numpy.array_type));
}

bool is_folded_array(PyObject* object) {
  return !is_plain_array(object) && PyObject_TypeCheck(object, static_cast<PyTypeObject*>(replaced.numpy.folded_type));
}

Array* as_array(PyObject* object) {
  const bool is_array =
      is_plain_array(object) || PyObject_TypeCheck(object, static_cast<PyTypeObject*>(replaced.numpy.array_type));
  return is_array ? reinterpret_cast<Array*>(object) : nullptr;
}

std::int64_t element_length(const Array& array) {
  return replaced.numpy.version < 2 ? array.type->length_1 : array.type->length_2;
}

// Returns the bytes of an array; 0 for scalars and arrays without dimensions, which are not memory traffic.
double bytes_of(const Array& array) {
  return array.dimensions == 0 ? 0.0 : static_cast<double>(array.elements() * element_length(array));
}

double bytes_of(PyObject* object) {
  const Array* const array = as_array(object);
  return array ? bytes_of(*array) : 0.0;
}

Operand operand_of(const Array& array) {
  return {&array, array.data, array.dimensions, array.shape, array.strides, element_length(array)};
}

void watch(PyObject* array);

OperandAccesses operand_accesses() {
  return {static_cast<PyTypeObject*>(replaced.numpy.array_type), static_cast<PyTypeObject*>(replaced.numpy.folded_type),
          watch};
}

void access(OperandAccesses& operation, PyObject* object, int number) {
  if (const Array* const array = as_array(object)) operation.access(operand_of(*array), number);
}

// Returns the kind of a result's numbers: 'f', 'c', or another letter of NumPy.
char kind_of(PyObject* result) {
  if (const Array* const array = as_array(result)) return array->type->kind;
  if (PyFloat_Check(result)) return 'f';
  if (PyComplex_Check(result)) return 'c';
  if (!PyObject_TypeCheck(result, static_cast<PyTypeObject*>(replaced.numpy.scalar_type))) return 'O';
  PyObject* const type = PyObject_GetAttrString(result, "dtype");
  const char kind = type ? reinterpret_cast<numpy::ElementType*>(type)->kind : 'O';
  Py_XDECREF(type);
  PyErr_Clear();
  return kind;
}

void add_elements(pysmpi_counts& counts, const Ufunc& ufunc, char kind, double elements) {
  if (kind != 'f' && kind != 'c') return;
  counts.flops += elements * (kind == 'f' ? ufunc.real : ufunc.complex);
  if (ufunc.special) counts.special += elements;
}

// An operation on matrices from its beginning to its end. Ranks may be switched meanwhile, if numbers are objects of
// Python.
class OnMatrices {
 public:
  explicit OnMatrices(bool are_matrices) : is_counted_(are_matrices && counted()) {
    if (!is_counted_) return;
    ++of_rank().depth;
    before_ = std::exchange(of_rank().flops, 0.0);
  }
  ~OnMatrices() {
    if (!is_counted_) return;
    --of_rank().depth;
    of_rank().flops = before_;
  }
  OnMatrices(const OnMatrices&) = delete;
  OnMatrices& operator=(const OnMatrices&) = delete;

  // Return the flops that functions of BLAS and LAPACK have made.
  double flops() const { return is_counted_ ? of_rank().flops : 0.0; }

 private:
  static ComputationCounts::OnMatrices& of_rank() {
    return ComputationCounts::current().on_matrices(running_fiber().rank);
  }

  const bool is_counted_;
  double before_ = 0.0;
};

void ask_python(const char* name, PyObject* operands, PyObject* result, double flops = 0.0) {
  PyObject* const done = PyObject_CallFunction(static_cast<PyObject*>(replaced.numpy.count_product), "sOOd", name,
                                               operands, result, flops);
  if (!done) PyErr_WriteUnraisable(static_cast<PyObject*>(replaced.numpy.count_product));
  Py_XDECREF(done);
}

// Calls count_product with these operands. If memory runs out, the call is left out, so that the operation does not
// fail.
void ask_python(const char* name, PyObject* const* operands, Py_ssize_t number, PyObject* result, double flops = 0.0) {
  PyObject* const tuple = PyTuple_New(number);
  if (!tuple) return PyErr_Clear();
  for (Py_ssize_t i = 0; i < number; ++i) PyTuple_SET_ITEM(tuple, i, Py_NewRef(operands[i]));
  ask_python(name, tuple, result, flops);
  Py_DECREF(tuple);
}

// pysmpi_access_array calls this function without the GIL.
void watch(PyObject* array) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  ask_python("watch", &array, 1, Py_None);
  PyGILState_Release(gil);
}

// -- Universal functions --

void count_call(pysmpi_counts& counts, const Ufunc& ufunc, PyObject* const* args, Py_ssize_t number, PyObject* result,
                double flops) {
  const Py_ssize_t inputs = std::min<Py_ssize_t>(number, ufunc.inputs);
  double accesses = 0.0;
  for (Py_ssize_t i = 0; i < inputs; ++i) {
    if (is_folded_array(args[i])) return;
    accesses += bytes_of(args[i]);
  }
  const bool several = PyTuple_CheckExact(result);
  PyObject* const first = several ? PyTuple_GET_ITEM(result, 0) : result;
  if (is_folded_array(first)) return;
  const Py_ssize_t results = several ? PyTuple_GET_SIZE(result) : 1;
  PyObject* const* const made = several ? &PyTuple_GET_ITEM(result, 0) : &result;
  for (Py_ssize_t i = 0; i < results; ++i) accesses += bytes_of(made[i]);
  if (accesses >= OperandAccesses::kLeastBytes) {
    OperandAccesses operation = operand_accesses();
    for (Py_ssize_t i = 0; i < inputs; ++i) access(operation, args[i], static_cast<int>(i) + 1);
    for (Py_ssize_t i = 0; i < results; ++i) access(operation, made[i], 0);
  }
  counts.accesses += accesses;
  ++counts.operations;
  if (ufunc.core) return ask_python(ufunc.name.c_str(), args, inputs, result, flops);
  const Array* const array = as_array(first);
  add_elements(counts, ufunc, kind_of(first), array ? static_cast<double>(array->elements()) : 1.0);
}

PyObject* call(PyObject* ufunc, PyObject* const* args, std::size_t number, PyObject* names) {
  if (replaced.last.first != ufunc) replaced.last = {ufunc, &replaced.ufuncs.at(ufunc)};
  const Ufunc& known = *replaced.last.second;
  const OnMatrices matrices(known.core);
  PyObject* const result = replaced.call(ufunc, args, number, names);
  if (!result) return nullptr;
  if (pysmpi_counts* const counts = counted()) {
    count_call(*counts, known, args, PyVectorcall_NARGS(number), result, matrices.flops());
  }
  return result;
}

// -- Methods and functions --

enum class Counts : std::uint8_t { kReduction, kOuter, kAt, kMove, kCopy, kTake, kProduct };

// A method or function whose calls are counted. The name is that of the table: an array's method, a universal
// function's method, or a function of NumPy's module.
enum class Table : std::uint8_t { kUfunc, kArray, kModule };
struct Watched {
  Table table;
  const char* name;
  Counts counts;
};
constexpr Watched kWatched[] = {
    {Table::kUfunc, "reduce", Counts::kReduction},
    {Table::kUfunc, "accumulate", Counts::kReduction},
    {Table::kUfunc, "reduceat", Counts::kReduction},
    {Table::kUfunc, "outer", Counts::kOuter},
    {Table::kUfunc, "at", Counts::kAt},
    {Table::kArray, "dot", Counts::kProduct},
    {Table::kArray, "copy", Counts::kMove},
    {Table::kArray, "astype", Counts::kMove},
    {Table::kArray, "fill", Counts::kMove},
    {Table::kArray, "flatten", Counts::kCopy},
    {Table::kArray, "ravel", Counts::kCopy},
    {Table::kArray, "repeat", Counts::kCopy},
    {Table::kArray, "take", Counts::kTake},
    {Table::kArray, "argmax", Counts::kMove},
    {Table::kArray, "argmin", Counts::kMove},
    {Table::kModule, "dot", Counts::kProduct},
    {Table::kModule, "vdot", Counts::kProduct},
    {Table::kModule, "inner", Counts::kProduct},
    {Table::kModule, "c_einsum", Counts::kProduct},
    {Table::kModule, "correlate", Counts::kProduct},   // called by numpy.convolve
    {Table::kModule, "correlate2", Counts::kProduct},  // called by numpy.correlate
    {Table::kModule, "array", Counts::kCopy},
    {Table::kModule, "asarray", Counts::kCopy},
    {Table::kModule, "ascontiguousarray", Counts::kCopy},
    {Table::kModule, "asfortranarray", Counts::kCopy},
    {Table::kModule, "where", Counts::kMove},
    {Table::kModule, "concatenate", Counts::kMove},
    {Table::kModule, "copyto", Counts::kMove},
};
constexpr std::size_t kNumber = std::size(kWatched);

// Returns the bytes of an operand, or of the arrays in a list or tuple of operands; -1 if one of them is folded.
double operand_bytes(PyObject* operand) {
  if (is_folded_array(operand)) return -1.0;
  if (!PyList_CheckExact(operand) && !PyTuple_CheckExact(operand)) return bytes_of(operand);
  double bytes = 0.0;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(operand); ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(operand, i);
    if (is_folded_array(item)) return -1.0;
    bytes += bytes_of(item);
  }
  return bytes;
}

// Counts ufunc.at(array, indices, values), which reads and writes the elements that the indices select.
void count_at(pysmpi_counts& counts, const Ufunc* ufunc, PyObject* const* args, Py_ssize_t number) {
  const Array* const array = number > 1 ? as_array(args[0]) : nullptr;
  const Array* const indices = array ? as_array(args[1]) : nullptr;
  if (!indices) return;
  const auto selected = static_cast<double>(indices->elements());
  counts.accesses += bytes_of(args[1]) + (number > 2 ? bytes_of(args[2]) : 0.0);
  counts.accesses += 2.0 * selected * static_cast<double>(element_length(*array));
  if (ufunc) add_elements(counts, *ufunc, array->type->kind, selected);
}

// Operands of a method or function: its own object if that is an array, positional arguments, and arrays among keyword
// arguments. The keyword argument `out` is the result, too, and left out.
class Operands {
 public:
  void add(PyObject* operand) {
    if (number_ < std::size(items_)) items_[number_++] = operand;
  }
  void add(PyObject* name, PyObject* operand) {
    if (as_array(operand) && PyUnicode_CompareWithASCIIString(name, "out") != 0) add(operand);
  }
  bool contain(PyObject* object) const { return std::find(items_, items_ + number_, object) != items_ + number_; }
  PyObject* const* items() const { return items_; }
  Py_ssize_t number() const { return static_cast<Py_ssize_t>(number_); }

 private:
  PyObject* items_[12];
  std::size_t number_ = 0;
};

void access_all(OperandAccesses& operation, PyObject* operand, int number) {
  if (!PyList_CheckExact(operand) && !PyTuple_CheckExact(operand)) return access(operation, operand, number);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(operand); ++i) {
    access(operation, PySequence_Fast_GET_ITEM(operand, i), number);
  }
}

// Returns whether the object is an array with memory of its own. Views, and results that are the operand itself, have
// none.
bool owns_memory(PyObject* object) {
  const Array* const array = as_array(object);
  return array && !array->base;
}

// Returns the bytes of the indices of array.take(indices).
double bytes_of_indices(const Operands& operands) {
  return operands.number() > 1 ? bytes_of(operands.items()[1]) : 0.0;
}

// Returns the bytes of all operands; -1 if one of them is folded.
double bytes_of_operands(const Operands& operands) {
  double all = 0.0;
  for (Py_ssize_t i = 0; i < operands.number(); ++i) {
    const double bytes = operand_bytes(operands.items()[i]);
    if (bytes < 0.0) return -1.0;
    all += bytes;
  }
  return all;
}

void access_operands(const Operands& operands, PyObject* result) {
  OperandAccesses operation = operand_accesses();
  for (Py_ssize_t i = 0; i < operands.number(); ++i) {
    access_all(operation, operands.items()[i], static_cast<int>(i) + 1);
  }
  access(operation, result, 0);
}

void count_watched(const Watched& watched, PyObject* self, const Operands& operands, PyObject* result, double flops) {
  pysmpi_counts* const counts = counted();
  if (!counts || is_folded_array(result) || (watched.table == Table::kArray && result == self)) return;
  const double made = bytes_of(result), read = bytes_of_operands(operands);
  if (read < 0.0) return;
  double accesses = made + read;
  if (watched.counts == Counts::kCopy && (accesses == made || !owns_memory(result) || operands.contain(result))) return;
  if (watched.counts == Counts::kTake) accesses = 2.0 * made + bytes_of_indices(operands);
  ++counts->operations;
  if (accesses >= OperandAccesses::kLeastBytes) access_operands(operands, result);
  const auto ufunc = watched.table == Table::kUfunc ? replaced.ufuncs.find(self) : replaced.ufuncs.end();
  if (watched.counts == Counts::kAt) {
    return count_at(*counts, ufunc == replaced.ufuncs.end() ? nullptr : &ufunc->second, operands.items(),
                    operands.number());
  }
  counts->accesses += accesses;
  if (watched.counts == Counts::kProduct) {
    ask_python(watched.name, operands.items(), operands.number(), result, flops);
  } else if (ufunc != replaced.ufuncs.end() && operands.number() > 0) {
    const Array* const array = as_array(watched.counts == Counts::kOuter ? result : operands.items()[0]);
    if (array) add_elements(*counts, ufunc->second, kind_of(result), static_cast<double>(array->elements()));
  }
}

PyCFunction originals[kNumber] = {};  // the original functions while they are replaced

using FastNamed = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
using Fast = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
using TupleNamed = PyObject* (*)(PyObject*, PyObject*, PyObject*);

// The four conventions by which CPython calls C functions.
template <std::size_t place>
struct Counting {
  static Operands operands_of(PyObject* self, PyObject* const* args, Py_ssize_t number) {
    Operands operands;
    if (kWatched[place].table == Table::kArray) operands.add(self);
    for (Py_ssize_t i = 0; i < number; ++i) operands.add(args[i]);
    return operands;
  }
  // Calls the original, and counts the operation if it succeeds.
  template <class... Args>
  static PyObject* call(PyObject* self, const Operands& operands, PyObject* (*original)(PyObject*, Args...),
                        Args... args) {
    const OnMatrices matrices(kWatched[place].counts == Counts::kProduct);
    PyObject* const result = original(self, args...);
    if (result) count_watched(kWatched[place], self, operands, result, matrices.flops());
    return result;
  }
  static PyObject* fast_named(PyObject* self, PyObject* const* args, Py_ssize_t number, PyObject* names) {
    Operands operands = operands_of(self, args, number);
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
      operands.add(PyTuple_GET_ITEM(names, i), args[number + i]);
    }
    return call(self, operands, reinterpret_cast<FastNamed>(originals[place]), args, number, names);
  }
  static PyObject* fast(PyObject* self, PyObject* const* args, Py_ssize_t number) {
    return call(self, operands_of(self, args, number), reinterpret_cast<Fast>(originals[place]), args, number);
  }
  static PyObject* tuple_named(PyObject* self, PyObject* args, PyObject* names) {
    Operands operands = operands_of(self, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args));
    PyObject *name, *value;
    for (Py_ssize_t at = 0; names && PyDict_Next(names, &at, &name, &value);) operands.add(name, value);
    return call(self, operands, reinterpret_cast<TupleNamed>(originals[place]), args, names);
  }
  static PyObject* tuple(PyObject* self, PyObject* args) {
    return call(self, operands_of(self, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args)), originals[place], args);
  }

  // Returns the function for a method with these flags, or null.
  static PyCFunction replacement(int flags) {
    switch (flags) {
      case METH_FASTCALL | METH_KEYWORDS:
        return reinterpret_cast<PyCFunction>(fast_named);
      case METH_FASTCALL:
        return reinterpret_cast<PyCFunction>(fast);
      case METH_VARARGS | METH_KEYWORDS:
        return reinterpret_cast<PyCFunction>(tuple_named);
      case METH_VARARGS:
        return tuple;
      default:
        return nullptr;
    }
  }
};

PyMethodDef* table_of(Table table) {
  const pysmpi_numpy& numpy = replaced.numpy;
  if (table == Table::kUfunc) return static_cast<PyTypeObject*>(numpy.ufunc_type)->tp_methods;
  if (table == Table::kArray) return static_cast<PyTypeObject*>(numpy.array_type)->tp_methods;
  PyModuleDef* const module = PyModule_GetDef(static_cast<PyObject*>(numpy.functions));
  return module ? module->m_methods : nullptr;
}

PyMethodDef* find_method(const Watched& watched) {
  PyMethodDef* method = table_of(watched.table);
  while (method && method->ml_name && std::strcmp(method->ml_name, watched.name) != 0) ++method;
  return method && method->ml_name ? method : nullptr;
}

template <std::size_t place>
void replace_method() {
  PyMethodDef* const method = find_method(kWatched[place]);
  const PyCFunction replacement = method ? Counting<place>::replacement(method->ml_flags) : nullptr;
  if (!replacement || method->ml_meth == replacement) return;
  originals[place] = method->ml_meth;
  method->ml_meth = replacement;
}

template <std::size_t... places>
void replace_methods(std::index_sequence<places...>) {
  (replace_method<places>(), ...);
}

void restore_methods() {
  for (std::size_t i = 0; i < kNumber; ++i) {
    if (!originals[i]) continue;
    find_method(kWatched[i])->ml_meth = std::exchange(originals[i], nullptr);
  }
}

// -- Types of routines --

ternaryfunc original_of(PyTypeObject* type) {
  for (const auto& [each, original] : replaced.types) {
    if (each == type) return original;
  }
  return nullptr;
}

PyObject* call_routine(PyObject* routine, PyObject* args, PyObject* names) {
  const OnMatrices matrices(true);
  PyObject* const result = original_of(Py_TYPE(routine))(routine, args, names);
  pysmpi_counts* const counts = result ? counted() : nullptr;
  if (!counts) return result;
  ++counts->operations;
  PyObject* const operands[] = {args, names ? names : Py_None};
  ask_python("routine", operands, 2, result, matrices.flops());
  return result;
}

// -- Assignments --

// Part of an array that a key of integers, slices, ... and None selects.
struct Region {
  static constexpr int kDimensions = 64;
  const char* start;
  std::int64_t elements = 1;
  int dimensions = 0;
  std::intptr_t shape[kDimensions], strides[kDimensions];

  void add(std::intptr_t length, std::intptr_t stride) {
    elements *= length;
    shape[dimensions] = length;
    strides[dimensions++] = stride;
  }
};

// Converts a part of a key to an index. Returns false if the part is not an index, such as an array or a truth value.
bool find_index(PyObject* part, std::intptr_t& index) {
  if (PyBool_Check(part) || as_array(part) || !PyIndex_Check(part)) return false;
  index = PyNumber_AsSsize_t(part, PyExc_IndexError);
  if (index != -1 || !PyErr_Occurred()) return true;
  PyErr_Clear();
  return false;
}

// Finds the region that a key selects. Returns false for other keys and for single elements.
bool find_region(const Array& array, PyObject* key, Region& region) {
  PyObject* const* parts = &key;
  Py_ssize_t number = 1;
  if (PyTuple_CheckExact(key)) {
    parts = &PyTuple_GET_ITEM(key, 0);
    number = PyTuple_GET_SIZE(key);
  }
  if (array.dimensions > Region::kDimensions) return false;
  Py_ssize_t used = 0;
  for (Py_ssize_t i = 0; i < number; ++i) used += parts[i] != Py_None && parts[i] != Py_Ellipsis;
  region.start = array.data;
  bool is_region = false;
  int axis = 0;
  const auto skip = [&](Py_ssize_t axes) {
    for (; axes > 0 && axis < array.dimensions; --axes, ++axis) region.add(array.shape[axis], array.strides[axis]);
    is_region = true;
  };
  for (Py_ssize_t i = 0; i < number; ++i) {
    PyObject* const part = parts[i];
    if (part == Py_None) continue;
    if (part == Py_Ellipsis) {
      skip(array.dimensions - used);
      continue;
    }
    if (axis >= array.dimensions) return false;
    const std::intptr_t stride = array.strides[axis];
    std::intptr_t index = 0;
    if (PySlice_Check(part)) {
      Py_ssize_t first, end, step;
      if (PySlice_Unpack(part, &first, &end, &step) < 0) {
        PyErr_Clear();
        return false;
      }
      region.add(PySlice_AdjustIndices(array.shape[axis], &first, &end, step), step * stride);
      region.start += first * stride;
      is_region = true;
    } else if (find_index(part, index)) {
      region.start += (index < 0 ? index + array.shape[axis] : index) * stride;
    } else {
      return false;
    }
    ++axis;
  }
  if (axis < array.dimensions) skip(array.dimensions - axis);
  return is_region;
}

void count_assignment(PyObject* object, PyObject* key, PyObject* value) {
  pysmpi_counts* const counts = counted();
  if (!counts || is_folded_array(object) || is_folded_array(value)) return;
  const Array* const array = as_array(object);
  const Array* const assigned = as_array(value);
  Region region;
  if (!array || !find_region(*array, key, region)) return;
  if (assigned && assigned->data == region.start && assigned->elements() == region.elements) return;  // array[key] += …
  const std::int64_t length = element_length(*array);
  counts->accesses += static_cast<double>(region.elements * length) + (assigned ? bytes_of(*assigned) : 0.0);
  ++counts->operations;
  OperandAccesses operation = operand_accesses();
  if (assigned) operation.access(operand_of(*assigned), 1);
  operation.access({array, region.start, region.dimensions, region.shape, region.strides, length}, 0);
}

}  // namespace

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_begin_counting(const pysmpi_numpy* numpy) {
  ComputationCounts::current().on = DistanceCounts::current().on = true;
  replaced.numpy = *numpy;
  ComputationCounts::current().array_type = numpy->array_type;
  replace_methods(std::make_index_sequence<kNumber>());
  watch_plain_assignments(count_assignment);
}

void pysmpi_end_counting(void) {
  ComputationCounts::current().on = DistanceCounts::current().on = false;
  if (!replaced.numpy.array_type) return;
  restore_methods();
  watch_plain_assignments(nullptr);
  for (const auto& [ufunc, own] : replaced.ufuncs) call_of(ufunc) = replaced.call;
  for (const auto& [type, original] : replaced.types) type->tp_call = original;
  replaced = {};
}

void pysmpi_count_calls_of(void* object, const char* name, int32_t inputs, double real, double complex, int32_t special,
                           int32_t core) {
  auto* const ufunc = static_cast<PyObject*>(object);
  if (!replaced.call) replaced.call = call_of(ufunc);
  if (call_of(ufunc) != replaced.call) return;
  replaced.ufuncs[ufunc] = {name, inputs, real, complex, special != 0, core != 0};
  call_of(ufunc) = call;
}

void pysmpi_count_routines_of(void* object) {
  auto* const type = static_cast<PyTypeObject*>(object);
  if (!type->tp_call || original_of(type)) return;
  replaced.types.emplace_back(type, type->tp_call);
  type->tp_call = call_routine;
}

void pysmpi_access_array(void* array, int32_t operand) {
  if (!ComputationCounts::current().of_running_rank()) return;
  OperandAccesses operation = operand_accesses();
  access(operation, static_cast<PyObject*>(array), operand);
}
