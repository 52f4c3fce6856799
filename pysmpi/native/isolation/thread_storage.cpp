// The exchange of thread-local blocks: the elements of the thread's vector are set to "not allocated" when a rank is
// left, and set again when it continues. Nothing is copied, except blocks that lie beside the thread's own record.
//
// Example: torch is loaded, and ranks 0 and 1 use it.
//   rank 0 waits        Its blocks of libc10 and libtorch_cpu are noted; their elements are "not allocated" now.
//   rank 1 begins       At its first use of a variable, glibc allocates a block with the variable's first value.
//   rank 1 waits        Its blocks are noted, too.
//   rank 0 continues    Its blocks are in place again.
//   rank 0 ends         Destructors of its thread-local objects are called, and its blocks are freed.
#include "isolation/thread_storage.hpp"

#include <Python.h>
#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <threads.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/imports.hpp"
#include "engine/isolation.hpp"
#include "engine/refusal.hpp"
#include "engine/simulation.hpp"
#include "isolation/c_api.h"
#include "isolation/loaded_library.hpp"
#include "isolation/thread_vector.hpp"

namespace pysmpi {

namespace {

// A loaded library with thread-local variables.
struct ThreadLibrary {
  std::size_t number = 0;    // its element in thread vectors
  std::uintptr_t base = 0;   // address at which it is loaded
  std::string first_values;  // contents of a block at first
  void* fixed = nullptr;     // its block beside the thread's record, whose contents are copied; null if it is allocated
  bool is_refused = false;   // several ranks may not use it
  bool has_threads = false;  // it may run threads of its own
  bool is_loaded = true;     // false once it has been unloaded; another one may then have its number
  std::string path;

