// Attributes of communicators, datatypes and windows.
#include "objects/attributes.hpp"

#include <algorithm>
#include <limits>

#include "base/library_behaviour.hpp"
#include "communicators.hpp"
#include "datatypes/datatype.hpp"
#include "engine/simulation.hpp"
#include "matching/point_to_point.hpp"
#include "mpi/datatypes.hpp"
#include "objects/errors.hpp"

using namespace pysmpi;

namespace {

constexpr AttributeHolder kComm = AttributeHolder::kCommunicator, kType = AttributeHolder::kDatatype,
                          kWin = AttributeHolder::kWindow;

// Upper bound of the number of processes (MPI_UNIVERSE_SIZE): MPI_Comm_spawn starts processes on free cores of the
// platform.
int cores_to_spawn_on() {
  const int world = find_communicator(MPI_COMM_WORLD)->size();
  if (!inside_rank()) return world;
  const Platform& platform = *current_platform();
  std::int64_t cores = 0;
  for (HostId host = 0; host < platform.host_count(); ++host) cores += platform.host_cores(host);
  return static_cast<int>(std::clamp<std::int64_t>(cores, world, std::numeric_limits<int>::max()));
}

bool has_all_ranks(MPI_Comm comm) {
  const Communicator& communicator = *find_communicator(comm);
  return !communicator.inter() && communicator.size() == find_communicator(MPI_COMM_WORLD)->size();
}

// Set `value` to a predefined attribute (MPI 4.1, section 9.1.2), and `flag` to whether the communicator has it. Return
// false if the key is not that of a predefined attribute.
bool find_predefined(MPI_Comm comm, int key, void** value, int* flag) {
  static int host = MPI_PROC_NULL;
  static int tag_upper_bound, io, wtime_is_global, universe_size, last_used, application;
  const LibraryBehaviour& library = library_behaviour();
  int* found = nullptr;
  switch (key) {
    case MPI_TAG_UB:
      tag_upper_bound = library.largest_tag;
      found = &tag_upper_bound;
      break;
    case MPI_HOST:
      found = &host;
      break;
    case MPI_IO:
      io = library.io_rank;
      found = &io;
      break;
    case MPI_WTIME_IS_GLOBAL:
      wtime_is_global = library.clock_is_global ? 1 : 0;
      found = &wtime_is_global;
      break;
    case MPI_UNIVERSE_SIZE:
      universe_size = cores_to_spawn_on();
      found = &universe_size;
      break;
    case MPI_LASTUSEDCODE:
      last_used = last_used_code();
      found = &last_used;
      break;
    case MPI_APPNUM:
      application = application_number();
      found = &application;
      break;
    default:
      return false;
  }
  *flag = !library.only_world_has_attributes || has_all_ranks(comm) ? 1 : 0;
  if (*flag != 0) *value = found;
  return true;
}

int invalid_key(MPI_Comm comm, const char* function, int key) {
  return fail(comm, MPI_ERR_KEYVAL, function, "no attribute key 0x%08x for this kind of object; was it freed?", key);
}

int free_checked(AttributeHolder holder, const char* function, int* key) {
  if (!is_key(holder, *key)) return invalid_key(MPI_COMM_NULL, function, *key);
  free_key(*key);
  *key = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

int set_checked(AttributeHolder holder, MPI_Comm comm, const char* function, int object, int key, void* value) {
  if (!is_key(holder, key)) return invalid_key(comm, function, key);
  return set_attribute(holder, object, key, value);
}

int get_checked(AttributeHolder holder, MPI_Comm comm, const char* function, int object, int key, void* value,
                int* flag) {
  if (!is_key(holder, key)) return invalid_key(comm, function, key);
  *flag = find_attribute(holder, object, key, static_cast<void**>(value));
  return MPI_SUCCESS;
}

int delete_checked(AttributeHolder holder, MPI_Comm comm, const char* function, int object, int key) {
  if (!is_key(holder, key)) return invalid_key(comm, function, key);
  return delete_attribute(holder, object, key);
}

}  // namespace

extern "C" {

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* key,
                           void* extra_state) {
  *key = create_key(kComm, copy, remove, extra_state);
  return MPI_SUCCESS;
}

int MPI_Comm_free_keyval(int* key) { return free_checked(kComm, "MPI_Comm_free_keyval", key); }

int MPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  if (find_own_communicator(comm) == nullptr) return invalid_communicator("MPI_Comm_set_attr", comm);
  return set_checked(kComm, comm, "MPI_Comm_set_attr", comm, key, value);
}

int MPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag) {
  if (find_own_communicator(comm) == nullptr) return invalid_communicator("MPI_Comm_get_attr", comm);
  if (find_predefined(comm, key, static_cast<void**>(value), flag)) return MPI_SUCCESS;
  return get_checked(kComm, comm, "MPI_Comm_get_attr", comm, key, value, flag);
}

int MPI_Comm_delete_attr(MPI_Comm comm, int key) {
  if (find_own_communicator(comm) == nullptr) return invalid_communicator("MPI_Comm_delete_attr", comm);
  return delete_checked(kComm, comm, "MPI_Comm_delete_attr", comm, key);
}

int MPI_Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove, int* key,
                           void* extra_state) {
  *key = create_key(kType, copy, remove, extra_state);
  return MPI_SUCCESS;
}

int MPI_Type_free_keyval(int* key) { return free_checked(kType, "MPI_Type_free_keyval", key); }

int MPI_Type_set_attr(MPI_Datatype type, int key, void* value) {
  if (find_datatype(type) == nullptr) return invalid_datatype("MPI_Type_set_attr", type);
  return set_checked(kType, MPI_COMM_NULL, "MPI_Type_set_attr", type, key, value);
}

int MPI_Type_get_attr(MPI_Datatype type, int key, void* value, int* flag) {
  if (find_datatype(type) == nullptr) return invalid_datatype("MPI_Type_get_attr", type);
  return get_checked(kType, MPI_COMM_NULL, "MPI_Type_get_attr", type, key, value, flag);
}

int MPI_Type_delete_attr(MPI_Datatype type, int key) {
  if (find_datatype(type) == nullptr) return invalid_datatype("MPI_Type_delete_attr", type);
  return delete_checked(kType, MPI_COMM_NULL, "MPI_Type_delete_attr", type, key);
}

int MPI_Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove, int* key,
                          void* extra_state) {
  *key = create_key(kWin, copy, remove, extra_state);
  return MPI_SUCCESS;
}

int MPI_Win_free_keyval(int* key) { return free_checked(kWin, "MPI_Win_free_keyval", key); }

}  // extern "C"

int MPIR_Dup_fn(MPI_Comm, int, void*, void* value, void* copied, int* flag) {
  *static_cast<void**>(copied) = value;
  *flag = 1;
  return MPI_SUCCESS;
}
