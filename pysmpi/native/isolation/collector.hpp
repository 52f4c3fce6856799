// The state of the interpreter's garbage collector.
#pragma once

#include <Python.h>

#include <cstdint>

namespace pysmpi {

constexpr int kGenerations = 3;

// Head of one of the collector's circular lists, or the link that lies before each object of a container type.
struct GcLink {
  std::uintptr_t next = reinterpret_cast<std::uintptr_t>(this);
  std::uintptr_t previous = reinterpret_cast<std::uintptr_t>(this);  // in an object, the lowest two bits are flags

  GcLink() = default;
  GcLink(const GcLink&) = delete;
  GcLink& operator=(const GcLink&) = delete;
};

inline std::uintptr_t address(const GcLink& link) { return reinterpret_cast<std::uintptr_t>(&link); }
inline GcLink& link_at(std::uintptr_t address) { return *reinterpret_cast<GcLink*>(address & ~std::uintptr_t{3}); }

// The struct _gc_runtime_state of CPython 3.11 to 3.13, from its second member on.
struct Collector {
  struct Generation {
    GcLink objects;
    int threshold;
    int count;
  };

  int trash_delete_nesting;
  int enabled;
  int debug;
  Generation generations[kGenerations];
  GcLink* youngest;
  Generation frozen;
  Py_ssize_t statistics[kGenerations][3];
  int collecting;
  PyObject* garbage;
  PyObject* callbacks;
  Py_ssize_t long_lived_total;
  Py_ssize_t long_lived_pending;
};

// Pauses the collector. Otherwise it could run finalisers, which are Python code, in the middle of a change of the
// ranks' state. The caller holds the GIL.
class PausedCollection {
 public:
  PausedCollection() : was_enabled_(PyGC_Disable() != 0) {}
  ~PausedCollection() {
    if (was_enabled_) PyGC_Enable();
  }
  PausedCollection(const PausedCollection&) = delete;
  PausedCollection& operator=(const PausedCollection&) = delete;

 private:
  const bool was_enabled_;
};

// Return the collector's state, or null if its layout in memory is not that of `Collector`. The caller holds the GIL.
Collector* find_collector();

}  // namespace pysmpi
