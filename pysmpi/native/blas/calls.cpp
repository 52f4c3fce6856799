#include "blas/calls.hpp"

#include <Python.h>
#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

#include "counting/counts.hpp"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

namespace blas {

struct Routine {
  std::string name;
  bool has_sizes;
  bool has_model = false;
};

namespace {

// A function of BLAS or LAPACK in a loaded library. Its index in known_functions is the number of its entry
// (blas/entries.hpp).
struct Function {
  const void* address;
  FunctionName name;
  Signature signature;
  Routine *routine, *without_vectors;
};

// The functions and routines that have been found. They live as long as the process.
std::deque<Function> known_functions;
std::unordered_map<std::string, Routine> known_routines;

Routine* routine_named(const std::string& name, bool has_sizes) {
  return &known_routines.try_emplace(name, Routine{name, has_sizes}).first->second;
}

// Return the entry of a function, or null if all entries are in use.
const void* entry_of(const FunctionName& name, const void* address) {
  for (std::size_t i = 0; i < known_functions.size(); ++i) {
    const Function& each = known_functions[i];
    if (each.address == address && each.name.routine == name.routine) return entry(i);
  }
  if (known_functions.size() == kEntries) return nullptr;
  const Signature signature(name);
  Routine* const routine = routine_named(name.routine, signature.has_sizes());
  Routine* const without = routine_named(name.routine + " without vectors", signature.has_sizes());
  known_functions.push_back({address, name, signature, routine, without});
  return entry(known_functions.size() - 1);
}

bool is_function(const char* symbol) { return function_named(symbol).has_value(); }

// Return whether the calls of a function only convert data for the code around them, and are therefore not watched:
// numpy.linalg copies matrices from and to LAPACK's order of elements by a call of dcopy for each row.
bool is_conversion(const LoadedObject& object, const FunctionName& name) {
  return name.routine.ends_with("copy") && object.path.find("/_umath_linalg.") != std::string::npos;
}

bool watch(const LoadedObject& object) {
  bool all = true;
  const bool written = replace_imports(object, is_function, [&](const char* symbol, const void* current) {
    if (current && is_entry(current)) return current;
    const FunctionName name = *function_named(symbol);
    const void* const address = is_conversion(object, name) ? nullptr : current ? current : find_symbol(object, symbol);
    const void* const watched = address ? entry_of(name, address) : nullptr;
    all = all && (watched || !address);
    return watched ? watched : current;
  });
  return all && written;
}

void unwatch(const LoadedObject& object) {
  replace_imports(object, is_function, [](const char*, const void* current) {
    return current && is_entry(current) ? known_functions[entry_number(current)].address : current;
  });
}

bool has_unwatched_calls(const LoadedObject& object) {
  bool found = false;
  replace_imports(object, is_function, [&](const char* symbol, const void* current) {
    found = found || (!(current && is_entry(current)) && !is_conversion(object, *function_named(symbol)) &&
                      (current || find_symbol(object, symbol)));
    return current;
  });
  return found;
}

// An error of a Python function, which the program receives when its call of the library has returned to Python.
PyObject *failed_type, *failed_value, *failed_traceback;

int raise_failure(void*) {
  PyErr_Restore(std::exchange(failed_type, nullptr), std::exchange(failed_value, nullptr),
                std::exchange(failed_traceback, nullptr));
  return PyErr_Occurred() ? -1 : 0;
}

void raise_later() {
  if (failed_type || Py_AddPendingCall(raise_failure, nullptr) != 0) return PyErr_Clear();
  PyErr_Fetch(&failed_type, &failed_value, &failed_traceback);
}

// Holds the GIL, and keeps an exception that is being raised.
class Python {
 public:
  Python() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~Python() {
    PyErr_Restore(type_, value_, traceback_);
    PyGILState_Release(gil_);
  }
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;

  // Return the result of a call, or null after an error, which is raised later.
  PyObject* call(void* function, const Routine& routine, const Sizes& sizes, std::uint64_t times = 0) {
    auto* const callable = static_cast<PyObject*>(function);
    const long long m = sizes.m, n = sizes.n, k = sizes.k, sides = sizes.nrhs;
    PyObject* const result = times == 0 ? PyObject_CallFunction(callable, "sLLLL", routine.name.c_str(), m, n, k, sides)
                                        : PyObject_CallFunction(callable, "sLLLLK", routine.name.c_str(), m, n, k,
                                                                sides, static_cast<unsigned long long>(times));
    if (!result) raise_later();
    return result;
  }

