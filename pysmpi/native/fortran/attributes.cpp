// Attributes in Fortran: values are integers, and functions that copy and delete them take addresses.
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "fortran/conversions.hpp"

using namespace pysmpi;

namespace {

// Functions of a Fortran program for one key. `Value` is MPI_Aint, or MPI_Fint in those of MPI-1. They are kept as long
// as the process, because attributes can outlive their key.
template <typename Value>
struct Functions {
  using Copy = void (*)(MPI_Fint* object, MPI_Fint* key, Value* extra, Value* value, Value* copied, MPI_Fint* flag,
                        MPI_Fint* ierror);
  using Delete = void (*)(MPI_Fint* object, MPI_Fint* key, Value* value, Value* extra, MPI_Fint* ierror);
  Copy copy;
  Delete remove;
  Value extra;

  static int call_copy(int object, int key, void* extra, void* value, void* copied, int* flag) {
    auto& own = *static_cast<Functions*>(extra);
    auto given = static_cast<Value>(reinterpret_cast<std::intptr_t>(value));
    Value result = 0;
    MPI_Fint copies = 0, code = MPI_SUCCESS;
    own.copy(&object, &key, &own.extra, &given, &result, &copies, &code);
    *flag = copies != 0;
    *static_cast<void**>(copied) = reinterpret_cast<void*>(static_cast<std::intptr_t>(result));
    return code;
  }
  static int call_delete(int object, int key, void* value, void* extra) {
    auto& own = *static_cast<Functions*>(extra);
    auto given = static_cast<Value>(reinterpret_cast<std::intptr_t>(value));
    MPI_Fint code = MPI_SUCCESS;
    own.remove(&object, &key, &given, &own.extra, &code);
    return code;
  }
};

template <typename Value>
void copy_nothing(MPI_Fint*, MPI_Fint*, Value*, Value*, Value*, MPI_Fint* flag, MPI_Fint* ierror) {
  *flag = 0;
  *ierror = MPI_SUCCESS;
}
template <typename Value>
void copy_value(MPI_Fint*, MPI_Fint*, Value*, Value* value, Value* copied, MPI_Fint* flag, MPI_Fint* ierror) {
  *copied = *value;
  *flag = 1;
  *ierror = MPI_SUCCESS;
}
template <typename Value>
void delete_nothing(MPI_Fint*, MPI_Fint*, Value*, Value*, MPI_Fint* ierror) {
  *ierror = MPI_SUCCESS;
}

template <typename Value, typename Create>
void create_key(Create create, void* copy, void* remove, MPI_Fint* key, const Value* extra, MPI_Fint* ierror) {
  using Own = Functions<Value>;
  auto* const own =
      new Own{reinterpret_cast<typename Own::Copy>(copy), reinterpret_cast<typename Own::Delete>(remove), *extra};
  return_code(ierror, create(Own::call_copy, Own::call_delete, key, own));
}

// Predefined attributes: in C they are addresses of integers, of which Fortran programs get the values. In Fortran
// their keys are larger by 1.
enum class Predefined : std::uint8_t { kNot, kInteger, kSize, kAddress };
Predefined kind_of(MPI_Fint key) {
  for (const int each : {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE,
                         MPI_APPNUM, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL}) {
    if (key == each + 1) return Predefined::kInteger;
  }
  if (key == MPI_WIN_SIZE + 1) return Predefined::kSize;
  return key == MPI_WIN_BASE + 1 ? Predefined::kAddress : Predefined::kNot;
}

template <typename Value, typename Get>
void get_attribute(Get get, const MPI_Fint* object, const MPI_Fint* key, Value* value, MPI_Fint* flag,
                   MPI_Fint* ierror) {
  void* found = nullptr;
  int has = 0;
  const Predefined kind = kind_of(*key);
  const int code = get(*object, kind == Predefined::kNot ? *key : *key - 1, &found, &has);
  if (code == MPI_SUCCESS && has) {
    if (kind == Predefined::kInteger) {
      *value = static_cast<Value>(*static_cast<const int*>(found));
    } else if (kind == Predefined::kSize) {
      *value = static_cast<Value>(*static_cast<const MPI_Aint*>(found));
    } else {
      *value = static_cast<Value>(reinterpret_cast<std::intptr_t>(found));
    }
  }
  *flag = logical(has);
  return_code(ierror, code);
}

void* as_address(std::intptr_t value) { return reinterpret_cast<void*>(value); }

}  // namespace

