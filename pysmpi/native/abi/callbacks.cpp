// Functions that take callbacks. The simulator calls a wrapper, which converts the arguments and calls the program's
// callback; it finds this in extra_state.
#include <climits>
#include <map>
#include <memory>
#include <tuple>

#include "abi/conversions.hpp"

namespace pysmpi::abi {

extern "C" {
decltype(MPI_Comm_create_keyval) pysmpi_MPI_Comm_create_keyval;
decltype(MPI_Grequest_start) pysmpi_MPI_Grequest_start;
decltype(MPI_Op_create) pysmpi_MPI_Op_create;
decltype(MPI_Register_datarep) pysmpi_MPI_Register_datarep;
decltype(MPI_Register_datarep_c) pysmpi_MPI_Register_datarep_c;
decltype(MPI_Type_create_keyval) pysmpi_MPI_Type_create_keyval;
decltype(MPI_Type_get_extent) pysmpi_MPI_Type_get_extent;
decltype(MPI_Win_create_keyval) pysmpi_MPI_Win_create_keyval;
decltype(MPIX_Comm_create_errhandler_x) pysmpi_MPIX_Comm_create_errhandler_x;
decltype(MPIX_File_create_errhandler_x) pysmpi_MPIX_File_create_errhandler_x;
decltype(MPIX_Op_create_x) pysmpi_MPIX_Op_create_x;
decltype(MPIX_Session_create_errhandler_x) pysmpi_MPIX_Session_create_errhandler_x;
decltype(MPIX_Win_create_errhandler_x) pysmpi_MPIX_Win_create_errhandler_x;
}

namespace {

template <class State>
void destroy(void* state) {
  delete static_cast<State*>(state);
}

// Functions of an attribute key.
template <class Handle>
struct KeyFunctions {
  int (*copy)(Handle, int, void*, void*, void*, int*);
  int (*remove)(Handle, int, void*, void*);
  void* extra_state;
};

template <class Handle>
int call_copy(int object, int key, void* extra_state, void* value, void* copied, int* flag) {
  const auto& functions = *static_cast<const KeyFunctions<Handle>*>(extra_state);
  return internal_error(
      functions.copy(program_handle<Handle>(object), program_key(key), functions.extra_state, value, copied, flag));
}

template <class Handle>
int call_remove(int object, int key, void* value, void* extra_state) {
  const auto& functions = *static_cast<const KeyFunctions<Handle>*>(extra_state);
  return internal_error(
      functions.remove(program_handle<Handle>(object), program_key(key), value, functions.extra_state));
}

template <class Handle, class Create>
int create_key(Create create, KeyFunctions<Handle> functions, int* key) {
  // Entries stay: attributes of a freed key may still be deleted later.
  static std::map<std::tuple<void*, void*, void*>, KeyFunctions<Handle>> made;
  const std::tuple identity(reinterpret_cast<void*>(functions.copy), reinterpret_cast<void*>(functions.remove),
                            functions.extra_state);
  KeyFunctions<Handle>& kept = made.emplace(identity, functions).first->second;
  const auto is_function = [](auto* function) { return reinterpret_cast<std::uintptr_t>(function) > 1; };
  // In the standard's ABI, 0 is a function that copies or deletes nothing (MPI_COMM_NULL_COPY_FN), and 1 one that
  // copies the value (MPI_COMM_DUP_FN).
  const auto copy = is_function(functions.copy) ? call_copy<Handle> : functions.copy ? MPIR_Dup_fn : nullptr;
  const auto remove = is_function(functions.remove) ? call_remove<Handle> : nullptr;
  return program_error(create(copy, remove, key, &kept));
}

// A reduction operation.
struct OpFunction {
  void (*function)(void*, void*, int*, Datatype*);
  void (*large_function)(void*, void*, MPI_Count*, Datatype*);
};

void call_operation(void* in, void* inout, MPI_Count count, MPI_Datatype internal_type, void* state) {
  const auto& operation = *static_cast<const OpFunction*>(state);
  Datatype type = program_handle<Datatype>(internal_type);
  if (operation.large_function) return operation.large_function(in, inout, &count, &type);
  MPI_Aint lower = 0, extent = 0;
  if (count > INT_MAX) pysmpi_MPI_Type_get_extent(internal_type, &lower, &extent);
  for (MPI_Count done = 0; done < count;) {
    int part = static_cast<int>(std::min<MPI_Count>(count - done, INT_MAX));
    operation.function(static_cast<char*>(in) + done * extent, static_cast<char*>(inout) + done * extent, &part, &type);
    done += part;
  }
}

int create_operation(const OpFunction& function, int commute, Op* op) {
  if (!function.function && !function.large_function) {
    return program_error(pysmpi_MPI_Op_create(nullptr, commute, nullptr));
  }
  // Entries stay: a collective may still need a freed operation.
  static std::map<std::pair<void*, void*>, OpFunction> made;
  const std::pair identity(reinterpret_cast<void*>(function.function),
                           reinterpret_cast<void*>(function.large_function));
  OpFunction& kept = made.emplace(identity, function).first->second;
  HandleArgument<Op> internal_op(op);
  const int code = pysmpi_MPIX_Op_create_x(call_operation, nullptr, commute, &kept, internal_op.pointer());
  if (code == MPI_SUCCESS) internal_op.store();
  return program_error(code);
}

// An error handler.
template <class Handle>
struct ErrorFunction {
  void (*function)(Handle*, int*, ...);
};

template <class Handle>
void call_handler(std::conditional_t<std::is_same_v<Handle, File>, MPI_File, int> object, int code, void* state) {
  const ErrorFunction<Handle> called = *static_cast<const ErrorFunction<Handle>*>(state);
  Handle handle = program_handle<Handle>(object);
  code = program_error(code);
  called.function(&handle, &code);
}

template <class Handle, class Create>
int create_handler(Create create, void (*function)(Handle*, int*, ...), Errhandler* handler) {
  HandleArgument<Errhandler> internal_handler(handler);
  using State = ErrorFunction<Handle>;
  const int code = create(call_handler<Handle>, destroy<State>, new State{function}, internal_handler.pointer());
  if (code == MPI_SUCCESS) internal_handler.store();
  return program_error(code);
}

// A generalized request.
struct RequestFunctions {
  int (*query)(void*, Status*);
  int (*free)(void*);
  int (*cancel)(void*, int);
  void* extra_state;
};

int call_query(void* state, MPI_Status* internal_status) {
  const auto& functions = *static_cast<const RequestFunctions*>(state);
  if (!functions.query) return MPI_SUCCESS;
  Status status{};
  store(*internal_status, status);
  const int code = functions.query(functions.extra_state, &status);
  *internal_status = internal(status);
  return internal_error(code);
}

int call_free(void* state) {
  const std::unique_ptr<RequestFunctions> functions(static_cast<RequestFunctions*>(state));
  return functions->free ? internal_error(functions->free(functions->extra_state)) : MPI_SUCCESS;
}

int call_cancel(void* state, int complete) {
  const auto& functions = *static_cast<const RequestFunctions*>(state);
  return functions.cancel ? internal_error(functions.cancel(functions.extra_state, complete)) : MPI_SUCCESS;
}

// A data representation. It exists until the process ends.
template <class Count>
struct Representation {
  int (*read)(void*, Datatype, Count, void*, MPI_Offset, void*);
  int (*write)(void*, Datatype, Count, void*, MPI_Offset, void*);
  int (*extent)(Datatype, MPI_Aint*, void*);
  void* extra_state;
};

template <class Count, auto function>
int convert_data(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* state) {
  const auto& representation = *static_cast<const Representation<Count>*>(state);
  const int code = (representation.*function)(user, program_handle<Datatype>(type), count, file, position,
                                              representation.extra_state);
  return internal_error(code);
}

template <class Count>
int call_extent(MPI_Datatype type, MPI_Aint* extent, void* state) {
  const auto& representation = *static_cast<const Representation<Count>*>(state);
  return internal_error(representation.extent(program_handle<Datatype>(type), extent, representation.extra_state));
}

template <class Count, class Register>
int register_representation(Register add, const char* name, const Representation<Count>& functions) {
  using State = Representation<Count>;
  const auto read = functions.read ? convert_data<Count, &State::read> : nullptr;
  const auto write = functions.write ? convert_data<Count, &State::write> : nullptr;
  return program_error(add(name, read, write, call_extent<Count>, new State(functions)));
}

}  // namespace

extern "C" {

int abi_MPI_Comm_create_keyval(int (*copy)(Comm, int, void*, void*, void*, int*),
                               int (*remove)(Comm, int, void*, void*), int* key, void* extra_state) {
  return create_key<Comm>(pysmpi_MPI_Comm_create_keyval, {copy, remove, extra_state}, key);
}

int abi_MPI_Keyval_create(int (*copy)(Comm, int, void*, void*, void*, int*), int (*remove)(Comm, int, void*, void*),
                          int* key, void* extra_state) {
  return create_key<Comm>(pysmpi_MPI_Comm_create_keyval, {copy, remove, extra_state}, key);
}

int abi_MPI_Type_create_keyval(int (*copy)(Datatype, int, void*, void*, void*, int*),
                               int (*remove)(Datatype, int, void*, void*), int* key, void* extra_state) {
  return create_key<Datatype>(pysmpi_MPI_Type_create_keyval, {copy, remove, extra_state}, key);
}

int abi_MPI_Win_create_keyval(int (*copy)(Win, int, void*, void*, void*, int*), int (*remove)(Win, int, void*, void*),
                              int* key, void* extra_state) {
  return create_key<Win>(pysmpi_MPI_Win_create_keyval, {copy, remove, extra_state}, key);
}

int abi_MPI_Op_create(void (*function)(void*, void*, int*, Datatype*), int commute, Op* op) {
  return create_operation({function, nullptr}, commute, op);
}

int abi_MPI_Op_create_c(void (*function)(void*, void*, MPI_Count*, Datatype*), int commute, Op* op) {
  return create_operation({nullptr, function}, commute, op);
}

int abi_MPI_Comm_create_errhandler(void (*function)(Comm*, int*, ...), Errhandler* handler) {
  return create_handler(pysmpi_MPIX_Comm_create_errhandler_x, function, handler);
}

int abi_MPI_Errhandler_create(void (*function)(Comm*, int*, ...), Errhandler* handler) {
  return create_handler(pysmpi_MPIX_Comm_create_errhandler_x, function, handler);
}

int abi_MPI_File_create_errhandler(void (*function)(File*, int*, ...), Errhandler* handler) {
  return create_handler(pysmpi_MPIX_File_create_errhandler_x, function, handler);
}

int abi_MPI_Session_create_errhandler(void (*function)(Session*, int*, ...), Errhandler* handler) {
  return create_handler(pysmpi_MPIX_Session_create_errhandler_x, function, handler);
}

int abi_MPI_Win_create_errhandler(void (*function)(Win*, int*, ...), Errhandler* handler) {
  return create_handler(pysmpi_MPIX_Win_create_errhandler_x, function, handler);
}

int abi_MPI_Grequest_start(int (*query)(void*, Status*), int (*free)(void*), int (*cancel)(void*, int),
                           void* extra_state, Request* request) {
  HandleArgument<Request> internal_request(request);
  auto* const state = new RequestFunctions{query, free, cancel, extra_state};
  const int code = pysmpi_MPI_Grequest_start(call_query, call_free, call_cancel, state, internal_request.pointer());
  if (code == MPI_SUCCESS) internal_request.store();
  return program_error(code);
}

int abi_MPI_Register_datarep(const char* name, int (*read)(void*, Datatype, int, void*, MPI_Offset, void*),
                             int (*write)(void*, Datatype, int, void*, MPI_Offset, void*),
                             int (*extent)(Datatype, MPI_Aint*, void*), void* extra_state) {
  return register_representation<int>(pysmpi_MPI_Register_datarep, name, {read, write, extent, extra_state});
}

int abi_MPI_Register_datarep_c(const char* name, int (*read)(void*, Datatype, MPI_Count, void*, MPI_Offset, void*),
                               int (*write)(void*, Datatype, MPI_Count, void*, MPI_Offset, void*),
                               int (*extent)(Datatype, MPI_Aint*, void*), void* extra_state) {
  return register_representation<MPI_Count>(pysmpi_MPI_Register_datarep_c, name, {read, write, extent, extra_state});
}

}  // extern "C"

}  // namespace pysmpi::abi