  std::string name() const { return std::string(file_name(path)); }
};

// A destructor of a thread-local object (__cxa_thread_atexit_impl).
struct Destructor {
  void (*function)(void*);
  void* object;
  void* handle;  // keeps the library loaded until then, as glibc does; null if it could not be found
};

}  // namespace

struct ThreadStorage {
  std::vector<ThreadBlock> blocks;      // by library; libraries loaded since are missing
  std::vector<std::string> fixed;       // contents of blocks with ThreadLibrary::fixed, likewise; empty for others
  std::vector<void*> values;            // of the keys of pthread_getspecific from first_key on
  std::vector<Destructor> destructors;  // in the order in which they were registered
};

namespace {

struct SharedLibraries {
  std::string_view part;    // part of the file's name; of its path, if it begins with a slash
  std::string_view reason;  // what the library does
};

// Libraries whose variables all ranks share. The first group serves the thread itself, or the engine.
constexpr std::array kShared = {
    SharedLibraries{"ld-linux", "the dynamic linker"},
    SharedLibraries{"libc.so", "the C library"},
    SharedLibraries{"libc-2.", "the C library"},
    SharedLibraries{"libpthread", "the C library"},
    SharedLibraries{"libm.so", "the C library"},
    SharedLibraries{"libstdc++", "its exceptions are exchanged with the stack"},
    SharedLibraries{"libgcc_s", "unwinds the stack"},
    SharedLibraries{"libpython", "the interpreter"},
    SharedLibraries{"/lib-dynload/", "the interpreter"},
    SharedLibraries{"_greenlet.", "switches between ranks"},
    SharedLibraries{"_cffi_backend", "calls the engine"},
    SharedLibraries{"libpysmpi", "the engine"},
    SharedLibraries{"libasan", "checks memory"},
    SharedLibraries{"libtsan", "checks memory"},
    SharedLibraries{"libubsan", "checks memory"},
    SharedLibraries{"jemalloc", "allocates memory"},
    SharedLibraries{"tcmalloc", "allocates memory"},
    SharedLibraries{"mimalloc", "allocates memory"},
    // Each of these has a pool of threads. If the variables were exchanged, each rank would start another pool.
    SharedLibraries{"libgomp", "its pool of threads"},
    SharedLibraries{"libiomp", "its pool of threads"},
    SharedLibraries{"libomp.", "its pool of threads"},
    SharedLibraries{"openblas", "its pool of threads"},
    SharedLibraries{"libmkl", "its pool of threads"},
    SharedLibraries{"libblis", "its pool of threads"},
    SharedLibraries{"libtbb", "its pool of threads"},
    // Caches, which never live longer than a call.
    SharedLibraries{"_multiarray_umath", "scratch memory of single calls"},
};

struct State {
  bool is_on = false;
  std::size_t generation = 0;            // of the thread's vector when libraries were last looked for
  std::vector<ThreadLibrary> libraries;  // those whose variables are exchanged; one that is unloaded stays in its place
  std::vector<std::pair<ThreadLibrary, std::string_view>>
      shared;                      // the others, and why all ranks share their variables
  std::vector<std::string> named;  // parts of paths that the user lets ranks share
  std::vector<std::unique_ptr<ThreadStorage>> unused;
  ThreadStorage* main = nullptr;        // of the main greenlet while a rank runs
  locale_t main_locale = nullptr;       // likewise
  std::vector<Destructor> destructors;  // of the running rank or thread
  std::vector<void*> kept;              // blocks of ended ranks, to which threads of their libraries may hold pointers
  std::uint64_t loads = 0;              // number of libraries that had been loaded then
  std::unordered_set<std::uintptr_t> of_one_rank;  // addresses of libraries that only one rank uses
  pthread_key_t first_key = 0;
  std::atomic<pthread_key_t> end_key = 0;  // any thread creates keys; from first_key to here are those that may have
                                           // been created since the engine was loaded
  SeenObjects seen;
};

pthread_key_t next_key() {
  pthread_key_t key = 0;
  if (pthread_key_create(&key, nullptr) == 0) pthread_key_delete(key);
  return key;
}

State state{.first_key = next_key()};

// Return why all ranks share the variables of a library, or an empty text if each rank has its own.
std::string_view reason_to_share(std::string_view path) {
  if (path.empty()) return "the interpreter";
  const auto in_path = [&](std::string_view part) { return path.find(part) != std::string_view::npos; };
  if (std::any_of(state.named.begin(), state.named.end(), in_path)) return "--share-threads";
  const std::string_view file = file_name(path);
  const auto* const found = std::find_if(kShared.begin(), kShared.end(), [&](const SharedLibraries& each) {
    return each.part.front() == '/' ? in_path(each.part) : file.find(each.part) != std::string_view::npos;
  });
  if (found != kShared.end()) return found->reason;
  return state.is_on ? "" : "the C library's layout of thread-local variables is unknown";
}

const ElfW(Phdr) * variables_of(const dl_phdr_info& info) {
  const auto* const end = info.dlpi_phdr + info.dlpi_phnum;
  const auto* const found =
      std::find_if(info.dlpi_phdr, end, [](const ElfW(Phdr) & part) { return part.p_type == PT_TLS; });
  return found == end ? nullptr : found;
}

// A library that is loaded where another one was unloaded may have its number and its address.
bool is_same(const ThreadLibrary& library, const dl_phdr_info& info, std::string_view path, std::size_t size) {
  return library.number == info.dlpi_tls_modid && library.base == info.dlpi_addr && library.path == path &&
         library.first_values.size() == size;
}

int note_library(dl_phdr_info* info, std::size_t, void*) {
  const ElfW(Phdr)* const variables = variables_of(*info);
  if (info->dlpi_tls_modid == 0 || !variables || state.of_one_rank.contains(info->dlpi_addr)) return 0;
  const std::string_view path(info->dlpi_name ? info->dlpi_name : "");
  for (ThreadLibrary& each : state.libraries) {
    if (is_same(each, *info, path, variables->p_memsz)) {
      each.is_loaded = true;
      return 0;
    }
  }
  for (const auto& [each, reason] : state.shared) {
    if (is_same(each, *info, path, variables->p_memsz)) return 0;
  }
  ThreadLibrary found{.number = info->dlpi_tls_modid, .base = info->dlpi_addr, .path = std::string(path)};
  found.first_values.assign(reinterpret_cast<const char*>(info->dlpi_addr + variables->p_vaddr), variables->p_filesz);
  found.first_values.resize(variables->p_memsz, '\0');
  const std::string_view reason = reason_to_share(path);
  if (reason.empty()) {
    state.libraries.push_back(std::move(found));
  } else {
    state.shared.emplace_back(std::move(found), reason);
  }
  return 0;
}

// Return whether code of the object expects its variables beside the thread's own record (initial-exec).
bool has_static_model(const LoadedObject& object) {
  for (auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic); entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FLAGS) return (entry->d_un.d_val & DF_STATIC_TLS) != 0;
  }
  return false;
}

// Find out where the block of a library lies, and whether threads of the library may hold pointers into it. A block
// beside the thread's own record can only be copied, so that pointers lead to the variables of whichever rank runs.
void examine(ThreadLibrary& library) {
  void* const block = block_of_library(library.number);
  if (!ThreadVector::current()[library.number].allocated) library.fixed = block;
  for (const LoadedObject& object : loaded_objects()) {
    if (object.base != library.base || object.path != library.path) continue;
    library.has_threads = starts_threads(object);
    library.is_refused = library.fixed && library.has_threads && has_static_model(object);
  }
}

void refuse_fixed(ThreadLibrary& library) {
  library.is_refused = false;
  record_refusal(library.name() +
                 ": its thread-local variables are compiled for libraries that are loaded at start (initial-exec), "
                 "and its own threads may hold pointers to them, so that ranks cannot have their own; "
                 "--share-threads " +
                 library.name() + " lets all ranks share them");
}

