// Calls of compiled code by ctypes and cffi (in its ABI mode). If the code can call MPI, it runs on a private stack,
// so that its local variables stay in place while other ranks run, and can be left when the rank is being stopped. The
// function by which CPython calls such an object (tp_call) is exchanged, in the classes of both packages.
#include "engine/foreign_call.hpp"

#include <Python.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/imports.hpp"
#include "engine/fiber.hpp"
#include "engine/own_stack.hpp"
#include "engine/simulation.hpp"
#include "engine/subclasses.hpp"
#include "engine/switching.hpp"
#include "isolation/c_api.h"
#include "isolation/foreign_calls.hpp"
#include "isolation/loaded_library.hpp"
#include "isolation/module_methods.hpp"

namespace pysmpi {
namespace {

// ---- Libraries that can call MPI

// Finds libraries that call MPI, themselves or by a library that they need.
class MpiCallers {
 public:
  bool contain(std::uintptr_t base) {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (objects_[i].base == base) return is_one(i);
    }
    return false;
  }

 private:
  bool is_one(std::size_t index) {
    if (std::exchange(seen_[index], 1)) return false;
    bool found = false;
    replace_imports(objects_[index], is_mpi_function, [&](const char*, const void* current) {
      found = true;
      return current;
    });
    for (const std::string& name : needed_by(objects_[index])) {
      for (std::size_t i = 0; i < objects_.size() && !found; ++i) {
        const bool is_needed = file_name(objects_[i].path) == file_name(name) || name_of(objects_[i]) == name;
        found = is_needed && is_one(i);
      }
    }
    return found;
  }

  std::vector<LoadedObject> objects_ = loaded_objects();
  std::vector<std::uint8_t> seen_ = std::vector<std::uint8_t>(objects_.size());
};

std::unordered_map<const void*, bool> known;  // whether the code at an address can call MPI

bool calls_mpi(const void* function) {
  const auto [found, is_new] = known.try_emplace(function, false);
  Dl_info info;
  if (is_new && dladdr(function, &info) != 0) {
    found->second = MpiCallers().contain(reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  }
  return found->second;
}

// ---- The classes of functions

ternaryfunc call_ctypes = nullptr, call_cffi = nullptr;  // the original functions; null while nothing is exchanged

const void* address_in_ctypes(PyObject* function) {
  Py_buffer memory;  // the object's memory holds the address
  if (PyObject_GetBuffer(function, &memory, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    return nullptr;
  }
  const void* const address = *static_cast<const void* const*>(memory.buf);
  PyBuffer_Release(&memory);
  return address;
}

const void* address_in_cffi(PyObject* function) {
  struct CData {  // the beginning of CDataObject of _cffi_backend.c, unchanged since cffi 0.4
    PyObject_HEAD;
    PyObject* type;
    const void* data;
  };
  return reinterpret_cast<const CData*>(function)->data;
}

struct Work {
  ternaryfunc call;
  PyObject *self, *args, *names, *result;
};

void call_or_leave(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  Fiber& fiber = running_fiber();
  PyThreadState* const state = PyThreadState_Get();
  const ExceptionsOfThread exceptions = exceptions_of_thread();
  ForeignCall here{.back = {}, .caller = PyEval_GetFrame(), .earlier = fiber.foreign_call};
  fiber.foreign_call = &here;
  if (setjmp(here.back) == 0) {
    work.result = work.call(work.self, work.args, work.names);
  } else {
    if (!PyGILState_Check()) PyEval_RestoreThread(state);
    exceptions_of_thread() = exceptions;  // the compiled code may have been handling one
    raise_stop();
  }
  // Greenlets of the program may end their calls in any order.
  ForeignCall** link = &fiber.foreign_call;
  while (*link != &here) link = &(*link)->earlier;
  *link = here.earlier;
}

PyObject* call_foreign(ternaryfunc call, PyObject* self, PyObject* args, PyObject* names) {
  Work work{call, self, args, names, nullptr};
  return run_on_own_stack(call_or_leave, &work) ? work.result : nullptr;
}

PyObject* call_of_ctypes(PyObject* self, PyObject* args, PyObject* names) {
  if (!rank_runs_here() || !calls_mpi(address_in_ctypes(self))) return call_ctypes(self, args, names);
  return call_foreign(call_ctypes, self, args, names);
}

PyObject* call_of_cffi(PyObject* self, PyObject* args, PyObject* names) {
  if (!rank_runs_here() || !calls_mpi(address_in_cffi(self))) return call_cffi(self, args, names);
  return call_foreign(call_cffi, self, args, names);
}

// Exchange the function of a class and of the classes that have inherited it. Classes that are derived later take it
// from the description of the method (__call__).
void exchange(PyTypeObject* type, ternaryfunc from, ternaryfunc to) {
  if (type->tp_call != from) return;
  type->tp_call = to;
  PyObject* const members = dictionary_of(type);
  PyObject* const method = PyDict_GetItemString(members, "__call__");
  if (method && Py_IS_TYPE(method, &PyWrapperDescr_Type)) {
    reinterpret_cast<PyWrapperDescrObject*>(method)->d_wrapped = reinterpret_cast<void*>(to);
  }
  Py_DECREF(members);
  for_each_subclass(type, [&](PyTypeObject* derived) { exchange(derived, from, to); });
}

}  // namespace

void forget_mpi_callers() { known.clear(); }

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_redirect_foreign_calls(void* ctypes_class, void* cffi_class) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (auto* const type = static_cast<PyTypeObject*>(ctypes_class)) {
    if (!call_ctypes) call_ctypes = type->tp_call;
    exchange(type, call_ctypes, call_of_ctypes);
  }
  if (auto* const type = static_cast<PyTypeObject*>(cffi_class)) {
    if (!call_cffi) call_cffi = type->tp_call;
    exchange(type, call_cffi, call_of_cffi);
  }
  PyGILState_Release(gil);
}

void pysmpi_restore_foreign_calls(void* ctypes_class, void* cffi_class) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (ctypes_class) exchange(static_cast<PyTypeObject*>(ctypes_class), call_of_ctypes, call_ctypes);
  if (cffi_class) exchange(static_cast<PyTypeObject*>(cffi_class), call_of_cffi, call_cffi);
  PyGILState_Release(gil);
}
