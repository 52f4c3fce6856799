// Queries of datatypes. datatype_constructors.cpp creates them.
#include "datatypes.hpp"

#include <algorithm>
#include <string>

#include "datatypes/predefined.hpp"
#include "objects/attributes.hpp"
#include "objects/datatype_names.hpp"

using namespace pysmpi;

namespace pysmpi {

int invalid_datatype(const char* function, MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL)
    return fail(MPI_COMM_NULL, MPI_ERR_TYPE, function, "the datatype is MPI_DATATYPE_NULL");
  return fail(MPI_COMM_NULL, MPI_ERR_TYPE, function, "no datatype has the handle 0x%08x; was it freed?", type);
}

}  // namespace pysmpi

namespace {

template <class Size>
int get_size(const char* function, MPI_Datatype handle, Size* size) {
  const Datatype* type = find_datatype(handle);
  if (!type) return invalid_datatype(function, handle);
  *size = narrow<Size>(type->size);
  return MPI_SUCCESS;
}

template <class Bound>
int get_extent(const char* function, MPI_Datatype handle, Bound* lower_bound, Bound* extent) {
  const Datatype* type = find_datatype(handle);
  if (!type) return invalid_datatype(function, handle);
  *lower_bound = type->lower_bound;
  *extent = type->extent;
  return MPI_SUCCESS;
}

template <class Bound>
int get_true_extent(const char* function, MPI_Datatype handle, Bound* lower_bound, Bound* extent) {
  const Datatype* type = find_datatype(handle);
  if (!type) return invalid_datatype(function, handle);
  *lower_bound = type->true_lower_bound;
  *extent = type->true_extent;
  return MPI_SUCCESS;
}

int combiner_of(const Datatype& type) { return is_predefined(type) ? MPI_COMBINER_NAMED : type.construction.combiner; }

template <class Value, class Out>
bool copy_values(const std::vector<Value>& values, std::int64_t room, Out* out) {
  if (static_cast<std::int64_t>(values.size()) > room) return false;
  std::copy(values.begin(), values.end(), out);
  return true;
}

int no_room(const char* function, const Construction& made) {
  return fail(MPI_COMM_NULL, MPI_ERR_ARG, function,
              "the arrays are too small for %zu integers, %zu addresses, %zu large counts and %zu datatypes",
              made.integers.size(), made.addresses.size(), made.large_counts.size(), made.types.size());
}

// Counts the handles of datatypes that are returned to the program, which must free the derived ones.
void hand_out(const std::vector<std::int32_t>& types) {
  for (const std::int32_t handle : types) {
    Datatype& type = *find_datatype(handle);
    if (is_predefined(type)) continue;
    ++type.handles;
    hold_datatype(type);
  }
}

int large_counts(const char* function, const char* other) {
  return fail(MPI_COMM_NULL, MPI_ERR_TYPE, function, "the datatype was created with large counts; call %s", other);
}

}  // namespace

extern "C" {

int MPI_Type_size(MPI_Datatype type, int* size) { return get_size("MPI_Type_size", type, size); }
int MPI_Type_size_x(MPI_Datatype type, MPI_Count* size) { return get_size("MPI_Type_size_x", type, size); }
int MPI_Type_size_c(MPI_Datatype type, MPI_Count* size) { return get_size("MPI_Type_size", type, size); }

int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent) {
  return get_extent("MPI_Type_get_extent", type, lower_bound, extent);
}
int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count* lower_bound, MPI_Count* extent) {
  return get_extent("MPI_Type_get_extent_x", type, lower_bound, extent);
}
int MPI_Type_get_extent_c(MPI_Datatype type, MPI_Count* lower_bound, MPI_Count* extent) {
  return get_extent("MPI_Type_get_extent", type, lower_bound, extent);
}

int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent) {
  return get_true_extent("MPI_Type_get_true_extent", type, lower_bound, extent);
}
int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count* lower_bound, MPI_Count* extent) {
  return get_true_extent("MPI_Type_get_true_extent_x", type, lower_bound, extent);
}
int MPI_Type_get_true_extent_c(MPI_Datatype type, MPI_Count* lower_bound, MPI_Count* extent) {
  return get_true_extent("MPI_Type_get_true_extent", type, lower_bound, extent);
}

int MPI_Type_get_envelope(MPI_Datatype handle, int* integers, int* addresses, int* types, int* combiner) {
  constexpr const char* kFunction = "MPI_Type_get_envelope";
  const Datatype* type = find_datatype(handle);
  if (!type) return invalid_datatype(kFunction, handle);
  const Construction& made = type->construction;
  if (!made.large_counts.empty()) return large_counts(kFunction, "MPI_Type_get_envelope_c");
  *integers = static_cast<int>(made.integers.size());
  *addresses = static_cast<int>(made.addresses.size());
  *types = static_cast<int>(made.types.size());
  *combiner = combiner_of(*type);
  return MPI_SUCCESS;
}

