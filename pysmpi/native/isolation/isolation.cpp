// Private state of ranks in the interpreter: dictionary entries (sys.modules["__main__"], sys.stdout, a global variable
// of the program) and the working directory. Only the running rank's values are in place. When another rank is switched
// to, the old rank's values are saved and the new rank's are put in place. If neither has private state, the switch
// costs only a test.
//
// Example: two ranks share the global x = 0 of a watched module (one in which every assignment of a rank is private).
//   rank 0 runs      it assigns x = 1
//   switch 0 -> 1    x differs from the shared copy: a slot for x is created with the shared value 0; rank 0 keeps 1;
//                    x is 0 again
//   rank 1 runs      it assigns x = 2
//   switch 1 -> 0    rank 1 keeps 2; x becomes 1
#include <Python.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/isolation.hpp"
#include "engine/library_variables.hpp"
#include "isolation/attributes.hpp"
#include "isolation/c_api.h"
#include "isolation/collector.hpp"
#include "isolation/contents.hpp"
#include "isolation/garbage.hpp"
#include "isolation/isolation.hpp"
#include "isolation/library_settings.hpp"
#include "isolation/library_variables.hpp"
#include "isolation/process_settings.hpp"

namespace pysmpi {

namespace {

// A dictionary entry of which at least one rank has a private value.
struct Slot {
  PyObject* dictionary;
  PyObject* key;
  PyObject* shared;           // value for all other ranks while a private value is in place; null: key absent
  PyTypeObject* type;         // class whose attributes the dictionary contains, or null
  std::uint64_t version = 0;  // version of the dictionary when the running rank's value was put in place
};

struct Own {
  std::uint32_t slot;
  PyObject* value;  // borrowed from the dictionary while the rank runs, else owned; null: key absent
};

struct RankState {
  std::vector<Own> own;  // ordered by slot
  std::unique_ptr<std::string> directory;
  std::unique_ptr<std::string> options;  // the rank's own options of mpi4py
};

// A dictionary in which every assignment of a rank is private. Assignments are detected when the rank stops running, by
// comparison with the shared contents. The interpreter reports whether the dictionary has changed at all.
struct Watched {
  PyObject* dictionary;
  PyObject* shared;  // copy of the shared contents
#if PY_VERSION_HEX >= 0x030C0000
  bool changed = false;
#else
  std::uint64_t version = 0;
#endif
};

}  // namespace

struct IsolationState {
  std::vector<std::unique_ptr<RankState>> ranks;
  std::vector<Slot> slots;
  std::unordered_map<PyObject*, std::unordered_map<PyObject*, std::uint32_t>> slot_of;  // by dictionary and key
  std::vector<Watched> watched;
  std::unordered_map<PyObject*, std::size_t> watched_at;  // index in `watched`, by dictionary
  std::vector<PyObject*> released;  // dropped when no switch is in progress, because a finaliser may run Python code
  std::string shared_directory;
  // The private working directory that is in place now, or null if it is the directory that the other ranks share.
  const std::string* directory = nullptr;
  ProcessSettings process_settings;
  PyObject* imported = nullptr;  // name of the module whose import for all ranks begins; borrowed
  // MPI_Comm_get_parent's handle of the main greenlet and of each rank, once ranks have been spawned.
  std::vector<std::uint64_t> parents;
  RankId running = -1;
};

Isolation::Isolation() : state(std::make_unique<IsolationState>()) {}
Isolation::~Isolation() = default;

namespace {

// Variables of mpi4py, of which a process has one copy for all ranks.
struct Mpi4py {
  void* parent = nullptr;  // mpi4py's variable for MPI_Comm_get_parent, a handle of this size in bytes
  std::size_t parent_size = 0;
  std::uint64_t no_parent = 0;  // its value without a parent: MPI_COMM_NULL
  char* options = nullptr;      // the block of bytes in which mpi4py stores its options
  std::string shared_options;   // options of all ranks without private ones
};

Mpi4py mpi4py;

std::uint64_t parent() {
  std::uint64_t handle = 0;
  std::memcpy(&handle, mpi4py.parent, mpi4py.parent_size);
  return handle;
}

void set_parent(std::uint64_t handle) { std::memcpy(mpi4py.parent, &handle, mpi4py.parent_size); }

IsolationState& isolation() { return *Isolation::current().state; }

#if PY_VERSION_HEX >= 0x030C0000
int watcher = -1;

int note_change(PyDict_WatchEvent, PyObject* dictionary, PyObject*, PyObject*) {
  if (const auto at = isolation().watched_at.find(dictionary); at != isolation().watched_at.end()) {
    isolation().watched[at->second].changed = true;
  }
  return 0;
}

bool changed(const Watched& each) { return each.changed; }
void settled(Watched& each) { each.changed = false; }
std::uint64_t version_of(PyObject*) {  // CPython 3.12 has no version: returns a number that never repeats
  static std::uint64_t next = 0;
  return ++next;
}
#else
std::uint64_t version_of(PyObject* dictionary) { return reinterpret_cast<PyDictObject*>(dictionary)->ma_version_tag; }
bool changed(const Watched& each) { return each.version != version_of(each.dictionary); }
void settled(Watched& each) { each.version = version_of(each.dictionary); }
#endif

PyObject* value_in_place(const Slot& slot) {  // returns a new reference, or null
  return Py_XNewRef(PyDict_GetItemWithError(slot.dictionary, slot.key));
}

void put_in_place(const Slot& slot, PyObject* value) {
  if (slot.type) {
    if (value || PyDict_GetItemWithError(slot.dictionary, slot.key)) put_class_attribute(slot.type, slot.key, value);
  } else if (value) {
    PyDict_SetItem(slot.dictionary, slot.key, value);
  } else if (PyDict_GetItemWithError(slot.dictionary, slot.key)) {
    PyDict_DelItem(slot.dictionary, slot.key);
  }
}

void keep(PyObject*& kept, PyObject* current) {  // steals the reference `current`
  if (kept == current) {
    Py_XDECREF(current);
    return;
  }
  if (kept) isolation().released.push_back(kept);
  kept = current;
}

void drop_released() {
  std::vector<PyObject*> released;
  released.swap(isolation().released);
  for (PyObject* object : released) Py_DECREF(object);
}

// The key of a slot, that is, of a dictionary entry that is private to some ranks. Equal strings become one object, so
// that keys can be compared by address.
struct SlotKey {
  explicit SlotKey(PyObject* key) : object(Py_NewRef(key)) {
    if (PyUnicode_CheckExact(object)) PyUnicode_InternInPlace(&object);
  }
  ~SlotKey() { Py_DECREF(object); }
  SlotKey(const SlotKey&) = delete;
  SlotKey& operator=(const SlotKey&) = delete;

