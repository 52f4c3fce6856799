// Finds the libraries of whose variables each rank has its own, and the pages that contain them.
//
// Example: the user names libsolver.so, which calls libpetsc.so, which calls libmpi.so.12. PETSc is a known library.
//   libsolver.so    each rank's own, because it is named; it would also be because it calls libpetsc.so
//   libpetsc.so     each rank's own, because it is known and calls MPI
//   libmpi.so.12    shared
#include "isolation/library_variables.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/imports.hpp"
#include "engine/c_api.h"
#include "engine/fiber.hpp"
#include "engine/library_variables.hpp"
#include "engine/refusal.hpp"
#include "engine/simulation.hpp"
#include "isolation/c_api.h"
#include "isolation/exit_functions.hpp"
#include "isolation/heap_addresses.hpp"
#include "isolation/loaded_library.hpp"
#include "isolation/own_pages.hpp"

namespace pysmpi {

bool has_library_variables = false;

namespace {

enum class Kind : std::uint8_t {
  kKnown,      // beginning of the file's name; each rank has its own variables if the library calls MPI
  kCompanion,  // the same; if a library of which each rank has its own variables calls it
  kNamed,      // part of the file's name; the user names the library
  kCopied,     // the same; ranks load copies of the library
};

struct Name {
  std::string text;
  Kind kind;
};

// A library of whose variables each rank has its own.
struct OwnLibrary {
  LoadedObject object;
  std::string reason;
  void* handle;  // keeps the library loaded
  std::optional<OwnPages> pages;
  std::string problem = {};  // why ranks cannot have their own; empty if they have

  OwnLibrary(const LoadedObject& loaded, std::string why, std::vector<PageRange> ranges)
      : object(loaded), reason(std::move(why)), handle(dlopen(loaded.path.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
    pages.emplace(std::move(ranges));
  }
  OwnLibrary(const OwnLibrary&) = delete;
  OwnLibrary& operator=(const OwnLibrary&) = delete;
  ~OwnLibrary() {
    pages.reset();
    if (handle) dlclose(handle);
  }
};

struct Separation {
  bool is_on = false;
  std::vector<Name> names;
  std::vector<std::unique_ptr<OwnLibrary>> libraries;  // later ones may call earlier ones
  std::unordered_set<std::string> copied;  // paths of libraries of which ranks load copies, and of the copies
  SeenObjects seen;
};
Separation separation;

// Libraries that serve the thread, the interpreter or the engine.
constexpr std::array<std::string_view, 16> kForAll = {
    "ld-linux",  "linux-vdso", "libc.so",    "libc-2.",        "libpthread", "libdl.",  "libm.so",  "libstdc++",
    "libgcc_s.", "libpython",  "_greenlet.", "_cffi_backend.", "libpysmpi",  "libmpi.", "libasan.", "libtsan.",
};

bool is_of_python(const char* symbol) {
  const std::string_view name(symbol);
  return name.starts_with("Py") || name.starts_with("_Py");
}

bool is_needed(const LoadedObject& by, std::string_view path) {
  const std::vector<std::string> needed = needed_by(by);
  return std::find(needed.begin(), needed.end(), file_name(path)) != needed.end();
}

constexpr const char* kNamed = "--private-libs";
constexpr const char* kOneState = "it keeps one state in a process";

// Return why each rank has its own variables of a library, or an empty text if all share them.
std::string reason_to_separate(const LoadedObject& object) {
  if (object.path.empty() || separation.copied.contains(object.path)) return {};
  const std::string_view file = file_name(object.path);
  for (const Name& each : separation.names) {
    if (each.kind == Kind::kNamed && file.find(each.text) != std::string_view::npos) return kNamed;
    if (each.kind == Kind::kKnown && file.starts_with(each.text) && imports_symbol(object, is_mpi_function)) {
      return kOneState;
    }
  }
  for (const auto& own : separation.libraries) {
    if (!own->problem.empty()) continue;
    if (is_needed(object, own->object.path)) return "it calls " + std::string(file_name(own->object.path));
    const auto is_companion = [&](const Name& each) {
      return each.kind == Kind::kCompanion && file.starts_with(each.text);
    };
    if (std::any_of(separation.names.begin(), separation.names.end(), is_companion) &&
        is_needed(own->object, object.path)) {
      return std::string(file_name(own->object.path)) + " calls it";
    }
  }
  return {};
}

// Return the whole pages of a library that its code may write: those of its writable segments which the linker has not
// made read-only after it stored addresses there (PT_GNU_RELRO).
std::vector<PageRange> writable_pages(const LoadedObject& object) {
  struct Search {
    const LoadedObject& object;
    std::vector<PageRange> found = {};
  } search{object};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& [looked, found] = *static_cast<Search*>(data);
        const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        std::uintptr_t read_only = 0, end_of_read_only = 0;
        bool is_same = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) & part = info->dlpi_phdr[i];
          const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_DYNAMIC) is_same = reinterpret_cast<const void*>(begin) == looked.dynamic;
          if (part.p_type != PT_GNU_RELRO) continue;
          read_only = begin - begin % size;
          end_of_read_only = (begin + part.p_memsz) - (begin + part.p_memsz) % size;
        }
        if (!is_same) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) & part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
          std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          const std::uintptr_t end = (begin + part.p_memsz + size - 1) / size * size;
          begin -= begin % size;
          if (begin >= read_only && begin < end_of_read_only) begin = end_of_read_only;
          if (begin < end) found.push_back({reinterpret_cast<char*>(begin), end - begin});
        }
        return 1;
      },
      &search);
  return search.found;
}

