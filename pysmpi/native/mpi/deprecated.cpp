// Functions that MPI 4.1 deprecates (chapter 16), and those of MPI 1 that MPI 3.0 has removed, under their old names.
#include <vector>

#include "mpi.h"

namespace {

// Markers of a datatype's bounds, which MPI_Type_struct accepts as types.
constexpr MPI_Datatype kLowerBound = 0x4c000010, kUpperBound = 0x4c000011;

}  // namespace

extern "C" {

int MPI_Keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval, void* extra_state) {
  return MPI_Comm_create_keyval(copy_fn, delete_fn, keyval, extra_state);
}
int MPI_Keyval_free(int* keyval) { return MPI_Comm_free_keyval(keyval); }
int MPI_Attr_put(MPI_Comm comm, int keyval, void* attribute_val) {
  return MPI_Comm_set_attr(comm, keyval, attribute_val);
}
int MPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return MPI_Comm_get_attr(comm, keyval, attribute_val, flag);
}
int MPI_Attr_delete(MPI_Comm comm, int keyval) { return MPI_Comm_delete_attr(comm, keyval); }

int MPI_Address(void* location, MPI_Aint* address) { return MPI_Get_address(location, address); }
int MPI_Errhandler_create(MPI_Comm_errhandler_function* comm_errhandler_fn, MPI_Errhandler* errhandler) {
  return MPI_Comm_create_errhandler(comm_errhandler_fn, errhandler);
}
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) { return MPI_Comm_get_errhandler(comm, errhandler); }
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) { return MPI_Comm_set_errhandler(comm, errhandler); }
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  MPI_Aint lower = 0;
  return MPI_Type_get_extent(datatype, &lower, extent);
}
int MPI_Type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                      MPI_Datatype* newtype) {
  return MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}
int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint extent = 0;
  return MPI_Type_get_extent(datatype, displacement, &extent);
}
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint lower = 0, extent = 0;
  const int error = MPI_Type_get_extent(datatype, &lower, &extent);
  if (error == MPI_SUCCESS) *displacement = lower + extent;
  return error;
}

// The markers are left out of the structure, whose bounds are then set.
int MPI_Type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                    MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  std::vector<MPI_Datatype> types;
  const MPI_Aint *lowest = nullptr, *highest = nullptr;
  for (int i = 0; i < count; ++i) {
    const MPI_Aint* const at = &array_of_displacements[i];
    if (array_of_types[i] == kLowerBound) {
      if (!lowest || *at < *lowest) lowest = at;
    } else if (array_of_types[i] == kUpperBound) {
      if (!highest || *at > *highest) highest = at;
    } else {
      lengths.push_back(array_of_blocklengths[i]);
      displacements.push_back(*at);
      types.push_back(array_of_types[i]);
    }
  }
  if (!lowest && !highest) {
    return MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
  }
  MPI_Datatype unbounded = MPI_DATATYPE_NULL;
  int error = MPI_Type_create_struct(static_cast<int>(types.size()), lengths.data(), displacements.data(), types.data(),
                                     &unbounded);
  if (error != MPI_SUCCESS) return error;
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(unbounded, &lower, &extent);
  const MPI_Aint begin = lowest ? *lowest : lower, end = highest ? *highest : lower + extent;
  error = MPI_Type_create_resized(unbounded, begin, end - begin, newtype);
  MPI_Type_free(&unbounded);
  return error;
}

}  // extern "C"
