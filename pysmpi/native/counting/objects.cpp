// Walks the garbage collector's lists of a rank, and what the objects in them refer to.
#include "counting/objects.hpp"

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "isolation/garbage.hpp"

namespace pysmpi {

namespace {

class Walk {
 public:
  explicit Walk(PyTypeObject* array_type) : array_type_(array_type) {}

  void add_tracked(PyObject* object) {
    bytes_ += size_of(object);
    refer(object);
    while (!found_.empty()) {
      PyObject* const next = found_.back();
      found_.pop_back();
      bytes_ += size_of(next);
      refer(next);
    }
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  void refer(PyObject* object) {
    if (const traverseproc traverse = Py_TYPE(object)->tp_traverse) traverse(object, visit, this);
  }

  static int visit(PyObject* object, void* walk) {
    auto& self = *static_cast<Walk*>(walk);
    if (self.is_counted(object) && self.seen_.insert(object).second) self.found_.push_back(object);
    return 0;
  }

  // Tracked objects are in the lists of the rank that has made them.
  bool is_counted(PyObject* object) const {
    if (PyDict_CheckExact(object) || PyTuple_CheckExact(object)) return !PyObject_GC_IsTracked(object);
    if (PyUnicode_CheckExact(object)) return !PyUnicode_CHECK_INTERNED(object);
    if (PyLong_CheckExact(object)) return !is_small(object);
    return PyFloat_CheckExact(object) || PyComplex_CheckExact(object) || PyBytes_CheckExact(object) ||
           PyByteArray_CheckExact(object) || PyObject_TypeCheck(object, array_type_);
  }

  // The interpreter has one object for each of the numbers from -5 to 256.
  static bool is_small(PyObject* number) {
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(number, &overflow);
    return overflow == 0 && value >= -5 && value <= 256;
  }

  std::int64_t size_of(PyObject* object) {
    const auto [found, is_new] = sizes_.try_emplace(Py_TYPE(object), nullptr);
    if (is_new) found->second = size_method_of(Py_TYPE(object));
    const std::int64_t link = PyObject_IS_GC(object) ? static_cast<std::int64_t>(sizeof(GcLink)) : 0;
    if (!found->second) return link + Py_TYPE(object)->tp_basicsize;
    PyObject* const size = PyObject_CallOneArg(found->second, object);
    const std::int64_t bytes = size ? PyLong_AsLongLong(size) : 0;
    Py_XDECREF(size);
    PyErr_Clear();
    return link + bytes;
  }

  // Returns the method __sizeof__ of a type if it is written in C, otherwise null. Also null for arrays, whose method
  // includes the data.
  PyObject* size_method_of(PyTypeObject* type) const {
    if (PyType_IsSubtype(type, array_type_)) return nullptr;
    PyObject* const method = _PyType_Lookup(type, size_name_);
    return method && Py_IS_TYPE(method, &PyMethodDescr_Type) ? method : nullptr;
  }

  PyTypeObject* array_type_;
  PyObject* size_name_ = PyUnicode_InternFromString("__sizeof__");  // lives as long as the interpreter
  std::unordered_map<PyTypeObject*, PyObject*> sizes_;              // looked up only
  std::unordered_set<PyObject*> seen_;                              // looked up only
  std::vector<PyObject*> found_;
  std::int64_t bytes_ = 0;
};

}  // namespace

std::int64_t bytes_of_objects(PyTypeObject* array_type) {
  if (!Garbage::exists() || !Garbage::current().is_separated()) return 0;
  const PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *type, *value, *traceback;  // an exception that is being handled must outlive the calls below
  PyErr_Fetch(&type, &value, &traceback);
  Walk walk(array_type);
  Garbage::current().each_object([&](PyObject* object) { walk.add_tracked(object); });
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(gil);
  return walk.bytes();
}

}  // namespace pysmpi
