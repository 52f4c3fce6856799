// Functions that need more than a conversion of each parameter.
#include <cstdio>
#include <cstring>
#include <vector>

#include "abi/conversions.hpp"
#include "matching/communicator.hpp"
#include "version.hpp"

namespace pysmpi::abi {

extern "C" {
decltype(MPI_Attr_get) pysmpi_MPI_Attr_get;
decltype(MPI_Comm_get_attr) pysmpi_MPI_Comm_get_attr;
decltype(MPI_Comm_spawn_multiple) pysmpi_MPI_Comm_spawn_multiple;
decltype(MPI_Group_translate_ranks) pysmpi_MPI_Group_translate_ranks;
decltype(MPI_Type_get_envelope_c) pysmpi_MPI_Type_get_envelope_c;
decltype(MPI_Win_get_attr) pysmpi_MPI_Win_get_attr;
}

Blocks blocks_of_all(MPI_Comm comm) {
  const Communicator* const found = find_own_communicator(comm);
  if (!found) return {};
  const int size = found->peer_count();
  return {size, size};
}

Blocks blocks_of_neighbours(MPI_Comm comm) {
  const Communicator* const found = find_own_communicator(comm);
  if (!found || !found->topology) return {};
  std::vector<std::int32_t> sources, destinations;
  found->topology->neighbours(found->my_rank(), sources, destinations);
  return {static_cast<int>(destinations.size()), static_cast<int>(sources.size())};
}

bool is_root(MPI_Comm comm, int root) {
  const Communicator* const found = find_own_communicator(comm);
  return found && found->my_rank() == root;
}

void program_contents(MPI_Datatype datatype, int* integers) {
  MPI_Count numbers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = 0;
  pysmpi_MPI_Type_get_envelope_c(datatype, &numbers, &addresses, &counts, &types, &combiner);
  const bool large = counts > 0;  // made by a function with large counts: sizes are not among the integers
  const auto program_order = [&](int& order) { order = program_value(kOrders, order); };
  if (combiner == MPI_COMBINER_SUBARRAY) program_order(integers[large ? 1 : 3 * integers[0] + 1]);
  if (combiner != MPI_COMBINER_DARRAY) return;
  const int dimensions = integers[2];
  int* const distributions = integers + 3 + (large ? 0 : dimensions);  // behind the sizes of the global array
  for (int i = 0; i < dimensions; ++i) {
    distributions[i] = program_value(kDistributions, distributions[i]);
    distributions[dimensions + i] = program_darg(distributions[dimensions + i]);
  }
  program_order(distributions[3 * dimensions]);
}

namespace {

// Let *place, the address of a predefined attribute's value, be that of the value in the program's ABI.
void program_attribute(int key, void* place) {
  const int*& value = *static_cast<const int**>(place);
  const auto convert = [&](const auto& table) {
    for (const Pair& each : table) {
      if (each.internal != *value) continue;
      value = &each.program;
      return;
    }
  };
  switch (key) {
    case MPI_HOST:
    case MPI_IO:
      convert(kRanks);
      break;
    case MPI_WIN_CREATE_FLAVOR:
      convert(kFlavors);
      break;
    case MPI_WIN_MODEL:
      convert(kModels);
      break;
    default:
      break;
  }
}

template <class Get, class Object>
int get_attribute(Get get, Object object, int key, void* value, int* flag) {
  key = internal_key(key);
  const int code = get(object, key, value, flag);
  if (code == MPI_SUCCESS && *flag) program_attribute(key, value);
  return program_error(code);
}

}  // namespace

extern "C" {

// mpi.h declares these names with const; therefore they have other names in C++. No status has the address 1.
MPI_Fint* f_status_ignore __asm__("MPI_F_STATUS_IGNORE") = reinterpret_cast<MPI_Fint*>(1);
MPI_Fint* f_statuses_ignore __asm__("MPI_F_STATUSES_IGNORE") = reinterpret_cast<MPI_Fint*>(1);

int abi_MPI_Comm_get_attr(Comm comm, int key, void* value, int* flag) {
  return get_attribute(pysmpi_MPI_Comm_get_attr, internal(comm), key, value, flag);
}

int abi_MPI_Attr_get(Comm comm, int key, void* value, int* flag) {
  return get_attribute(pysmpi_MPI_Attr_get, internal(comm), key, value, flag);
}

int abi_MPI_Win_get_attr(Win win, int key, void* value, int* flag) {
  return get_attribute(pysmpi_MPI_Win_get_attr, internal(win), key, value, flag);
}

int abi_MPI_Group_translate_ranks(Group group1, int n, const int ranks1[], Group group2, int ranks2[]) {
  IntegerArray<internal_rank> ranks(ranks1, n);
  const int code = pysmpi_MPI_Group_translate_ranks(internal(group1), n, ranks.pointer(), internal(group2), ranks2);
  for (int i = 0; code == MPI_SUCCESS && i < n; ++i) ranks2[i] = program_rank(ranks2[i]);
  return program_error(code);
}

// The arrays are significant at the root only.
int abi_MPI_Comm_spawn_multiple(int count, char* commands[], char** arguments[], const int maxprocs[],
                                const Info infos[], int root, Comm comm, Comm* intercomm, int errcodes[]) {
  const bool at_root = is_root(internal(comm), root);
  HandleArray<Info> internal_infos(infos, at_root ? count : 0);
  HandleArgument<Comm> internal_intercomm(intercomm);
  const int code =
      pysmpi_MPI_Comm_spawn_multiple(count, commands, arguments, maxprocs, internal_infos.pointer(),
                                     internal_rank(root), internal(comm), internal_intercomm.pointer(), errcodes);
  if (code == MPI_SUCCESS) internal_intercomm.store();
  int total = 0;
  for (int i = 0; at_root && i < count; ++i) total += maxprocs[i];
  if (code == MPI_SUCCESS) program_errors(errcodes, total);
  return program_error(code);
}

int abi_MPI_Get_version(int* version, int* subversion) {
  *version = kVersion;
  *subversion = kSubversion;
  return MPI_SUCCESS;
}

int abi_MPI_Get_library_version(char* version, int* length) {
  *length = std::snprintf(version, kMaxLibraryVersion, "pysmpi " PYSMPI_VERSION " (simulated; ABI of %s)", kName);
  return MPI_SUCCESS;
}

int abi_MPI_Pcontrol(const int, ...) { return MPI_SUCCESS; }

// A status in Fortran is an array of the same integers as in C.
int abi_MPI_Status_c2f(const Status* c_status, MPI_Fint* f_status) {
  std::memcpy(f_status, c_status, sizeof *c_status);
  return MPI_SUCCESS;
}

int abi_MPI_Status_f2c(const MPI_Fint* f_status, Status* c_status) {
  std::memcpy(c_status, f_status, sizeof *c_status);
  return MPI_SUCCESS;
}

int abi_MPI_Status_c2f08(const Status* c_status, Status* f08_status) {
  *f08_status = *c_status;
  return MPI_SUCCESS;
}

int abi_MPI_Status_f082c(const Status* f08_status, Status* c_status) {
  *c_status = *f08_status;
  return MPI_SUCCESS;
}

int abi_MPI_Status_f2f08(const MPI_Fint* f_status, Status* f08_status) {
  return abi_MPI_Status_f2c(f_status, f08_status);
}

int abi_MPI_Status_f082f(const Status* f08_status, MPI_Fint* f_status) {
  return abi_MPI_Status_c2f(f08_status, f_status);
}

}  // extern "C"

}  // namespace pysmpi::abi
