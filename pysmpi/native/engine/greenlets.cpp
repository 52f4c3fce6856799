// Replacement of C functions of greenlet: in its table for other extension modules, in its type, and in the
// descriptions of its methods.
#include "engine/greenlets.hpp"

#include <Python.h>
#include <greenlet.h>
#include <pthread.h>

#include <string_view>
#include <utility>

#include "engine/own_stack.hpp"
#include "engine/simulation.hpp"
#include "engine/subclasses.hpp"

namespace pysmpi {

namespace {

newfunc make_greenlet = nullptr;  // greenlet's own function; null before it is replaced

PyObject* noticed_new(PyTypeObject* type, PyObject* args, PyObject* names) {
  if (inside_rank()) programs_have_greenlets = true;
  return make_greenlet(type, args, names);
}

// Exchange the function of a type and of the types that have inherited it. Those derived later inherit the new one.
void notice_in(PyTypeObject* type) {
  if (type->tp_new != make_greenlet) return;
  type->tp_new = noticed_new;
  for_each_subclass(type, notice_in);
}

using Switch = PyObject* (*)(PyGreenlet*, PyObject*, PyObject*);
using Throw = PyObject* (*)(PyGreenlet*, PyObject*, PyObject*, PyObject*);

Switch switch_greenlet = nullptr;
Throw throw_into_greenlet = nullptr;
PyCFunctionWithKeywords switch_method = nullptr;
PyCFunction throw_method = nullptr;
destructor free_greenlet = nullptr;

// Other threads of the interpreter may have greenlets, too, while a rank is on its own stack.
template <typename Function>
void on_common_stack(Function function) {
  if (!own_stack || !pthread_equal(pthread_self(), Simulation::ranks_thread)) return function();
  run_on_common_stack([](void* argument) { (*static_cast<Function*>(argument))(); }, &function);
}

PyObject* redirected_switch(PyGreenlet* target, PyObject* args, PyObject* names) {
  PyObject* result = nullptr;
  on_common_stack([&] { result = switch_greenlet(target, args, names); });
  return result;
}

PyObject* redirected_throw(PyGreenlet* target, PyObject* type, PyObject* value, PyObject* traceback) {
  PyObject* result = nullptr;
  on_common_stack([&] { result = throw_into_greenlet(target, type, value, traceback); });
  return result;
}

PyObject* redirected_switch_method(PyObject* self, PyObject* args, PyObject* names) {
  PyObject* result = nullptr;
  on_common_stack([&] { result = switch_method(self, args, names); });
  return result;
}

PyObject* redirected_throw_method(PyObject* self, PyObject* args) {
  PyObject* result = nullptr;
  on_common_stack([&] { result = throw_method(self, args); });
  return result;
}

// A suspended greenlet that is freed is switched to, so that its frames can end.
void redirected_free(PyObject* self) {
  on_common_stack([&] { free_greenlet(self); });
}

}  // namespace

void watch_for_greenlets() {
  programs_have_greenlets = false;
  if (make_greenlet) return;
  if (!_PyGreenlet_API) PyGreenlet_Import();  // the table is one of each file
  make_greenlet = PyGreenlet_Type.tp_new;
  notice_in(&PyGreenlet_Type);
}

void redirect_greenlet_switches() {
  if (switch_greenlet) return;
  if (!_PyGreenlet_API) PyGreenlet_Import();
  switch_greenlet = reinterpret_cast<Switch>(_PyGreenlet_API[PyGreenlet_Switch_NUM]);
  throw_into_greenlet = reinterpret_cast<Throw>(_PyGreenlet_API[PyGreenlet_Throw_NUM]);
  _PyGreenlet_API[PyGreenlet_Switch_NUM] = reinterpret_cast<void*>(redirected_switch);
  _PyGreenlet_API[PyGreenlet_Throw_NUM] = reinterpret_cast<void*>(redirected_throw);
  free_greenlet = std::exchange(PyGreenlet_Type.tp_dealloc, redirected_free);
  for (PyMethodDef* method = PyGreenlet_Type.tp_methods; method && method->ml_name; ++method) {
    const std::string_view name(method->ml_name);
    const auto function = reinterpret_cast<void (*)()>(method->ml_meth);
    if (name == "switch") {
      switch_method = reinterpret_cast<PyCFunctionWithKeywords>(function);
      method->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(redirected_switch_method));
    } else if (name == "throw") {
      throw_method = reinterpret_cast<PyCFunction>(function);
      method->ml_meth = redirected_throw_method;
    }
  }
}

}  // namespace pysmpi