std::unique_ptr<ThreadStorage> take_storage() {
  if (state.unused.empty()) return std::make_unique<ThreadStorage>();
  std::unique_ptr<ThreadStorage> taken = std::move(state.unused.back());
  state.unused.pop_back();
  return taken;
}

void give_storage(std::unique_ptr<ThreadStorage> storage) {
  storage->blocks.clear();
  storage->fixed.clear();
  storage->values.clear();
  storage->destructors.clear();
  state.unused.push_back(std::move(storage));
}

void put_first_values(const ThreadLibrary& library) {
  std::memcpy(library.fixed, library.first_values.data(), library.first_values.size());
}

using RegisterDestructor = int (*)(void (*)(void*), void*, void*);
RegisterDestructor real_register = nullptr;

// Register a destructor of a thread-local object. Those of ranks are called when the rank ends; in the C library's list
// they would be called when the process ends, after the object's block has been freed. `library` is an address in the
// library to which the object belongs.
int register_destructor(void (*function)(void*), void* object, void* library) {
  Dl_info info;
  if (!state.is_on || !rank_runs_here() || dladdr(library, &info) == 0 || !reason_to_share(info.dli_fname).empty()) {
    return real_register(function, object, library);
  }
  state.destructors.push_back({function, object, dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)});
  return 0;
}

// Exchange the values of all keys up to this one from now on.
void note_key(pthread_key_t key) {
  pthread_key_t end = state.end_key;
  while (end <= key && !state.end_key.compare_exchange_weak(end, key + 1)) {
  }
}

int create_followed_tss(tss_t* key, tss_dtor_t destructor) {
  const int result = tss_create(key, destructor);
  if (result == thrd_success) note_key(*key);
  return result;
}

const void* replacement_of(std::string_view symbol) {
  if (symbol == "__cxa_thread_atexit_impl") return reinterpret_cast<const void*>(register_destructor);
  if (symbol == "pthread_key_create" || symbol == "__pthread_key_create") {
    return reinterpret_cast<const void*>(create_followed_key);
  }
  return symbol == "tss_create" ? reinterpret_cast<const void*>(create_followed_tss) : nullptr;
}

// Replace the functions of a library that register destructors and create keys.
void replace_functions_of(const LoadedObject& object) {
  if (object.path.find("libpysmpi") != std::string::npos) return;
  replace_imports(
      object, [](const char* symbol) { return replacement_of(symbol) != nullptr; },
      [](const char* symbol, const void*) { return replacement_of(symbol); });
}

// Return how many libraries have been loaded since the process began.
std::uint64_t count_of_loads() {
  std::uint64_t count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<std::uint64_t*>(out) = info->dlpi_adds;
        return 1;  // the first library tells
      },
      &count);
  return count;
}

void call_destructors() {
  while (!state.destructors.empty()) {
    const Destructor last = state.destructors.back();
    state.destructors.pop_back();
    last.function(last.object);
    if (PyErr_Occurred()) PyErr_WriteUnraisable(nullptr);
    if (last.handle) dlclose(last.handle);
  }
}

// Return whether the running rank has used a thread-local variable.
bool has_storage() {
  const ThreadVector vector = ThreadVector::current();
  for (const ThreadLibrary& each : state.libraries) {
    if (each.is_loaded && (each.fixed || (vector.has(each.number) && vector[each.number].address != kUnallocated))) {
      return true;
    }
  }
  for (pthread_key_t key = state.first_key; key < state.end_key; ++key) {
    if (pthread_getspecific(key)) return true;
  }
  return !state.destructors.empty();
}

}  // namespace

void leave_variables_to_one_rank(const LoadedObject& library) {
  state.of_one_rank.insert(library.base);
  if (!state.is_on || count_of_loads() != state.loads + 1) return;  // others have been loaded, too
  // Looking through all libraries for each rank's copy would take long on thousands of ranks.
  replace_functions_of(library);
  note_key(next_key());
  ++state.loads;
  state.generation = ThreadVector::current().generation();
}

int create_followed_key(pthread_key_t* key, void (*destructor)(void*)) {
  const int error = pthread_key_create(key, destructor);
  if (error == 0) note_key(*key);
  return error;
}

bool is_exchanged(pthread_key_t key) { return state.is_on && key >= state.first_key && key < state.end_key; }

void follow_thread_storage() {
  const std::size_t known = state.libraries.size();
  for (ThreadLibrary& each : state.libraries) each.is_loaded = false;
  dl_iterate_phdr(note_library, nullptr);
  for (std::size_t i = known; i < state.libraries.size(); ++i) examine(state.libraries[i]);
  if (!state.is_on) return;
  for (const LoadedObject& object : state.seen.unseen()) replace_functions_of(object);
  state.loads = count_of_loads();
  state.generation = ThreadVector::current().generation();
  note_key(next_key());  // keys below it may have been deleted
}

