// Packing and unpacking in the simulator's own representation (the elements' bytes in the order of the type map) and in
// external32. No simulated time passes, because the copy is the program's own computation.
#include <cstring>
#include <memory>

#include "communicators.hpp"
#include "datatypes.hpp"
#include "datatypes/checks.hpp"
#include "datatypes/external32.hpp"

using namespace pysmpi;

namespace {

// A call that packs or unpacks elements, and the checks of its arguments.
template <class Count, class Position>
struct Packing {
  const char* function;
  MPI_Comm comm;  // communicator whose error handler is called
  Position room;  // size of the packed buffer in bytes
  Position* position;
  const Datatype* type = nullptr;

  int check(const void* buffer, MPI_Datatype handle, Count count, bool external) {
    type = committed_datatype(handle);
    if (!type) return fail(comm, MPI_ERR_TYPE, function, "%s", describe_unusable(handle).c_str());
    if (count < 0) {
      return fail(comm, MPI_ERR_COUNT, function, "negative count %lld", static_cast<long long>(count));
    }
    const std::int64_t each = external ? external_size(*type) : type->size;
    if (*position < 0 || room < *position || (each > 0 && count > (room - *position) / each)) {
      return fail(comm, MPI_ERR_TRUNCATE, function,
                  "%lld elements of %lld bytes at position %lld do not fit in a buffer of %lld bytes",
                  static_cast<long long>(count), static_cast<long long>(each), static_cast<long long>(*position),
                  static_cast<long long>(room));
    }
    const char* const fault = buffer_fault(buffer, count, *type);
    return fault ? fail(comm, MPI_ERR_BUFFER, function, "the buffer %s", fault) : MPI_SUCCESS;
  }
};

template <class Count>
int pack_size(const char* function, Count count, MPI_Datatype handle, MPI_Comm comm, Count* size) {
  if (!find_own_communicator(comm)) return invalid_communicator(function, comm);
  const Datatype* type = find_datatype(handle);
  if (!type) return invalid_datatype(function, handle);
  if (count < 0) return fail(comm, MPI_ERR_COUNT, function, "negative count %lld", static_cast<long long>(count));
  *size = narrow<Count>(type->size * count);
  return MPI_SUCCESS;
}

template <class Count>
int pack_here(const char* function, const void* buffer, Count count, MPI_Datatype handle, void* packed, Count room,
              Count* position, MPI_Comm comm) {
  if (!find_own_communicator(comm)) return invalid_communicator(function, comm);
  Packing<Count, Count> packing{function, comm, room, position};
  if (const int error = packing.check(buffer, handle, count, false)) return error;
  pack(*packing.type, buffer, count, static_cast<char*>(packed) + *position);
  *position += static_cast<Count>(packing.type->size * count);
  return MPI_SUCCESS;
}

template <class Count>
int unpack_here(const char* function, const void* packed, Count room, Count* position, void* buffer, Count count,
                MPI_Datatype handle, MPI_Comm comm) {
  if (!find_own_communicator(comm)) return invalid_communicator(function, comm);
  Packing<Count, Count> packing{function, comm, room, position};
  if (const int error = packing.check(buffer, handle, count, false)) return error;
  unpack(*packing.type, static_cast<const char*>(packed) + *position, packing.type->size * count, buffer);
  *position += static_cast<Count>(packing.type->size * count);
  return MPI_SUCCESS;
}

int check_representation(const char* function, const char* name) {
  if (std::strcmp(name, "external32") == 0) return MPI_SUCCESS;
  return fail(MPI_COMM_NULL, MPI_ERR_ARG, function, "invalid data representation \"%s\"; valid: \"external32\"", name);
}

int out_of_range(const char* function) {
  return fail(MPI_COMM_NULL, MPI_ERR_CONVERSION, function,
              "a number is out of range: external32 uses fewer bytes for this datatype");
}

template <class Count, class Size>
int pack_external_size(const char* function, const char* representation, Count count, MPI_Datatype handle, Size* size) {
  if (const int error = check_representation(function, representation)) return error;
  const Datatype* type = find_datatype(handle);
  if (!type) return invalid_datatype(function, handle);
  if (count < 0) {
    return fail(MPI_COMM_NULL, MPI_ERR_COUNT, function, "negative count %lld", static_cast<long long>(count));
  }
  *size = external_size(*type) * count;
  return MPI_SUCCESS;
}

template <class Count, class Position>
int pack_external(const char* function, const char* representation, const void* buffer, Count count,
                  MPI_Datatype handle, void* external, Position room, Position* position) {
  if (const int error = check_representation(function, representation)) return error;
  Packing<Count, Position> packing{function, MPI_COMM_NULL, room, position};
  if (const int error = packing.check(buffer, handle, count, true)) return error;
  const Datatype& type = *packing.type;
  const std::unique_ptr<char[]> packed(new char[type.size * count]);
  pack(type, buffer, count, packed.get());
  if (!to_external(type, packed.get(), count, static_cast<char*>(external) + *position)) return out_of_range(function);
  *position += external_size(type) * count;
  return MPI_SUCCESS;
}

template <class Count, class Position>
int unpack_external(const char* function, const char* representation, const void* external, Position room,
                    Position* position, void* buffer, Count count, MPI_Datatype handle) {
  if (const int error = check_representation(function, representation)) return error;
  Packing<Count, Position> packing{function, MPI_COMM_NULL, room, position};
  if (const int error = packing.check(buffer, handle, count, true)) return error;
  const Datatype& type = *packing.type;
  const std::unique_ptr<char[]> packed(new char[type.size * count]);
  if (!from_external(type, static_cast<const char*>(external) + *position, count, packed.get())) {
    return out_of_range(function);
  }
  unpack(type, packed.get(), type.size * count, buffer);
  *position += external_size(type) * count;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int* size) {
  return pack_size("MPI_Pack_size", count, type, comm, size);
}
int MPI_Pack_size_c(MPI_Count count, MPI_Datatype type, MPI_Comm comm, MPI_Count* size) {
  return pack_size("MPI_Pack_size", count, type, comm, size);
}

int MPI_Pack(const void* buffer, int count, MPI_Datatype type, void* packed, int room, int* position, MPI_Comm comm) {
  return pack_here("MPI_Pack", buffer, count, type, packed, room, position, comm);
}
int MPI_Pack_c(const void* buffer, MPI_Count count, MPI_Datatype type, void* packed, MPI_Count room,
               MPI_Count* position, MPI_Comm comm) {
  return pack_here("MPI_Pack", buffer, count, type, packed, room, position, comm);
}

int MPI_Unpack(const void* packed, int room, int* position, void* buffer, int count, MPI_Datatype type, MPI_Comm comm) {
  return unpack_here("MPI_Unpack", packed, room, position, buffer, count, type, comm);
}
int MPI_Unpack_c(const void* packed, MPI_Count room, MPI_Count* position, void* buffer, MPI_Count count,
                 MPI_Datatype type, MPI_Comm comm) {
  return unpack_here("MPI_Unpack", packed, room, position, buffer, count, type, comm);
}

int MPI_Pack_external_size(const char* representation, int count, MPI_Datatype type, MPI_Aint* size) {
  return pack_external_size("MPI_Pack_external_size", representation, count, type, size);
}
int MPI_Pack_external_size_c(const char* representation, MPI_Count count, MPI_Datatype type, MPI_Count* size) {
  return pack_external_size("MPI_Pack_external_size", representation, count, type, size);
}

int MPI_Pack_external(const char* representation, const void* buffer, int count, MPI_Datatype type, void* external,
                      MPI_Aint room, MPI_Aint* position) {
  return pack_external("MPI_Pack_external", representation, buffer, count, type, external, room, position);
}
int MPI_Pack_external_c(const char* representation, const void* buffer, MPI_Count count, MPI_Datatype type,
                        void* external, MPI_Count room, MPI_Count* position) {
  return pack_external("MPI_Pack_external", representation, buffer, count, type, external, room, position);
}

int MPI_Unpack_external(const char representation[], const void* external, MPI_Aint room, MPI_Aint* position,
                        void* buffer, int count, MPI_Datatype type) {
  return unpack_external("MPI_Unpack_external", representation, external, room, position, buffer, count, type);
}
int MPI_Unpack_external_c(const char representation[], const void* external, MPI_Count room, MPI_Count* position,
                          void* buffer, MPI_Count count, MPI_Datatype type) {
  return unpack_external("MPI_Unpack_external", representation, external, room, position, buffer, count, type);
}

}  // extern "C"
