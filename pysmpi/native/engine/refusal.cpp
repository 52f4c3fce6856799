// The error of a refusal, and the library that called MPI.
#include "engine/refusal.hpp"

#include <Python.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/c_api.h"
#include "engine/call_site.hpp"
#include "engine/fiber.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

// The caller of a native MPI function is among the first few frames. If the MPI function is written in Python, frames
// of the interpreter lie between it and the caller.
constexpr int kFewFrames = 12, kMostFrames = 256;

int note_changes(dl_phdr_info* info, std::size_t, void* changes) {
  *static_cast<std::uint64_t*>(changes) = info->dlpi_adds + info->dlpi_subs;
  return 1;
}

// Paths of the files that contain code or data at some addresses. The dynamic linker compares an address with all
// symbols of a library, so its answers are kept until a library is loaded or unloaded.
class Files {
 public:
  Files() {
    std::uint64_t changes = 0;
    dl_iterate_phdr(note_changes, &changes);
    if (std::exchange(changes_at_last_use, changes) != changes) known.clear();
  }

  std::string_view at(const void* address) const {
    const auto [found, is_new] = known.try_emplace(address);
    Dl_info info;
    if (is_new && dladdr(address, &info) != 0 && info.dli_fname) found->second = info.dli_fname;
    return found->second;
  }

 private:
  static std::unordered_map<const void*, std::string> known;
  static std::uint64_t changes_at_last_use;
};

std::unordered_map<const void*, std::string> Files::known;
std::uint64_t Files::changes_at_last_use = 0;

// Return whether a file of Python code belongs to an installed package or to the interpreter.
bool is_installed(std::string_view file) {
  constexpr std::array kParts{"/site-packages/", "/dist-packages/", "/lib/python3.", "<frozen ", "src/mpi4py"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](const char* part) { return file.find(part) != std::string_view::npos; });
}

// Return the line of the program that the running rank executes, such as "solve.py:12": the innermost one outside
// installed packages, if there is one.
std::string line_of_program() {
  if (const void* const address = address_in_program ? address_in_program() : nullptr) {
    return text_of_program_address(address);
  }
  const PyGILState_STATE gil = PyGILState_Ensure();
  std::string line;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame && line.empty()) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const char* const file = PyUnicode_AsUTF8(code->co_filename);
    if (file && !is_installed(file)) line = std::string(file) + ':' + std::to_string(PyFrame_GetLineNumber(frame));
    if (!file) PyErr_Clear();
    Py_DECREF(code);
    PyFrameObject* const caller = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = caller;
  }
  Py_XDECREF(frame);
  PyGILState_Release(gil);
  return line.empty() ? call_site_text(call_site()) : line;
}

std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

}  // namespace

std::string calling_library() {
  const Files files;
  // The engine and libmpi.so.12 lie in one folder. MPI functions that are written in Python have frames of the
  // interpreter between the two.
  const std::string_view own = folder_of(files.at(reinterpret_cast<const void*>(&calling_library)));
  const std::string_view interpreter = files.at(reinterpret_cast<const void*>(&PyEval_GetFrame));
  const auto is_mpi = [&](void* frame) {
    return folder_of(files.at(frame)) == own && files.at(frame).find("/libmpi.") != std::string_view::npos;
  };
  std::array<void*, kMostFrames> frames{};
  for (const int most : {kFewFrames, kMostFrames}) {
    const auto end = frames.begin() + backtrace(frames.data(), most);
    const auto mpi = std::find_if(frames.begin(), end, is_mpi);
    if (mpi == end && most == kFewFrames) continue;
    for (auto frame = mpi == end ? frames.begin() : mpi; frame != end; ++frame) {
      const std::string_view file = files.at(*frame), folder = folder_of(file);
      if (folder != own && file != interpreter) return std::string(file.substr(folder.size()));
    }
  }
  return {};
}

void record_refusal(const std::string& problem) {
  Simulation& engine = simulation();
  if (engine.refused) return;
  const std::string place = line_of_program();
  engine.refused = true;
  engine.refusal = (place.empty() ? "" : place + ": ") + "rank " + std::to_string(engine.running) + ": " + problem;
}

void refuse(const char* function, const std::string& problem) {
  Fiber& fiber = running_fiber();
  if (fiber.stopping) return;
  record_refusal(problem);
  fiber.pending = 1;
  block({.call = function, .kind = WaitKind::kOther});
  insist_on_stop();  // compiled code often ignores error codes
}

namespace {

bool refuse_buffer(const char* function, const char* memory, const char* problem) {
  const char* const outer = running_fiber().outer_call;
  const std::string library = calling_library();
  const std::string caller = library.empty() ? "" : ", called by " + library;
  refuse(function, std::string(outer ? outer : function) + caller + ": " + memory + problem);
  return true;
}

}  // namespace

bool refuse_stack_memory(const char* function, const char* memory) {
  return refuse_buffer(function, memory,
                       " is a local variable of compiled code. Ranks share one C stack, so its memory holds another "
                       "rank's data while this rank waits; allocate it on the heap, use a blocking call, or give each "
                       "rank a stack of its own: --own-stacks");
}

bool refuse_library_variable(const char* function, const char* memory) {
  return refuse_buffer(function, memory,
                       " has a datatype with displacements from or to variables of a library of which each rank has "
                       "its own, so that they lead to another rank's variables while this rank waits; place all of the "
                       "data on the heap, or send its parts one by one");
}

}  // namespace pysmpi

using namespace pysmpi;

const char* pysmpi_refusal(void) { return simulation().refusal.c_str(); }
