// Exchange of running event loops when ranks are switched.
#include "engine/event_loops.hpp"

#include <Python.h>

#include <utility>

#include "engine/c_api.h"

namespace pysmpi {

// State of asynchronous code that is removed from the thread while other ranks run. Each member is an owned reference
// or null.
struct EventLoop {
  PyObject *first_iteration, *finalizer;  // hooks for asynchronous generators
  PyObject* loop;                         // asyncio's running loop
  PyObject* task;                         // asyncio's running task; kept by loop, not by thread, before CPython 3.14
};

namespace {

// Functions of asyncio (owned), or null until a program imports it. They are implemented in C. So calling them runs no
// Python code, in which the exception that stops a rank could be raised.
PyObject *get_loop = nullptr, *set_loop = nullptr, *swap_task = nullptr;

// Call the function with the arguments. Returns its result, or null if `function` is null or raises an exception, which
// is dropped.
template <class... Arguments>
PyObject* call(PyObject* function, Arguments... arguments) {
  if (!function) return nullptr;
  PyObject* const result = PyObject_CallFunctionObjArgs(function, arguments..., nullptr);
  if (!result) PyErr_Clear();
  return result;
}

}  // namespace

void EventLoopDeleter::operator()(EventLoop* loop) const {
  for (PyObject* each : {loop->first_iteration, loop->finalizer, loop->loop, loop->task}) Py_XDECREF(each);
  delete loop;
}

OwnEventLoop put_event_loop_away() {
  PyThreadState* const thread = PyThreadState_Get();
  // Every loop sets these hooks while it runs. Without them, no loop is running, and nothing needs to be removed.
  if (!thread->async_gen_firstiter && !thread->async_gen_finalizer) return nullptr;
  OwnEventLoop own(new EventLoop{.first_iteration = std::exchange(thread->async_gen_firstiter, nullptr),
                                 .finalizer = std::exchange(thread->async_gen_finalizer, nullptr),
                                 .loop = call(get_loop),
                                 .task = nullptr});
  if (!own->loop || own->loop == Py_None) return own;
  own->task = call(swap_task, own->loop, Py_None);
  Py_XDECREF(call(set_loop, Py_None));
  return own;
}

void put_event_loop_back(OwnEventLoop own) {
  PyThreadState* const thread = PyThreadState_Get();
  Py_XSETREF(thread->async_gen_firstiter, std::exchange(own->first_iteration, nullptr));
  Py_XSETREF(thread->async_gen_finalizer, std::exchange(own->finalizer, nullptr));
  if (!own->loop || own->loop == Py_None) return;
  Py_XDECREF(call(set_loop, own->loop));
  if (own->task) Py_XDECREF(call(swap_task, own->loop, own->task));
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_set_event_loop_functions(void* get, void* set, void* swap) {
  for (auto [function, value] : {std::pair{&get_loop, get}, {&set_loop, set}, {&swap_task, swap}}) {
    Py_XSETREF(*function, Py_XNewRef(static_cast<PyObject*>(value)));
  }
}