  PyObject* object;
};

std::uint32_t slot_for(PyObject* dictionary, PyObject* given, PyObject* shared, PyTypeObject* type = nullptr) {
  const SlotKey interned(given);
  PyObject* key = interned.object;
  auto& by_key = isolation().slot_of[dictionary];
  const auto [found, added] = by_key.try_emplace(key, static_cast<std::uint32_t>(isolation().slots.size()));
  if (added) {
    Py_XINCREF(type);
    isolation().slots.push_back({Py_NewRef(dictionary), Py_NewRef(key), Py_XNewRef(shared), type});
  }
  return found->second;
}

// Returns the slot of a dictionary's entry, or null if no rank has a private value.
const Slot* find_slot(PyObject* dictionary, PyObject* key) {
  const auto by_key = isolation().slot_of.find(dictionary);
  if (by_key == isolation().slot_of.end()) return nullptr;
  const SlotKey interned(key);
  const auto at = by_key->second.find(interned.object);
  return at == by_key->second.end() ? nullptr : &isolation().slots[at->second];
}

RankState& state_of(RankId rank) {
  auto& state = isolation().ranks[rank];
  if (!state) state = std::make_unique<RankState>();
  return *state;
}

Own* find_own(RankState& state, std::uint32_t slot) {
  const auto at = std::lower_bound(state.own.begin(), state.own.end(), slot,
                                   [](const Own& own, std::uint32_t wanted) { return own.slot < wanted; });
  return at != state.own.end() && at->slot == slot ? &*at : nullptr;
}

void add_own(RankState& state, std::uint32_t slot, PyObject* value) {  // takes over the reference
  const auto at = std::lower_bound(state.own.begin(), state.own.end(), slot,
                                   [](const Own& own, std::uint32_t wanted) { return own.slot < wanted; });
  state.own.insert(at, {slot, value});
}

bool has_own(RankId rank, PyObject* dictionary, PyObject* key) {
  const Slot* slot = find_slot(dictionary, key);
  RankState* state = isolation().ranks[rank].get();
  return slot && state && find_own(*state, static_cast<std::uint32_t>(slot - isolation().slots.data()));
}

// Returns whether an entry of sys.modules is for all ranks: the module whose import for all ranks begins, or a
// namespace package, which has no code. Other modules that a rank adds are private to the rank, for example modules of
// its own finders.
bool is_imported(PyObject* name, PyObject* module) {
  if (isolation().imported && PyUnicode_Compare(isolation().imported, name) == 0) return true;
  if (PyModule_Check(module) && PyDict_GetItemString(PyModule_GetDict(module), "__file__")) return false;
  if (!PyModule_Check(module) || !PyDict_GetItemString(PyModule_GetDict(module), "__path__")) return false;
  PyObject* spec = PyModule_Check(module) ? PyDict_GetItemString(PyModule_GetDict(module), "__spec__") : nullptr;
  PyObject* known = spec ? PyObject_GetAttrString(spec, "name") : nullptr;
  if (!known) PyErr_Clear();
  const bool equal = known && PyUnicode_Check(known) && PyUnicode_Compare(known, name) == 0;
  Py_XDECREF(known);
  return equal;
}

// Returns whether the import system makes this change of the dictionary for all ranks.
bool is_import_for_all(const Watched& watched, PyObject* key, PyObject* value) {
  if (!value || !PyUnicode_Check(key)) return false;
  return watched.dictionary == PyImport_GetModuleDict() ? is_imported(key, value)
                                                        : binds_shared_submodule(watched.dictionary, key, value);
}

// Creates a private entry if the rank's entry at this key differs from the shared contents.
void notice(RankId rank, const Watched& watched, PyObject* key, PyObject* shared) {
  const std::uint32_t slot = slot_for(watched.dictionary, key, shared);
  RankState& state = state_of(rank);
  if (find_own(state, slot)) return;
  add_own(state, slot, nullptr);  // the switch stores its value
  Slot& entry = isolation().slots[slot];
  keep(entry.shared, Py_XNewRef(shared));
}

void notice_changes(RankId rank, const Watched& watched) {
  PyObject *key, *value;
  Py_ssize_t position = 0;
  Py_ssize_t known = 0;
  while (PyDict_Next(watched.dictionary, &position, &key, &value)) {
    PyObject* shared = PyDict_GetItemWithError(watched.shared, key);
    if (shared) ++known;
    if (shared == value || has_own(rank, watched.dictionary, key)) continue;
    if (is_import_for_all(watched, key, value)) {
      PyDict_SetItem(watched.shared, key, value);
      ++known;
    } else {
      notice(rank, watched, key, shared);
    }
  }
  if (known == PyDict_GET_SIZE(watched.shared)) return;
  position = 0;
  while (PyDict_Next(watched.shared, &position, &key, &value)) {
    if (!PyDict_GetItemWithError(watched.dictionary, key)) notice(rank, watched, key, value);
  }
}

// Makes the present contents of the dictionary the shared contents, except for the rank's own entries.
void share_changes(RankId rank, const Watched& watched) {
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(watched.dictionary, &position, &key, &value)) {
    if (PyDict_GetItemWithError(watched.shared, key) != value && !has_own(rank, watched.dictionary, key)) {
      PyDict_SetItem(watched.shared, key, value);
    }
  }
  std::vector<PyObject*> missing;
  position = 0;
  while (PyDict_Next(watched.shared, &position, &key, &value)) {
    if (!PyDict_GetItemWithError(watched.dictionary, key) && !has_own(rank, watched.dictionary, key)) {
      missing.push_back(key);
    }
  }
  for (PyObject* each : missing) PyDict_DelItem(watched.shared, each);
}

// Saves the rank's private values that are in place, before any other change of the dictionaries. A dictionary that has
// not changed since its values were put in place still contains them.
void keep_own(RankState& state) {
  for (Own& own : state.own) {
    const Slot& slot = isolation().slots[own.slot];
    own.value = version_of(slot.dictionary) == slot.version ? Py_XNewRef(own.value) : value_in_place(slot);
  }
}

void exchange_entries(RankState* from, RankState* to) {
  static const std::vector<Own> none;
  if (from) keep_own(*from);
  auto leaving = from ? from->own.cbegin() : none.cbegin();
  const auto leaving_end = from ? from->own.cend() : none.cend();
  auto entering = to ? to->own.cbegin() : none.cbegin();
  const auto entering_end = to ? to->own.cend() : none.cend();
  while (leaving != leaving_end || entering != entering_end) {
    if (entering == entering_end || (leaving != leaving_end && leaving->slot < entering->slot)) {
      const Slot& slot = isolation().slots[leaving->slot];
      put_in_place(slot, slot.shared);
      ++leaving;
      continue;
    }
    Slot& slot = isolation().slots[entering->slot];
    if (leaving == leaving_end || entering->slot < leaving->slot) {
      keep(slot.shared, value_in_place(slot));
    } else {
      ++leaving;
    }
    put_in_place(slot, entering->value);
    Py_XDECREF(entering->value);  // so that the value is finalised as soon as the rank replaces it
    ++entering;
  }
  if (!to) return;
  for (const Own& own : to->own)
    isolation().slots[own.slot].version = version_of(isolation().slots[own.slot].dictionary);
}

void change_directory(const std::string* wanted) {
  if (wanted == isolation().directory) return;
  // The change fails if the directory has been removed meanwhile. This failure cannot be reported here, but the rank's
  // next use of a relative path will fail.
  [[maybe_unused]] const int failed = chdir(wanted ? wanted->c_str() : isolation().shared_directory.c_str());
  isolation().directory = wanted;
}

void put_options(const RankState* of) {
  const std::string& wanted = of && of->options ? *of->options : mpi4py.shared_options;
  wanted.copy(mpi4py.options, wanted.size());
}

void exchange(IsolationState& state, RankId from, RankId to) {
  const PausedCollection paused;
  if (!state.parents.empty()) {
    state.parents[from + 1] = parent();
    set_parent(state.parents[to + 1]);
  }
  for (Watched& each : state.watched) {
    if (!changed(each)) continue;
    if (from >= 0) {
      notice_changes(from, each);
    } else {
      PyObject* copy = PyDict_Copy(each.dictionary);
      if (copy) keep(each.shared, copy);
    }
  }
  exchange_contents(from, to);
  RankState* leaving = from < 0 ? nullptr : state.ranks[from].get();
  RankState* entering = to < 0 ? nullptr : state.ranks[to].get();
  if (leaving || entering) {
    exchange_entries(leaving, entering);
    change_directory(entering ? entering->directory.get() : nullptr);
    if ((leaving && leaving->options) || (entering && entering->options)) put_options(entering);
  }
  state.process_settings.exchange(from, to);
  for (Watched& each : state.watched) settled(each);
}

struct WithGil {
  PyGILState_STATE state = PyGILState_Ensure();
  ~WithGil() { PyGILState_Release(state); }
};

}  // namespace

