// The tables of addresses by which loaded libraries call functions of other libraries.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pysmpi {

// Part of a loaded library or of the main program, as the dynamic linker describes it.
struct LoadedObject {
  std::string path;  // empty for the main program
  std::uintptr_t base = 0;
  const void* dynamic = nullptr;  // its dynamic section

  bool operator==(const LoadedObject& other) const { return base == other.base && dynamic == other.dynamic; }
};

std::vector<LoadedObject> loaded_objects();

// The objects that a caller has looked at.
class SeenObjects {
 public:
  // Return the objects that have been loaded since the last call, or all of them if some have been unloaded meanwhile,
  // because others may lie at their addresses.
  std::vector<LoadedObject> unseen();

  void clear() { seen_.clear(); }

 private:
  std::vector<LoadedObject> seen_;
  std::uint64_t unloaded_ = 0;  // number of objects that the process has unloaded
};

// Call `address(symbol, current)` for each entry of the object's tables for whose symbol `concerns` returns true.
// Entries lead to functions or variables of other objects, or to replaceable ones of the object itself. `current` is
// the address in the table; it is null if the function has not been called yet and its address is still to be found
// (find_symbol). If another address is returned, it is written to the table. Returns false if one could not be written.
bool replace_imports(const LoadedObject& object, bool (*concerns)(const char* symbol),
                     const std::function<const void*(const char* symbol, const void* current)>& address);

// Return the address of a symbol as the object would find it, or null.
const void* find_symbol(const LoadedObject& object, const char* symbol);

}  // namespace pysmpi