 private:
  PyGILState_STATE gil_ = PyGILState_Ensure();
  PyObject *type_, *value_, *traceback_;
};

void report_repeated(BlasCalls& calls) {
  const std::uint64_t times = std::exchange(calls.charged.repeated, 0);
  if (times == 0) return;
  Python python;
  Py_XDECREF(python.call(calls.functions.repeat, *calls.charged.call.routine, calls.charged.call.sizes, times));
}

void charge(BlasCalls& calls, const BlasCalls::Latest& call) {
  if (calls.charged.call == call) {
    ++calls.charged.repeated;
  } else {
    report_repeated(calls);
    Python python;
    PyObject* const found = python.call(calls.functions.charge, *call.routine, call.sizes);
    const double flops = found ? PyFloat_AsDouble(found) : -1.0;
    Py_XDECREF(found);
    calls.charged = {};
    if (flops < 0.0) return;
    calls.charged = {call, flops};
  }
  owe_flops(TimeSource::kModelled, calls.charged.flops);
}

// Return the flops of a call and the bytes of its operands.
const BlasCalls::Amount& amount_of(BlasCalls& calls, const BlasCalls::Latest& call) {
  if (calls.amount.call == call) return calls.amount;
  calls.amount = {call};
  if (!call.routine->has_sizes) return calls.amount;
  Python python;
  PyObject* const found = python.call(calls.functions.amount, *call.routine, call.sizes);
  if (found && !PyArg_ParseTuple(found, "dd", &calls.amount.flops, &calls.amount.bytes)) PyErr_Clear();
  Py_XDECREF(found);
  return calls.amount;
}

double wall_clock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void count_without_model(BlasCalls& calls, const BlasCalls::Open& call, double flops) {
  auto use = std::find_if(calls.without_model.begin(), calls.without_model.end(),
                          [&](const BlasCalls::Use& each) { return each.routine == call.routine; });
  if (use == calls.without_model.end()) use = calls.without_model.insert(use, {call.routine, {}});
  ++use->sum.calls;
  use->sum.free += call.excluded_since < 0.0;
  use->sum.seconds += wall_clock() - call.started;
  use->sum.flops += flops;
}

// Return whether the rank is inside a call already. Forgets calls of the rank that were left by an exception in a
// callback.
bool is_inside(BlasCalls& calls, RankId rank, const Arguments* arguments) {
  std::erase_if(calls.open, [&](const auto& each) { return each.rank == rank && each.arguments <= arguments; });
  return std::any_of(calls.open.begin(), calls.open.end(), [&](const auto& each) { return each.rank == rank; });
}

bool is_watched_now() { return BlasCalls::exists() && BlasCalls::current().on && rank_runs_here(); }

}  // namespace

}  // namespace blas

BlasCalls::~BlasCalls() {
  if (on) pysmpi_unwatch_blas();
}

}  // namespace pysmpi

using namespace pysmpi;
using namespace pysmpi::blas;

void* pysmpi_enter_function(std::uint32_t number, Arguments* arguments) {
  const Function& function = known_functions[number];
  void* const address = const_cast<void*>(function.address);
  arguments->returns = 0;
  if (!is_watched_now()) return address;
  BlasCalls& calls = BlasCalls::current();
  const RankId rank = Simulation::running;
  if (is_inside(calls, rank, arguments) || function.signature.asks_for_memory(*arguments)) return address;
  const Routine* const routine =
      function.signature.lacks_vectors(*arguments) ? function.without_vectors : function.routine;
  const Sizes sizes = function.signature.sizes(*arguments);
  arguments->returns = 1;
  calls.open.push_back({rank, arguments, routine, sizes, begin_exclusion(), wall_clock()});
  return address;
}

void pysmpi_leave_function(Arguments* arguments) {
  if (!is_watched_now()) return;
  BlasCalls& calls = BlasCalls::current();
  const auto found = std::find_if(calls.open.begin(), calls.open.end(), [&](const BlasCalls::Open& each) {
    return each.rank == Simulation::running && each.arguments == arguments;
  });
  if (found == calls.open.end()) return;
  const BlasCalls::Open call = *found;
  calls.open.erase(found);
  const BlasCalls::Latest key{call.rank, call.routine, call.sizes};
  const bool has_model = call.routine->has_model;
  if (!has_model || ComputationCounts::current().on) {
    const BlasCalls::Amount& amount = amount_of(calls, key);
    ComputationCounts::current().count_call_of_blas(amount.flops, amount.bytes);
    if (!has_model && calls.functions.charge) count_without_model(calls, call, amount.flops);
  }
  if (!has_model) return;
  charge(calls, key);
  end_exclusion(call.excluded_since);
}

void pysmpi_watch_blas(const pysmpi_blas_functions* functions) {
  BlasCalls& calls = BlasCalls::current();
  calls.functions = *functions;
  calls.on = true;
  pysmpi_watch_new_libraries();
}

void pysmpi_watch_new_libraries(void) {
  BlasCalls& calls = BlasCalls::current();
  if (!calls.on) return;
  for (const LoadedObject& each : calls.watched.unseen()) watch(each);
}

void pysmpi_unwatch_blas(void) {
  BlasCalls& calls = BlasCalls::current();
  for (const LoadedObject& each : loaded_objects()) unwatch(each);
  for (auto& [name, routine] : known_routines) routine.has_model = false;
  calls.on = false;
  calls.functions = {};
  calls.watched.clear();
  calls.open.clear();
  calls.charged = {};
  calls.amount = {};
  calls.without_model.clear();
}

void pysmpi_model_routine(const char* name) { routine_named(name, true)->has_model = true; }

uint32_t pysmpi_blas_uses(void) {
  BlasCalls& calls = BlasCalls::current();
  report_repeated(calls);
  return static_cast<uint32_t>(calls.without_model.size());
}

const char* pysmpi_blas_use_of(uint32_t number, pysmpi_blas_use* out) {
  const BlasCalls::Use& use = BlasCalls::current().without_model[number];
  *out = use.sum;
  return use.routine->name.c_str();
}

const char* pysmpi_unwatched_library(uint32_t number) {
  BlasCalls& calls = BlasCalls::current();
  if (number == 0) {
    calls.unwatched.clear();
    if (!calls.on) return nullptr;
    for (const LoadedObject& each : loaded_objects()) {
      if (has_unwatched_calls(each)) calls.unwatched.push_back(each);
    }
  }
  return number < calls.unwatched.size() ? calls.unwatched[number].path.c_str() : nullptr;
}