extern "C" {

void mpi_comm_null_copy_fn_(MPI_Fint* o, MPI_Fint* k, MPI_Aint* e, MPI_Aint* v, MPI_Aint* c, MPI_Fint* f, MPI_Fint* i) {
  copy_nothing(o, k, e, v, c, f, i);
}
void mpi_comm_dup_fn_(MPI_Fint* o, MPI_Fint* k, MPI_Aint* e, MPI_Aint* v, MPI_Aint* c, MPI_Fint* f, MPI_Fint* i) {
  copy_value(o, k, e, v, c, f, i);
}
void mpi_comm_null_delete_fn_(MPI_Fint* o, MPI_Fint* k, MPI_Aint* v, MPI_Aint* e, MPI_Fint* i) {
  delete_nothing(o, k, v, e, i);
}
SAME(mpi_type_null_copy_fn_, mpi_comm_null_copy_fn_)
SAME(mpi_type_dup_fn_, mpi_comm_dup_fn_)
SAME(mpi_type_null_delete_fn_, mpi_comm_null_delete_fn_)
SAME(mpi_win_null_copy_fn_, mpi_comm_null_copy_fn_)
SAME(mpi_win_dup_fn_, mpi_comm_dup_fn_)
SAME(mpi_win_null_delete_fn_, mpi_comm_null_delete_fn_)
SAME(__mpi_f08_callbacks_MOD_mpi_comm_null_copy_fn, mpi_comm_null_copy_fn_)
SAME(__mpi_f08_callbacks_MOD_mpi_comm_dup_fn, mpi_comm_dup_fn_)
SAME(__mpi_f08_callbacks_MOD_mpi_comm_null_delete_fn, mpi_comm_null_delete_fn_)
SAME(__mpi_f08_callbacks_MOD_mpi_type_null_copy_fn, mpi_comm_null_copy_fn_)
SAME(__mpi_f08_callbacks_MOD_mpi_type_dup_fn, mpi_comm_dup_fn_)
SAME(__mpi_f08_callbacks_MOD_mpi_type_null_delete_fn, mpi_comm_null_delete_fn_)
SAME(__mpi_f08_callbacks_MOD_mpi_win_null_copy_fn, mpi_comm_null_copy_fn_)
SAME(__mpi_f08_callbacks_MOD_mpi_win_dup_fn, mpi_comm_dup_fn_)
SAME(__mpi_f08_callbacks_MOD_mpi_win_null_delete_fn, mpi_comm_null_delete_fn_)

void mpi_null_copy_fn_(MPI_Fint* o, MPI_Fint* k, MPI_Fint* e, MPI_Fint* v, MPI_Fint* c, MPI_Fint* f, MPI_Fint* i) {
  copy_nothing(o, k, e, v, c, f, i);
}
void mpi_dup_fn_(MPI_Fint* o, MPI_Fint* k, MPI_Fint* e, MPI_Fint* v, MPI_Fint* c, MPI_Fint* f, MPI_Fint* i) {
  copy_value(o, k, e, v, c, f, i);
}
void mpi_null_delete_fn_(MPI_Fint* o, MPI_Fint* k, MPI_Fint* v, MPI_Fint* e, MPI_Fint* i) {
  delete_nothing(o, k, v, e, i);
}

void mpi_comm_create_keyval_(void* copy, void* remove, MPI_Fint* key, const MPI_Aint* extra, MPI_Fint* ierror) {
  create_key(MPI_Comm_create_keyval, copy, remove, key, extra, ierror);
}
void mpi_type_create_keyval_(void* copy, void* remove, MPI_Fint* key, const MPI_Aint* extra, MPI_Fint* ierror) {
  create_key(MPI_Type_create_keyval, copy, remove, key, extra, ierror);
}
void mpi_win_create_keyval_(void* copy, void* remove, MPI_Fint* key, const MPI_Aint* extra, MPI_Fint* ierror) {
  create_key(MPI_Win_create_keyval, copy, remove, key, extra, ierror);
}
void mpi_keyval_create_(void* copy, void* remove, MPI_Fint* key, const MPI_Fint* extra, MPI_Fint* ierror) {
  create_key(MPI_Keyval_create, copy, remove, key, extra, ierror);
}
SAME(mpi_comm_create_keyval_f08_, mpi_comm_create_keyval_)
SAME(mpi_type_create_keyval_f08_, mpi_type_create_keyval_)
SAME(mpi_win_create_keyval_f08_, mpi_win_create_keyval_)

void mpi_comm_set_attr_(const MPI_Fint* comm, const MPI_Fint* key, const MPI_Aint* value, MPI_Fint* ierror) {
  return_code(ierror, MPI_Comm_set_attr(*comm, *key, as_address(*value)));
}
void mpi_type_set_attr_(const MPI_Fint* type, const MPI_Fint* key, const MPI_Aint* value, MPI_Fint* ierror) {
  return_code(ierror, MPI_Type_set_attr(*type, *key, as_address(*value)));
}
void mpi_win_set_attr_(const MPI_Fint* win, const MPI_Fint* key, const MPI_Aint* value, MPI_Fint* ierror) {
  return_code(ierror, MPI_Win_set_attr(*win, *key, as_address(*value)));
}
void mpi_attr_put_(const MPI_Fint* comm, const MPI_Fint* key, const MPI_Fint* value, MPI_Fint* ierror) {
  return_code(ierror, MPI_Attr_put(*comm, *key, as_address(*value)));
}
SAME(mpi_comm_set_attr_f08_, mpi_comm_set_attr_)
SAME(mpi_type_set_attr_f08_, mpi_type_set_attr_)
SAME(mpi_win_set_attr_f08_, mpi_win_set_attr_)

void mpi_comm_get_attr_(const MPI_Fint* o, const MPI_Fint* key, MPI_Aint* value, MPI_Fint* flag, MPI_Fint* ierror) {
  get_attribute(MPI_Comm_get_attr, o, key, value, flag, ierror);
}
void mpi_type_get_attr_(const MPI_Fint* o, const MPI_Fint* key, MPI_Aint* value, MPI_Fint* flag, MPI_Fint* ierror) {
  get_attribute(MPI_Type_get_attr, o, key, value, flag, ierror);
}
void mpi_win_get_attr_(const MPI_Fint* o, const MPI_Fint* key, MPI_Aint* value, MPI_Fint* flag, MPI_Fint* ierror) {
  get_attribute(MPI_Win_get_attr, o, key, value, flag, ierror);
}
void mpi_attr_get_(const MPI_Fint* o, const MPI_Fint* key, MPI_Fint* value, MPI_Fint* flag, MPI_Fint* ierror) {
  get_attribute(MPI_Attr_get, o, key, value, flag, ierror);
}
SAME(mpi_comm_get_attr_f08_, mpi_comm_get_attr_)
SAME(mpi_type_get_attr_f08_, mpi_type_get_attr_)
SAME(mpi_win_get_attr_f08_, mpi_win_get_attr_)

}  // extern C