std::string problem_of(const LoadedObject& object, const std::vector<PageRange>& pages) {
  const std::string_view file = file_name(object.path);
  const auto is_it = [&](std::string_view name) { return file.starts_with(name); };
  if (std::any_of(kForAll.begin(), kForAll.end(), is_it)) return "the interpreter or the engine uses it for all ranks";
  if (imports_symbol(object, is_of_python)) {
    return "its variables hold Python objects; import it in the ranks only, so that each loads a copy of it";
  }
  const std::string remedy = "; --private-libs " + std::string(file) + "=copy lets each rank load a copy of it";
  if (starts_threads(object)) return "it starts threads of its own, which use them while any rank runs" + remedy;
  if (contain_heap_addresses(object, pages)) {
    return "they contain addresses of memory that was allocated before the ranks began, or by constructors" + remedy;
  }
  return {};
}

// Let ranks have their own pages of a library. In a later simulation, known libraries begin with the same contents
// again: objects of an earlier one may have called them meanwhile, when they were freed.
bool begin_pages(OwnLibrary& library) {
  static std::map<std::pair<std::string, std::uintptr_t>, std::vector<OwnPages::Page>> first;
  const std::pair key(library.object.path, library.object.base);
  const auto known = first.find(key);
  const bool begins_again = library.reason != kNamed && known != first.end();
  if (!library.pages->begin(Simulation::running, begins_again ? &known->second : nullptr)) return false;
  if (library.reason != kNamed && !begins_again) first.emplace(key, library.pages->first_contents());
  return true;
}

void add(std::unique_ptr<OwnLibrary> library) {
  separation.libraries.push_back(std::move(library));
  has_library_variables = true;
}

void separate(const LoadedObject& object, std::string reason) {
  const std::vector<PageRange> pages = writable_pages(object);
  auto own = std::make_unique<OwnLibrary>(object, std::move(reason), pages);
  own->problem = problem_of(object, pages);
  if (own->problem.empty()) {
    keep_functions_for_atexit(object);
  }
  if (own->problem.empty() && own->pages->length() > 0 && !begin_pages(*own)) {
    own->problem = "the system gives no memory for them";
  }
  if (own->reason == kOneState && !own->problem.empty()) {
    const std::string text =
        "ranks cannot have their own variables of this library: " + own->problem + ". Only one rank may use it.";
    pysmpi_add_single_library(std::string(file_name(object.path)).c_str(), text.c_str());
  }
  add(std::move(own));
}

// Return why a library cannot be used: it calls one of which ranks load copies, and would call the original.
std::string call_of_copied(const LoadedObject& object) {
  for (const std::string& needed : needed_by(object)) {
    for (const Name& each : separation.names) {
      if (each.kind != Kind::kCopied || needed.find(each.text) == std::string::npos) continue;
      return "it calls " + needed + ", and would call the same one in all ranks; --private-libs " + each.text +
             "=remap gives each rank its own variables of both";
    }
  }
  return {};
}

bool is_separated(const LoadedObject& object) {
  return std::any_of(separation.libraries.begin(), separation.libraries.end(),
                     [&](const auto& each) { return each->object == object; });
}