int MPI_Type_get_envelope_c(MPI_Datatype handle, MPI_Count* integers, MPI_Count* addresses, MPI_Count* large_counts,
                            MPI_Count* types, int* combiner) {
  const Datatype* type = find_datatype(handle);
  if (!type) return invalid_datatype("MPI_Type_get_envelope", handle);
  const Construction& made = type->construction;
  *integers = static_cast<MPI_Count>(made.integers.size());
  *addresses = static_cast<MPI_Count>(made.addresses.size());
  *large_counts = static_cast<MPI_Count>(made.large_counts.size());
  *types = static_cast<MPI_Count>(made.types.size());
  *combiner = combiner_of(*type);
  return MPI_SUCCESS;
}

int MPI_Type_get_contents(MPI_Datatype handle, int max_integers, int max_addresses, int max_types, int integers[],
                          MPI_Aint addresses[], MPI_Datatype types[]) {
  constexpr const char* kFunction = "MPI_Type_get_contents";
  const Datatype* type = find_datatype(handle);
  if (!type) return invalid_datatype(kFunction, handle);
  const Construction& made = type->construction;
  if (is_predefined(*type)) {
    return fail(MPI_COMM_NULL, MPI_ERR_TYPE, kFunction, "%s is predefined and has no contents",
                predefined_name(handle));
  }
  if (!made.large_counts.empty()) return large_counts(kFunction, "MPI_Type_get_contents_c");
  if (!copy_values(made.integers, max_integers, integers) || !copy_values(made.addresses, max_addresses, addresses) ||
      !copy_values(made.types, max_types, types)) {
    return no_room(kFunction, made);
  }
  hand_out(made.types);
  return MPI_SUCCESS;
}

int MPI_Type_get_contents_c(MPI_Datatype handle, MPI_Count max_integers, MPI_Count max_addresses,
                            MPI_Count max_large_counts, MPI_Count max_types, int integers[], MPI_Aint addresses[],
                            MPI_Count large_counts[], MPI_Datatype types[]) {
  constexpr const char* kFunction = "MPI_Type_get_contents";
  const Datatype* type = find_datatype(handle);
  if (!type) return invalid_datatype(kFunction, handle);
  const Construction& made = type->construction;
  if (is_predefined(*type)) {
    return fail(MPI_COMM_NULL, MPI_ERR_TYPE, kFunction, "%s is predefined and has no contents",
                predefined_name(handle));
  }
  if (!copy_values(made.integers, max_integers, integers) || !copy_values(made.addresses, max_addresses, addresses) ||
      !copy_values(made.large_counts, max_large_counts, large_counts) || !copy_values(made.types, max_types, types)) {
    return no_room(kFunction, made);
  }
  hand_out(made.types);
  return MPI_SUCCESS;
}

int MPI_Type_get_name(MPI_Datatype handle, char* name, int* length) {
  const Datatype* type = find_datatype(handle);
  if (!type && handle != MPI_DATATYPE_NULL) return invalid_datatype("MPI_Type_get_name", handle);
  const std::string text = type ? datatype_name(*type) : "MPI_DATATYPE_NULL";
  *std::copy(text.begin(), text.end(), name) = '\0';
  *length = static_cast<int>(text.size());
  return MPI_SUCCESS;
}

int MPI_Type_set_name(MPI_Datatype handle, const char* name) {
  Datatype* type = find_datatype(handle);
  if (!type) return invalid_datatype("MPI_Type_set_name", handle);
  set_datatype_name(*type, std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

int MPI_Type_match_size(int type_class, int size, MPI_Datatype* type) {
  *type = sized_type(type_class, size);
  if (*type != MPI_DATATYPE_NULL) return MPI_SUCCESS;
  return fail(MPI_COMM_NULL, MPI_ERR_ARG, "MPI_Type_match_size", "no predefined datatype of class %d has %d bytes",
              type_class, size);
}

int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  for (const MPI_Datatype type : {value_type, index_type}) {
    if (!find_datatype(type)) return invalid_datatype("MPI_Type_get_value_index", type);
  }
  *pair_type = pair_of(value_type, index_type);
  return MPI_SUCCESS;
}

// Datatypes need no preparation. The commit is only recorded, because programs must commit a datatype before they
// communicate with it.
int MPI_Type_commit(MPI_Datatype* handle) {
  Datatype* const type = find_datatype(*handle);
  if (!type) return invalid_datatype("MPI_Type_commit", *handle);
  type->committed = true;
  return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype* handle) {
  Datatype* type = find_datatype(*handle);
  if (!type || (!is_predefined(*type) && type->handles == 0)) return invalid_datatype("MPI_Type_free", *handle);
  if (is_predefined(*type)) {
    return fail(MPI_COMM_NULL, MPI_ERR_TYPE, "MPI_Type_free", "%s is predefined and cannot be freed",
                predefined_name(*handle));
  }
  switch (combiner_of(*type)) {
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return fail(MPI_COMM_NULL, MPI_ERR_TYPE, "MPI_Type_free",
                  "a datatype created by MPI_Type_create_f90_* cannot be freed");
    default:
      break;
  }
  if (type->handles == 1) {
    const int code = delete_attributes(AttributeHolder::kDatatype, *handle);
    if (code != MPI_SUCCESS) return code;
  }
  free_datatype(*type);
  *handle = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

}  // extern "C"
