// Exchange of trace and profile functions when ranks are switched.
#include "engine/tracing.hpp"

#include <Python.h>

#include "engine/simulation.hpp"

namespace pysmpi {

struct Tracing {
  Py_tracefunc trace = nullptr, profile = nullptr;
  PyObject *trace_object = nullptr, *profile_object = nullptr;  // owned
  int inside = 0;  // depth of trace functions in progress, during which nothing is traced
};

namespace {

// Return the trace functions with which ranks start. They are recorded before the first rank starts.
const Tracing& shared() { return *simulation().shared_tracing; }

bool has(const PyThreadState* thread, const Tracing& functions) {
  return thread->c_tracefunc == functions.trace && thread->c_traceobj == functions.trace_object &&
         thread->c_profilefunc == functions.profile && thread->c_profileobj == functions.profile_object &&
         thread->tracing == functions.inside;
}

Tracing now_of(const PyThreadState* thread) {
  return {thread->c_tracefunc, thread->c_profilefunc, Py_XNewRef(thread->c_traceobj), Py_XNewRef(thread->c_profileobj),
          thread->tracing};
}

void put_in_place(const Tracing& functions) {
  PyThreadState* const thread = PyThreadState_Get();
  thread->tracing = functions.inside;
  if (thread->c_tracefunc != functions.trace || thread->c_traceobj != functions.trace_object) {
    PyEval_SetTrace(functions.trace, functions.trace_object);
  }
  if (thread->c_profilefunc != functions.profile || thread->c_profileobj != functions.profile_object) {
    PyEval_SetProfile(functions.profile, functions.profile_object);
  }
}

void drop(const Tracing& functions) {
  Py_XDECREF(functions.trace_object);
  Py_XDECREF(functions.profile_object);
}

}  // namespace

void TracingDeleter::operator()(Tracing* tracing) const {
  drop(*tracing);
  delete tracing;
}

void note_shared_tracing() {
  const PyThreadState* const thread = PyThreadState_Get();
  OwnTracing& noted = simulation().shared_tracing;
  if (!noted || !has(thread, *noted)) noted.reset(new Tracing(now_of(thread)));
}

void put_shared_tracing() {
  if (!has(PyThreadState_Get(), shared())) put_in_place(shared());
}

OwnTracing put_tracing_away() {
  const PyThreadState* const thread = PyThreadState_Get();
  if (has(thread, shared())) return nullptr;
  OwnTracing own(new Tracing(now_of(thread)));
  put_in_place(shared());
  return own;
}

void put_tracing_back(OwnTracing own) { put_in_place(*own); }

void show_arrival() {
  if (!shared().trace || PyThreadState_Get()->c_tracefunc != shared().trace) return;
  static PyObject* nothing = nullptr;  // an empty Python function; owned, created once per process
  if (!nothing) {
    PyObject* const globals = PyDict_New();
    nothing = PyRun_String("lambda: None", Py_eval_input, globals, globals);
    Py_XDECREF(globals);
  }
  Py_XDECREF(nothing ? PyObject_CallNoArgs(nothing) : nullptr);
  PyErr_Clear();
}

void begin_tracing(void* function) {
  PyObject* const settrace = PySys_GetObject("settrace");  // borrowed
  PyObject* const result = settrace ? PyObject_CallOneArg(settrace, static_cast<PyObject*>(function)) : nullptr;
  if (!result) PyErr_Clear();
  Py_XDECREF(result);
  Py_DECREF(static_cast<PyObject*>(function));
}

}  // namespace pysmpi