void isolation_switch(RankId from, RankId to) {
  IsolationState& state = isolation();
  state.running = to;
  if (from == to || state.ranks.empty()) return;  // threads of one rank share its private state
  exchange_library_settings(from, to);
  exchange_library_variables(from, to);
  put_library_variables(to);
  if (switch_process) switch_process(to);
  exchange(state, from, to);
  if (to < 0) Garbage::current().put_in_place(to);
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_isolation_begin(int32_t ranks) {
  isolation().ranks.resize(static_cast<std::size_t>(ranks));
  isolation().running = -1;
}

void pysmpi_isolation_extend(int32_t ranks) {
  isolation().ranks.resize(static_cast<std::size_t>(ranks));
  isolation().parents.resize(static_cast<std::size_t>(ranks) + 1, mpi4py.no_parent);
}

void pysmpi_isolate_parent(void* handle, int32_t size) {
  mpi4py.parent = handle;
  mpi4py.parent_size = static_cast<std::size_t>(size);
  mpi4py.no_parent = parent();
}

void pysmpi_locate_options(void* block, int32_t size) {
  mpi4py.options = static_cast<char*>(block);
  mpi4py.shared_options.assign(mpi4py.options, static_cast<std::size_t>(size));
}

void pysmpi_isolate_options(int32_t rank, const char* bytes) {
  RankState& state = state_of(rank);
  state.options = std::make_unique<std::string>(bytes, mpi4py.shared_options.size());
  if (rank == isolation().running) put_options(&state);
}

void pysmpi_isolation_release(int32_t rank) {
  const WithGil gil;
  IsolationState& state = isolation();
  exchange(state, rank, -1);
  std::vector<Own> released;
  if (state.ranks[rank]) released.swap(state.ranks[rank]->own);
  forget_contents(rank);
  exchange(state, -1, rank);
  for (const Own& own : released) Py_XDECREF(own.value);
  drop_released();
}

void pysmpi_isolation_forget(int32_t rank) {
  const WithGil gil;
  forget_contents(rank);
  const std::unique_ptr<RankState> state = std::move(isolation().ranks[rank]);
  if (state) {
    for (const Own& own : state->own) Py_XDECREF(own.value);
  }
  isolation().process_settings.forget(rank);
  release_library_variables(rank);
  drop_released();
}

void pysmpi_isolation_end(void) {
  const WithGil gil;
  const PausedCollection paused;
  if (const RankId running = isolation().running; running >= 0) {  // an error has ended the simulation inside a rank
    exchange_library_variables(running, -1);
    exchange(isolation(), running, -1);
    isolation().running = -1;
  }
  for (std::size_t rank = 0; rank < isolation().ranks.size(); ++rank) {
    pysmpi_isolation_forget(static_cast<int32_t>(rank));
  }
  isolation().ranks.clear();
  isolation().process_settings.end();
  release_contents();
  restore_attributes();
  if (!isolation().parents.empty()) set_parent(mpi4py.no_parent);
  isolation().parents.clear();
#if PY_VERSION_HEX >= 0x030C0000
  for (const Watched& each : isolation().watched) PyDict_Unwatch(watcher, each.dictionary);
#endif
  std::vector<Watched> watched;
  std::unordered_map<PyObject*, std::size_t> watched_at;  // index in `watched`, by dictionary
  watched.swap(isolation().watched);
  for (const Watched& each : watched) {
    Py_DECREF(each.dictionary);
    Py_DECREF(each.shared);
  }
  isolation().slot_of.clear();
  std::vector<Slot> slots;
  slots.swap(isolation().slots);
  for (const Slot& slot : slots) {
    Py_DECREF(slot.dictionary);
    Py_DECREF(slot.key);
    Py_XDECREF(slot.type);
    Py_XDECREF(slot.shared);
  }
  drop_released();
}

namespace pysmpi {

void release_later(PyObject* object) { isolation().released.push_back(object); }

bool is_watched(PyObject* dictionary) { return isolation().watched_at.contains(dictionary); }

bool is_shared_module(PyObject* name, PyObject* module) {
  PyObject* modules = PyImport_GetModuleDict();
  if (PyDict_GetItemWithError(modules, name) != module) return false;
  const Slot* slot = find_slot(modules, name);
  return !slot || slot->shared == module || is_watched(PyModule_GetDict(module));
}

bool binds_shared_submodule(PyObject* package, PyObject* key, PyObject* value) {
  if (!value || !PyModule_Check(value) || !PyUnicode_Check(key)) return false;
  PyObject* package_name = PyDict_GetItemString(package, "__name__");
  if (!package_name || !PyUnicode_Check(package_name)) return false;
  PyObject* name = PyUnicode_FromFormat("%U.%U", package_name, key);
  if (!name) return false;
  PyUnicode_InternInPlace(&name);
  const bool shared = is_shared_module(name, value);
  Py_DECREF(name);
  return shared;
}

void isolate(RankId rank, PyObject* dictionary, PyTypeObject* type, PyObject* key, PyObject* own) {
  const auto watched = isolation().watched_at.find(dictionary);
  const bool settles = watched != isolation().watched_at.end() && !changed(isolation().watched[watched->second]);
  PyObject* present = Py_XNewRef(PyDict_GetItemWithError(dictionary, key));
  const std::uint32_t slot = slot_for(dictionary, key, present, type);
  if (watched != isolation().watched_at.end() && !present) {
    PyObject* shared = isolation().watched[watched->second].shared;
    if (PyDict_GetItemWithError(shared, key)) PyDict_DelItem(shared, key);
  }
  RankState& state = state_of(rank);
  const bool runs = rank == isolation().running;
  if (!runs) Py_XINCREF(own);
  if (Own* known = find_own(state, slot)) {
    if (!runs && known->value) isolation().released.push_back(known->value);
    known->value = own;
  } else {
    if (runs) keep(isolation().slots[slot].shared, Py_XNewRef(present));
    add_own(state, slot, own);
  }
  if (runs) put_in_place(isolation().slots[slot], own);
  if (settles) settled(isolation().watched[watched->second]);
  Py_XDECREF(present);  // released only now, because finalisers may change what was read above
  drop_released();
}

}  // namespace pysmpi

void pysmpi_isolate_entry(int32_t rank, void* dictionary, void* key, void* value) {
  const WithGil gil;
  isolate(rank, static_cast<PyObject*>(dictionary), nullptr, static_cast<PyObject*>(key),
          static_cast<PyObject*>(value));
}

int32_t pysmpi_imports_for_all(void) { return importing_shared; }

void pysmpi_import_for_all(void* report, void* name) {
  const WithGil gil;
  IsolationState& state = isolation();
  state.imported = static_cast<PyObject*>(name);
  for (Watched& each : state.watched) {
    if (state.running < 0 || !changed(each)) continue;
    if (report) {
      notice_changes(state.running, each);  // before the import, the rank has changed its own contents
    } else {
      share_changes(state.running, each);
    }
    settled(each);
  }
  state.imported = nullptr;
  report_import(static_cast<PyObject*>(report));
}

void pysmpi_isolate_dictionary(void* dictionary) {
  const WithGil gil;
  auto* watched = static_cast<PyObject*>(dictionary);
  if (!isolation().watched_at.try_emplace(watched, isolation().watched.size()).second) return;
  isolation().watched.push_back({Py_NewRef(watched), PyDict_Copy(watched)});
#if PY_VERSION_HEX >= 0x030C0000
  if (watcher < 0) watcher = PyDict_AddWatcher(note_change);
  PyDict_Watch(watcher, watched);
#endif
  settled(isolation().watched.back());
}

void pysmpi_isolate_directory(int32_t rank, const char* before, const char* path) {
  RankState& state = state_of(rank);
  if (!isolation().directory) isolation().shared_directory = before;
  if (!state.directory) state.directory = std::make_unique<std::string>();
  *state.directory = path;
  isolation().directory = state.directory.get();
}

void pysmpi_isolate_mask(int32_t before, int32_t now) {
  isolation().process_settings.note_mask(isolation().running, before, now);
}

void pysmpi_isolate_stream(int32_t descriptor, int32_t before) {
  isolation().process_settings.note_stream(isolation().running, descriptor, before);
}

void pysmpi_isolate_recursion_limit(int32_t before, int32_t now) {
  isolation().process_settings.note_recursion_limit(isolation().running, before, now);
}
