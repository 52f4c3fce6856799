// Relocation tables of loaded libraries: the addresses by which a library calls functions of other libraries.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pysmpi {

// A shared library of this process, or the main program, as the dynamic linker lists it. Each has its own entry.
struct LoadedObject {
  std::string path;  // empty for the main program
  std::uintptr_t base = 0;
  const void* dynamic = nullptr;  // address of its dynamic section

  bool operator==(const LoadedObject& other) const { return base == other.base && dynamic == other.dynamic; }
};

std::vector<LoadedObject> loaded_objects();

// Return the names of the libraries that the object needs, as its file gives them (DT_NEEDED).
std::vector<std::string> needed_by(const LoadedObject& object);

// Return the name by which others need the object (DT_SONAME), or an empty text.
std::string name_of(const LoadedObject& object);

// The loaded objects that a caller has processed already.
class SeenObjects {
 public:
  // Return the objects that have been loaded since the last call, or all of them if some have been unloaded meanwhile,
  // because others may lie at their addresses.
  std::vector<LoadedObject> unseen();

  void clear() { seen_.clear(); }

 private:
  std::vector<LoadedObject> seen_;
  std::uint64_t unloaded_ = 0;  // number of libraries that the process had unloaded at the last call
};

// Call `address(symbol, current)` for each entry of the object's relocation tables for whose symbol `concerns` returns
// true. An entry contains the address of a function or variable of another object, or of one of the object's own that
// another library may replace. `current` is this address; it is null if the linker has not resolved the function yet,
// because nothing has called it (find_symbol). If `address` returns another address than `current`, that address is
// written to the entry. Returns false if an entry could not be written.
bool replace_imports(const LoadedObject& object, bool (*concerns)(const char* symbol),
                     const std::function<const void*(const char* symbol, const void* current)>& address);

// Call `note(name, place, size)` for each variable of another library that has its place in the object, an executable,
// into which the dynamic linker copies the library's value (copy relocations).
void for_each_copied_variable(const LoadedObject& object,
                              const std::function<void(const char* name, void* place, std::size_t size)>& note);

// Return the part of a path after the last slash.
inline std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A function by its symbol, and the function that is to be called instead.
struct Replacement {
  template <typename Function>
  Replacement(std::string_view symbol, Function function)
      : symbol(symbol), function(reinterpret_cast<const void*>(function)) {}

  std::string_view symbol;
  const void* function;
};

// Return the function that is to be called instead of the symbol, or null if the symbol is not listed.
const void* find_replacement(std::span<const Replacement> replacements, std::string_view symbol);

// Return the address of a symbol as the object would find it, or null.
const void* find_symbol(const LoadedObject& object, const char* symbol);

}  // namespace pysmpi
