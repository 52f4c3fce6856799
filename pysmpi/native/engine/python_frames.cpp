// Memory of Python's frames.
#include "engine/python_frames.hpp"

#include <Python.h>

#include <algorithm>
#include <vector>

namespace pysmpi {
namespace {

constexpr std::size_t kHeader = 10 * sizeof(PyObject*);  // struct _PyInterpreterFrame of CPython 3.11 to 3.14
constexpr int kDeepest = 8;                              // largest number of nested calls that are followed

std::size_t bytes_of_frame(const PyCodeObject* code) {
  return kHeader + static_cast<std::size_t>(code->co_nlocalsplus + code->co_stacksize) * sizeof(PyObject*);
}

// Finds the longest chain of calls. Each function is followed once, which finds the longest chain in most programs.
class CallChains {
 public:
  // Return the bytes of the frames of the calls that `code` may make. `globals` are the variables of its module.
  std::size_t longest(PyCodeObject* code, PyObject* globals, int calls = kDeepest) {
    if (calls == 0 || std::find(followed_.begin(), followed_.end(), code) != followed_.end()) return 0;
    followed_.push_back(code);
    std::size_t bytes = 0;
    const auto follow = [&](PyObject* called, PyObject* its_globals) {
      auto* const its_code = reinterpret_cast<PyCodeObject*>(called);
      bytes = std::max(bytes, bytes_of_frame(its_code) + longest(its_code, its_globals, calls - 1));
    };
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); ++i) {  // comprehensions, and functions inside it
      PyObject* const constant = PyTuple_GET_ITEM(code->co_consts, i);
      if (PyCode_Check(constant)) follow(constant, globals);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); ++i) {
      PyObject* const named = PyDict_GetItemWithError(globals, PyTuple_GET_ITEM(code->co_names, i));
      if (named && PyFunction_Check(named)) follow(PyFunction_GET_CODE(named), PyFunction_GET_GLOBALS(named));
    }
    return bytes;
  }

 private:
  std::vector<PyCodeObject*> followed_;
};

}  // namespace

std::size_t bytes_of_frames() {
  const PyThreadState* const thread = PyThreadState_Get();
  const _PyStackChunk* chunk = thread->datastack_chunk;
  if (!chunk) return 0;
  std::size_t bytes = reinterpret_cast<const char*>(thread->datastack_top) - reinterpret_cast<const char*>(chunk);
  while ((chunk = chunk->previous)) bytes += chunk->top * sizeof(PyObject*);
  return bytes;
}

std::size_t bytes_of_further_calls() {
  std::size_t further = 0, made = 0;  // `made`: bytes of the frames of the calls that `frame` has made
  CallChains chains;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    PyObject* const globals = PyFrame_GetGlobals(frame);
    further = std::max(made + further, chains.longest(code, globals)) - made;
    made += bytes_of_frame(code);
    Py_DECREF(globals);
    Py_DECREF(code);
    PyFrameObject* const caller = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = caller;
  }
  PyErr_Clear();
  return further;
}

}  // namespace pysmpi
