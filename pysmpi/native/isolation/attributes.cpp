// Attributes of shared modules and classes that are private to the rank that sets them, and the report of MPI calls
// during an import.
//
// During a simulation, the methods by which attributes of modules are set (__setattr__ and __delattr__ of their type)
// are replaced. If a rank sets an attribute of a module that all ranks share, the replacement first gives the rank its
// own entry in the module's dictionary. Therefore nothing needs to be compared at a switch to another rank. For
// classes, the C function behind these methods is replaced (PyType_Type.tp_setattro).
//
// If a package sets attributes of its own modules, they hold for all ranks: it may have initialised a C library, whose
// state all ranks share as well. Watched modules (isolation.cpp) are an exception: every assignment to one of their
// attributes is private to the rank.
#include "isolation/attributes.hpp"

#include <Python.h>

#include <string_view>

#include "engine/c_api.h"
#include "engine/isolation.hpp"
#include "engine/simulation.hpp"
#include "engine/subclasses.hpp"
#include "isolation/c_api.h"
#include "isolation/module_methods.hpp"

namespace pysmpi {

bool importing_shared = false;

namespace {

PyObject* report_call = nullptr;  // borrowed

setattrofunc set_on_module = nullptr;  // the original function; null while it is not replaced
setattrofunc set_on_class = nullptr;

// Returns whether an assignment in the calling thread is private to the running rank. Other threads of the interpreter,
// and child processes of ranks, assign without isolation.
bool stores_for_rank() { return rank_runs_here() && !importing_shared; }

std::string_view package_of(PyObject* module_name) {
  if (!module_name || !PyUnicode_Check(module_name)) return {};
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(module_name, &length);
  if (!text) {
    PyErr_Clear();
    return {};
  }
  const std::string_view name(text, static_cast<std::size_t>(length));
  return name.substr(0, name.find('.'));
}

std::string_view package_with(PyObject* globals) {
  return package_of(globals ? PyDict_GetItemString(globals, "__name__") : nullptr);
}

bool sets_for_caller(PyFrameObject* frame) {
  PyCodeObject* code = PyFrame_GetCode(frame);
  const bool sets = PyUnicode_CompareWithASCIIString(code->co_name, kMethodNames[0]) == 0 ||
                    PyUnicode_CompareWithASCIIString(code->co_name, kMethodNames[1]) == 0;
  Py_DECREF(code);
  return sets;
}

// Returns the package of the code that sets the attribute. If a method named __setattr__ or __delattr__ of a class or
// metaclass sets the attribute, the code that has called this method counts.
std::string_view storing_package() {
  PyFrameObject* frame = PyEval_GetFrame();
  if (!frame || !sets_for_caller(frame)) return package_with(PyEval_GetGlobals());
  Py_INCREF(frame);
  while (frame && sets_for_caller(frame)) {
    PyFrameObject* caller = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = caller;
  }
  if (!frame) return {};
  PyObject* globals = PyFrame_GetGlobals(frame);
  Py_DECREF(frame);
  const std::string_view found = package_with(globals);
  Py_DECREF(globals);  // the caller's frame keeps the globals alive
  return found;
}

// Returns whether the code that sets the attribute belongs to the same package as the module, or to pysmpi.
bool is_of_same_package(PyObject* module_name) {
  const std::string_view storing = storing_package();
  return storing == "pysmpi" || storing == package_of(module_name);
}

bool is_isolated(PyObject* module_name, PyObject* dictionary) {
  return is_watched(dictionary) || !is_of_same_package(module_name);
}

int set_module_attribute(PyObject* module, PyObject* name, PyObject* value) {
  PyObject* dictionary = PyModule_GetDict(module);
  if (stores_for_rank() && !is_watched(dictionary)) {  // changes of watched dictionaries are noticed anyway
    PyObject* known_as = PyDict_GetItemString(dictionary, "__name__");
    PyObject* descriptor = _PyType_Lookup(Py_TYPE(module), name);
    const bool in_dictionary = !descriptor || !Py_TYPE(descriptor)->tp_descr_set;
    PyObject* present = PyDict_GetItemWithError(dictionary, name);
    if (in_dictionary && (value || present) && known_as && is_shared_module(known_as, module) &&
        !is_of_same_package(known_as) && !binds_shared_submodule(dictionary, name, value)) {
      isolate(pysmpi_running_rank(), dictionary, nullptr, name, present);
    }
  }
  return set_on_module(module, name, value);
}

// Returns the module in which all ranks find the class by its qualified name, or null.
PyObject* shared_module_with(PyTypeObject* type) {
  PyObject* module_name = PyDict_GetItemString(type->tp_dict, "__module__");
  if (!module_name || !PyUnicode_Check(module_name)) return nullptr;
  PyObject* module = PyDict_GetItemWithError(PyImport_GetModuleDict(), module_name);
  if (!module || !PyModule_Check(module) || !is_shared_module(module_name, module)) return nullptr;
  PyObject* dot = PyUnicode_FromString(".");
  PyObject* path = PyUnicode_Split(reinterpret_cast<PyHeapTypeObject*>(type)->ht_qualname, dot, -1);
  Py_XDECREF(dot);
  PyObject* found = module;
  for (Py_ssize_t index = 0; path && found && index < PyList_GET_SIZE(path); ++index) {
    PyObject* dictionary = found == module       ? PyModule_GetDict(module)
                           : PyType_Check(found) ? reinterpret_cast<PyTypeObject*>(found)->tp_dict
                                                 : nullptr;
    found = dictionary ? PyDict_GetItemWithError(dictionary, PyList_GET_ITEM(path, index)) : nullptr;
  }
  Py_XDECREF(path);
  return found == reinterpret_cast<PyObject*>(type) ? module : nullptr;
}

// Returns whether a metaclass sets the attribute elsewhere than in the class's dictionary, by a property, for example.
bool is_set_by_metaclass(PyTypeObject* type, PyObject* name) {
  PyObject* descriptor = Py_IS_TYPE(type, &PyType_Type) ? nullptr : _PyType_Lookup(Py_TYPE(type), name);
  return descriptor && Py_TYPE(descriptor)->tp_descr_set && descriptor != _PyType_Lookup(&PyType_Type, name);
}

// Returns whether a value is a C++ function that a generator of bindings (nanobind, pybind11) defines as a method.
// Classes of iterators get their methods at the first use of the iterator, in whichever rank that is.
bool is_generated_method(PyObject* value) {
  return value && (PyInstanceMethod_Check(value) || std::string_view(Py_TYPE(value)->tp_name).starts_with("nanobind."));
}

int set_class_attribute(PyObject* object, PyObject* name, PyObject* value) {
  auto* type = reinterpret_cast<PyTypeObject*>(object);
  if (stores_for_rank() && PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && PyUnicode_Check(name) &&
      !is_set_by_metaclass(type, name) && !is_generated_method(value)) {
    PyObject* module = shared_module_with(type);
    PyObject* present = PyDict_GetItemWithError(type->tp_dict, name);
    if (module && (value || present) &&
        is_isolated(PyDict_GetItemString(PyModule_GetDict(module), "__name__"), PyModule_GetDict(module))) {
      PyObject* key = Py_NewRef(name);
      PyUnicode_InternInPlace(&key);
      isolate(pysmpi_running_rank(), type->tp_dict, type, key, present);
      Py_DECREF(key);
    }
  }
  return set_on_class(object, name, value);
}

PyObject* set_from_python(PyObject* module, PyObject* args) {
  PyObject *name, *value;
  if (!PyArg_ParseTuple(args, "UO", &name, &value)) return nullptr;
  return set_module_attribute(module, name, value) == 0 ? Py_NewRef(Py_None) : nullptr;
}

PyObject* delete_from_python(PyObject* module, PyObject* args) {
  PyObject* name;
  if (!PyArg_ParseTuple(args, "U", &name)) return nullptr;
  return set_module_attribute(module, name, nullptr) == 0 ? Py_NewRef(Py_None) : nullptr;
}

PyMethodDef method_definitions[] = {{kMethodNames[0], set_from_python, METH_VARARGS, nullptr},
                                    {kMethodNames[1], delete_from_python, METH_VARARGS, nullptr}};

// Replaces the C function tp_setattro in a type and in all types that have inherited it.
void replace_slot(PyTypeObject* type, setattrofunc before, setattrofunc after) {
  if (type->tp_setattro != before) return;
  type->tp_setattro = after;
  for_each_subclass(type, [&](PyTypeObject* derived) { replace_slot(derived, before, after); });
}

// Replaces the C function that the type's methods __setattr__ and __delattr__ call.
void replace_methods(PyTypeObject* type, setattrofunc after) {
  PyObject* methods = dictionary_of(type);
  for (const char* name : kMethodNames) {
    PyObject* method = PyDict_GetItemString(methods, name);
    if (method && Py_IS_TYPE(method, &PyWrapperDescr_Type)) {
      reinterpret_cast<PyWrapperDescrObject*>(method)->d_wrapped = reinterpret_cast<void*>(after);
    }
  }
  Py_DECREF(methods);
}

void replace(PyTypeObject* type, setattrofunc before, setattrofunc after) {
  replace_slot(type, before, after);
  replace_methods(type, after);
}

}  // namespace

void put_class_attribute(PyTypeObject* type, PyObject* name, PyObject* value) {
  if (set_on_class(reinterpret_cast<PyObject*>(type), name, value) != 0) PyErr_Clear();
}

void restore_attributes() {
  if (!set_on_class) return;
  restore_module_methods();
  replace(&PyType_Type, set_class_attribute, set_on_class);
}

void report_import(PyObject* function) {
  report_call = function;
  importing_shared = function != nullptr;
}

void report_call_while_importing(const char* function) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* result = PyObject_CallFunction(report_call, "s", function);
  if (!result) PyErr_WriteUnraisable(report_call);
  Py_XDECREF(result);
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(gil);
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_note_own_setting(const char* name) { note_dependence_on_rank(name); }

void pysmpi_isolate_attributes(void) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  set_on_module = PyModule_Type.tp_setattro;
  set_on_class = PyType_Type.tp_setattro;
  replace_module_methods(method_definitions);
  replace(&PyType_Type, set_on_class, set_class_attribute);
  PyGILState_Release(gil);
}