bool separate_some(const std::vector<LoadedObject>& objects) {
  const std::size_t before = separation.libraries.size();
  for (const LoadedObject& each : objects) {
    if (is_separated(each)) continue;
    if (std::string problem = call_of_copied(each); !problem.empty()) {
      auto own = std::make_unique<OwnLibrary>(each, kNamed, std::vector<PageRange>());
      own->problem = std::move(problem);
      add(std::move(own));
    } else if (std::string reason = reason_to_separate(each); !reason.empty()) {
      separate(each, std::move(reason));
    }
  }
  return separation.libraries.size() > before;
}

void refuse(const OwnLibrary& library) {
  const std::string name(file_name(library.object.path));
  record_refusal(name + ": ranks cannot have their own variables of this library (" + library.reason +
                 "): " + library.problem);
}

// A function that a copy of an extension module calls when its Python objects are freed after the simulation.
std::int64_t do_nothing() { return 0; }

bool is_any(const char*) { return true; }

// Let copies of extension modules call no private library any more. Later simulations do not use them, but the
// collector may free their objects while a rank of a later simulation runs, whose own objects have the same numbers.
void silence_copies() {
  for (const LoadedObject& object : loaded_objects()) {
    if (!separation.copied.contains(object.path) || !imports_symbol(object, is_of_python)) continue;
    replace_imports(object, is_any, [](const char* symbol, const void* current) -> const void* {
      for (const auto& each : separation.libraries) {
        if (!each->problem.empty() || !each->handle) continue;
        const void* const function = current ? current : dlsym(each->handle, symbol);
        Dl_info info;
        ElfW(Sym)* found = nullptr;
        if (function && dladdr1(function, &info, reinterpret_cast<void**>(&found), RTLD_DL_SYMENT) != 0 &&
            reinterpret_cast<std::uintptr_t>(info.dli_fbase) == each->object.base && found &&
            ELF64_ST_TYPE(found->st_info) == STT_FUNC) {
          return reinterpret_cast<const void*>(do_nothing);
        }
      }
      return current;
    });
  }
}

// Copies, and originals of which copies exist, remain loaded when the simulation has ended.
void forget_libraries() {
  std::unordered_set<std::string> copied = std::move(separation.copied);
  separation = {};
  separation.copied = std::move(copied);
  forget_exit_functions();
}

void before_fork() {
  for (const auto& each : separation.libraries) each->pages->save();
}
void after_fork() {
  for (const auto& each : separation.libraries) each->pages->forget_saved();
}
void after_fork_in_child() {
  for (const auto& each : separation.libraries) each->pages->keep_saved();
  separation.is_on = has_library_variables = false;
}

}  // namespace

void follow_library_variables() {
  if (!separation.is_on) return;
  std::vector<LoadedObject> candidates = separation.seen.unseen();
  for (const LoadedObject& each : candidates) {
    if (separation.copied.contains(each.path)) keep_functions_for_py_atexit(each);
  }
  // A library that has been separated may concern others that were loaded before.
  while (separate_some(candidates)) candidates = loaded_objects();
}

void put_library_variables(RankId rank) {
  if (!has_library_variables || rank < 0) return;
  for (const auto& each : separation.libraries) {
    if (each->problem.empty()) {
      each->pages->put_in_place(rank);
    } else if (each->reason != kOneState && rank_runs_here() && simulation().fibers.size() > 1) {
      refuse(*each);
    }
  }
}

void release_library_variables(RankId rank) {
  for (const auto& each : separation.libraries) {
    each->pages->put_in_place(-1);
    each->pages->release(rank);
  }
}

void* find_permanent(const void* address) {
  for (const auto& each : separation.libraries) {
    if (char* const found = each->pages->permanent(address)) return found;
  }
  return const_cast<void*>(address);
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_library_variables_begin(const char* const* names, const int32_t* kinds, int32_t count) {
  static const int handlers = pthread_atfork(before_fork, after_fork, after_fork_in_child);
  forget_libraries();
  separation.is_on = handlers == 0;
  for (int32_t i = 0; i < count; ++i) separation.names.push_back({names[i], static_cast<Kind>(kinds[i])});
  follow_library_variables();
}

void pysmpi_library_variables_end(void) {
  silence_copies();
  forget_libraries();
  has_library_variables = false;
}

void pysmpi_note_copied_library(const char* path) { separation.copied.insert(path); }

int32_t pysmpi_library_variables(int32_t number, pysmpi_variables_of_library* out) {
  if (number >= static_cast<int32_t>(separation.libraries.size())) return -1;
  const OwnLibrary& library = *separation.libraries[number];
  out->path = library.object.path.c_str();
  out->bytes = static_cast<int64_t>(library.pages->length());
  out->reason = library.reason.c_str();
  out->problem = library.problem.c_str();
  return 0;
}