ThreadStorage* put_thread_storage_away() {
  if (!state.is_on) return nullptr;
  if (ThreadVector::current().generation() != state.generation) follow_thread_storage();
  if (!has_storage()) return nullptr;
  std::unique_ptr<ThreadStorage> own = take_storage();
  const ThreadVector vector = ThreadVector::current();
  for (ThreadLibrary& each : state.libraries) {
    if (each.is_refused && rank_runs_here() && simulation().fibers.size() > 1) refuse_fixed(each);
    ThreadBlock block{kUnallocated, nullptr};
    if (each.is_loaded && !each.fixed && vector.has(each.number)) std::swap(block, vector[each.number]);
    own->blocks.push_back(block);
    if (!each.fixed) continue;
    own->fixed.resize(own->blocks.size());
    if (!each.is_loaded) continue;
    own->fixed.back().assign(static_cast<const char*>(each.fixed), each.first_values.size());
    put_first_values(each);
  }
  for (pthread_key_t key = state.first_key; key < state.end_key; ++key) {
    void* const value = pthread_getspecific(key);
    own->values.push_back(value);
    if (value) pthread_setspecific(key, nullptr);
  }
  own->destructors.swap(state.destructors);
  return own.release();
}

void put_thread_storage_back(ThreadStorage* storage) {
  if (!storage) return;
  if (ThreadVector::current().generation() != state.generation) follow_thread_storage();
  std::unique_ptr<ThreadStorage> own(storage);
  const ThreadVector vector = ThreadVector::current();
  for (std::size_t i = 0; i < own->blocks.size(); ++i) {
    const ThreadLibrary& library = state.libraries[i];
    const ThreadBlock block = own->blocks[i];
    if (!library.is_loaded) {
      std::free(block.allocated);
    } else if (block.address != kUnallocated) {
      vector[library.number] = block;
    }
    if (i < own->fixed.size() && !own->fixed[i].empty() && library.is_loaded) {
      std::memcpy(library.fixed, own->fixed[i].data(), library.first_values.size());
    }
  }
  for (std::size_t i = 0; i < own->values.size(); ++i) {
    if (own->values[i]) pthread_setspecific(state.first_key + static_cast<pthread_key_t>(i), own->values[i]);
  }
  own->destructors.swap(state.destructors);
  give_storage(std::move(own));
}

void end_thread_storage() {
  if (!state.is_on) return;
  const PyGILState_STATE gil = PyGILState_Ensure();
  call_destructors();
  PyGILState_Release(gil);
  const ThreadVector vector = ThreadVector::current();
  for (const ThreadLibrary& each : state.libraries) {
    if (!each.is_loaded) continue;
    if (each.fixed) {
      put_first_values(each);
    } else if (vector.has(each.number)) {
      void* const ended = std::exchange(vector[each.number], {kUnallocated, nullptr}).allocated;
      if (each.has_threads && ended) {
        state.kept.push_back(ended);
      } else {
        std::free(ended);
      }
    }
  }
  for (pthread_key_t key = state.first_key; key < state.end_key; ++key) {
    if (pthread_getspecific(key)) pthread_setspecific(key, nullptr);
  }
}

void leave_main_thread_storage() {
  state.main = put_thread_storage_away();
  state.main_locale = uselocale(LC_GLOBAL_LOCALE);
}

void return_to_main_thread_storage() {
  put_thread_storage_back(std::exchange(state.main, nullptr));
  if (const locale_t own = std::exchange(state.main_locale, nullptr)) uselocale(own);
}

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_thread_storage_begin(const char* const* names, int32_t count) {
  if (!real_register) {
    real_register = reinterpret_cast<RegisterDestructor>(dlsym(RTLD_DEFAULT, "__cxa_thread_atexit_impl"));
  }
  state.is_on = real_register && is_thread_vector_known();
  state.named.assign(names, names + count);
  state.libraries.clear();
  state.shared.clear();
  follow_thread_storage();
  return state.is_on ? 0 : -1;
}

void pysmpi_thread_storage_end(void) {
  return_to_main_thread_storage();
  state.is_on = false;
  for (void* const block : std::exchange(state.kept, {})) std::free(block);
}

int32_t pysmpi_thread_library(int32_t number, pysmpi_thread_variables* out) {
  const auto own = static_cast<int32_t>(state.libraries.size());
  if (number >= own + static_cast<int32_t>(state.shared.size())) return -1;
  const ThreadLibrary& library = number < own ? state.libraries[number] : state.shared[number - own].first;
  out->path = library.path.c_str();
  out->bytes = static_cast<int64_t>(library.first_values.size());
  out->reason = number < own ? "" : state.shared[number - own].second.data();
  out->copied = library.fixed != nullptr;
  return 0;
}
