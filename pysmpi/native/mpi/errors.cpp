// Functions on error codes and error handlers.
#include "objects/errors.hpp"

#include <algorithm>
#include <string>

#include "communicators.hpp"
#include "objects/error_handler.hpp"
#include "sessions.hpp"

using namespace pysmpi;

namespace pysmpi {

// A session has an error handler from its creation to its end (pysmpi/simulation/mpi/session.py).
bool is_session(MPI_Session session) {
  constexpr std::uint32_t kKindMask = 0xfc000000U, kSession = 0xb8000000U;
  return (static_cast<std::uint32_t>(session) & kKindMask) == kSession && has_error_handler(session);
}

int invalid_session(const char* function, MPI_Session session) {
  if (session == MPI_SESSION_NULL) {
    return fail(MPI_COMM_NULL, MPI_ERR_SESSION, function, "the session is MPI_SESSION_NULL");
  }
  return fail(MPI_COMM_NULL, MPI_ERR_SESSION, function, "no session has the handle 0x%08x; was it finalized?", session);
}

}  // namespace pysmpi

namespace {

template <class Function>
int add_stateful(HandledObject kind, Function* function, MPIX_Destructor_function* destructor, void* state,
                 MPI_Errhandler* handler) {
  *handler = add_error_handler(kind, reinterpret_cast<StatefulErrorHandlerFunction>(function), state, destructor);
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int MPI_Error_class(int code, int* result) {
  *result = error_class(code);
  return MPI_SUCCESS;
}

int MPI_Error_string(int code, char* text, int* length) {
  const std::string found = error_text(code).substr(0, MPI_MAX_ERROR_STRING - 1);
  *std::copy(found.begin(), found.end(), text) = '\0';
  *length = static_cast<int>(found.size());
  return MPI_SUCCESS;
}

int MPI_Add_error_class(int* result) {
  *result = add_error_class();
  return MPI_SUCCESS;
}

int MPI_Add_error_code(int of_class, int* code) {
  *code = add_error_code(of_class);
  if (*code < 0) return fail(MPI_COMM_NULL, MPI_ERR_ARG, "MPI_Add_error_code", "%d is not an error class", of_class);
  return MPI_SUCCESS;
}

int MPI_Add_error_string(int code, const char* text) {
  if (set_error_text(code, text) != 0) {
    return fail(MPI_COMM_NULL, MPI_ERR_ARG, "MPI_Add_error_string",
                "%d was not created by MPI_Add_error_class or MPI_Add_error_code", code);
  }
  return MPI_SUCCESS;
}

int MPI_Remove_error_class(int of_class) {
  if (remove_error_class(of_class)) return MPI_SUCCESS;
  return fail(MPI_COMM_NULL, MPI_ERR_OTHER, "MPI_Remove_error_class",
              "%d was not created by MPI_Add_error_class, or still has codes or a string", of_class);
}

int MPI_Remove_error_code(int code) {
  if (remove_error_code(code)) return MPI_SUCCESS;
  return fail(MPI_COMM_NULL, MPI_ERR_OTHER, "MPI_Remove_error_code",
              "%d was not created by MPI_Add_error_code, or still has a string", code);
}

int MPI_Remove_error_string(int code) {
  if (set_error_text(code, "") == 0) return MPI_SUCCESS;
  return fail(MPI_COMM_NULL, MPI_ERR_OTHER, "MPI_Remove_error_string",
              "%d was not created by MPI_Add_error_class or MPI_Add_error_code", code);
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  *handler = add_error_handler(HandledObject::kCommunicator, reinterpret_cast<ErrorHandlerFunction>(function));
  return MPI_SUCCESS;
}

int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* handler) {
  *handler = add_error_handler(HandledObject::kWindow, reinterpret_cast<ErrorHandlerFunction>(function));
  return MPI_SUCCESS;
}

int MPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* handler) {
  *handler = add_error_handler(HandledObject::kFile, reinterpret_cast<ErrorHandlerFunction>(function));
  return MPI_SUCCESS;
}

