// Searches the relocation tables of loaded libraries.
#include "isolation/loaded_library.hpp"

#include <string_view>

namespace pysmpi {

bool is_mpi_function(const char* symbol) {
  const std::string_view name(symbol);
  return name.starts_with("MPI_") || name.starts_with("PMPI_") || name.starts_with("mpi_") || name.starts_with("pmpi_");
}

bool imports_symbol(const LoadedObject& object, bool (*concerns)(const char* symbol)) {
  bool does = false;
  replace_imports(object, concerns, [&](const char*, const void* current) {
    does = true;
    return current;
  });
  return does;
}

bool starts_threads(const LoadedObject& object) {
  return imports_symbol(object, [](const char* symbol) {
    const std::string_view name(symbol);
    return name == "pthread_create" || name == "thrd_create" || name.starts_with("_ZNSt6thread15_M_start_thread");
  });
}

}  // namespace pysmpi
