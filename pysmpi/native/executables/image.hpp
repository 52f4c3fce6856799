// A file that is loaded for one rank: an executable, or a library that it needs.
#pragma once

#include <link.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/imports.hpp"

namespace pysmpi {

class Image {
 public:
  // Load a copy of a file, whose code comes from the original. If that is impossible, `problem` says why. The functions
  // by which the file initialises its variables are not called.
  Image(const std::string& copy, const std::string& original, std::string& problem);

  // Copy variables of libraries that have their place in the executable, such as std::cout, from the libraries: the
  // dynamic linker does this only in the program that begins a process. `find(name)` returns the library's variable.
  void copy_variables(const std::function<const void*(const char* name)>& find) const;

  // Call the functions that initialise variables, and those for the end of the process.
  void construct(int count, char** arguments, char** environment) const;
  void destruct() const;

  const LoadedObject& object() const { return object_; }
  const std::string& original() const { return original_; }
  bool contains(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= object_.base && at < end_of_memory_;
  }
  std::uintptr_t entry() const;              // first instruction of an executable; 0 for a shared library
  void* open() const;                        // a handle of the file for dlsym, as dlopen returns it
  void* symbol(const char* name) const;      // address of a symbol, as the file finds it, or null
  void* own_symbol(const char* name) const;  // the same if the file itself defines the symbol, else null

 private:
  // Functions that the file lists, as addresses in the file. The dynamic linker does not see the lists, because their
  // tags in the copy have other numbers (simulation/executables/elf_image.py).
  struct Functions {
    std::uintptr_t single = 0, list = 0;
    std::size_t bytes = 0;
  };

  void find_functions();

  void* handle_ = nullptr;
  LoadedObject object_;
  std::string original_;
  std::uintptr_t end_of_memory_ = 0;
  Functions begin_, end_, before_;
};

}  // namespace pysmpi