// MPICH's functions with an argument of the program's own.
int MPIX_Comm_create_errhandler_x(MPIX_Comm_errhandler_function_x* function, MPIX_Destructor_function* destructor,
                                  void* extra_state, MPI_Errhandler* handler) {
  return add_stateful(HandledObject::kCommunicator, function, destructor, extra_state, handler);
}

int MPIX_File_create_errhandler_x(MPIX_File_errhandler_function_x* function, MPIX_Destructor_function* destructor,
                                  void* extra_state, MPI_Errhandler* handler) {
  return add_stateful(HandledObject::kFile, function, destructor, extra_state, handler);
}

int MPIX_Session_create_errhandler_x(MPIX_Session_errhandler_function_x* function, MPIX_Destructor_function* destructor,
                                     void* extra_state, MPI_Errhandler* handler) {
  return add_stateful(HandledObject::kSession, function, destructor, extra_state, handler);
}

int MPIX_Win_create_errhandler_x(MPIX_Win_errhandler_function_x* function, MPIX_Destructor_function* destructor,
                                 void* extra_state, MPI_Errhandler* handler) {
  return add_stateful(HandledObject::kWindow, function, destructor, extra_state, handler);
}

int MPI_Errhandler_free(MPI_Errhandler* handler) {
  if (!is_error_handler(*handler)) {
    return fail(MPI_COMM_NULL, MPI_ERR_ERRHANDLER, "MPI_Errhandler_free", "no error handler has the handle 0x%08x",
                *handler);
  }
  release_error_handler(*handler);  // predefined handlers, which MPI_Comm_get_errhandler may return, are kept
  *handler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  if (find_own_communicator(comm) == nullptr) return invalid_communicator("MPI_Comm_set_errhandler", comm);
  if (!is_error_handler(handler, HandledObject::kCommunicator)) {
    return fail(comm, MPI_ERR_ERRHANDLER, "MPI_Comm_set_errhandler", "0x%08x is not an error handler for communicators",
                handler);
  }
  set_communicator_error_handler(comm, handler);
  return MPI_SUCCESS;
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
  if (find_own_communicator(comm) == nullptr) return invalid_communicator("MPI_Comm_get_errhandler", comm);
  *handler = communicator_error_handler(comm);
  retain_error_handler(*handler);
  return MPI_SUCCESS;
}

int MPI_Comm_call_errhandler(MPI_Comm comm, int code) {
  if (find_own_communicator(comm) == nullptr) return invalid_communicator("MPI_Comm_call_errhandler", comm);
  raise_error(comm, code);
  return MPI_SUCCESS;
}

int MPI_Session_create_errhandler(MPI_Session_errhandler_function* function, MPI_Errhandler* handler) {
  *handler = add_error_handler(HandledObject::kSession, reinterpret_cast<ErrorHandlerFunction>(function));
  return MPI_SUCCESS;
}

int MPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler handler) {
  if (!is_session(session)) return invalid_session("MPI_Session_set_errhandler", session);
  if (!is_error_handler(handler, HandledObject::kSession)) {
    return fail(session, MPI_ERR_ERRHANDLER, "MPI_Session_set_errhandler",
                "0x%08x is not an error handler for sessions", handler);
  }
  set_communicator_error_handler(session, handler);
  return MPI_SUCCESS;
}

int MPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler* handler) {
  if (!is_session(session)) return invalid_session("MPI_Session_get_errhandler", session);
  *handler = communicator_error_handler(session);
  retain_error_handler(*handler);
  return MPI_SUCCESS;
}

int MPI_Session_call_errhandler(MPI_Session session, int code) {
  if (!is_session(session)) return invalid_session("MPI_Session_call_errhandler", session);
  raise_error(session, code);
  return MPI_SUCCESS;
}

}  // extern "C"
