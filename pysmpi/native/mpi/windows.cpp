// Queries of windows: memory, attributes, error handlers. pysmpi/simulation/mpi/window.py creates and frees windows.
#include "mpi/windows.hpp"

#include "engine/simulation.hpp"
#include "objects/attributes.hpp"
#include "objects/error_handler.hpp"
#include "objects/errors.hpp"

using namespace pysmpi;

namespace pysmpi {

Window* checked_window(const char* function, MPI_Win win, int& error) {
  Window* const found = find_window(win);
  if (found && found->communicator->my_rank() >= 0) return found;
  if (win == MPI_WIN_NULL) {
    error = fail(MPI_COMM_NULL, MPI_ERR_WIN, function, "the window is MPI_WIN_NULL");
  } else {
    error = fail(MPI_COMM_NULL, MPI_ERR_WIN, function, "%s 0x%08x%s",
                 found ? "the running rank is not in the window" : "no window has the handle",
                 static_cast<unsigned>(win), found ? "" : "; was it freed?");
  }
  return nullptr;
}

bool is_member(const char* function, const Window& window, int rank, int& error) {
  if (rank >= 0 && rank < window.size()) return true;
  error = fail(window.handle, MPI_ERR_RANK, function, "invalid rank %d; valid: 0 to %d", rank, window.size() - 1);
  return false;
}

}  // namespace pysmpi

namespace {

bool find_predefined(Window& window, int key, void** value) {
  WindowMember& mine = window.mine();
  switch (key) {
    case MPI_WIN_BASE:
      *value = mine.base;
      return true;
    case MPI_WIN_SIZE:
      *value = &mine.size;
      return true;
    case MPI_WIN_DISP_UNIT:
      *value = &mine.displacement_unit_as_int;
      return true;
    case MPI_WIN_CREATE_FLAVOR:
      *value = &window.flavor_as_int;
      return true;
    case MPI_WIN_MODEL:
      *value = &window.model;
      return true;
    default:
      return false;
  }
}

bool is_readable(const char* function, const Window& window, int key, int& error) {
  if (is_key(AttributeHolder::kWindow, key)) return true;
  error = fail(window.handle, MPI_ERR_KEYVAL, function,
               "no attribute key 0x%08x for this kind of object; was it freed?", key);
  return false;
}

bool on_my_host(const Window& window, int member) {
  if (!inside_rank()) return true;
  const Simulation& engine = simulation();
  return engine.host_of(window.world(member)) == engine.host_of(engine.running);
}

// Returns whether the member's memory can be accessed directly: memory of a shared window, memory that the window
// allocated on the same host, or the rank's own memory.
bool is_accessible(const Window& window, int member) {
  if (member == window.communicator->my_rank() || window.flavor == WindowFlavor::kShared) return true;
  return window.flavor == WindowFlavor::kAllocate && on_my_host(window, member);
}

template <class Unit>
int shared_query(const char* function, MPI_Win win, int rank, MPI_Aint* size, Unit* unit, void* baseptr) {
  int error = MPI_SUCCESS;
  const Window* const window = checked_window(function, win, error);
  if (!window) return error;
  if (window->flavor == WindowFlavor::kDynamic) {
    return fail(win, MPI_ERR_RMA_FLAVOR, function, "a dynamic window has no memory to query");
  }
  if (rank == MPI_PROC_NULL) {  // the first member with memory
    rank = 0;
    while (rank < window->size() - 1 && window->members[rank].size == 0) ++rank;
  } else if (!is_member(function, *window, rank, error)) {
    return error;
  }
  const WindowMember& member = window->members[rank];
  const bool accessible = is_accessible(*window, rank);
  *size = accessible ? member.size : 0;
  *unit = static_cast<Unit>(member.displacement_unit);
  *static_cast<void**>(baseptr) = accessible ? member.base : nullptr;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr) {
  return shared_query("MPI_Win_shared_query", win, rank, size, disp_unit, baseptr);
}
int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* disp_unit, void* baseptr) {
  return shared_query("MPI_Win_shared_query", win, rank, size, disp_unit, baseptr);
}

int MPI_Win_get_attr(MPI_Win win, int key, void* value, int* flag) {
  int error = MPI_SUCCESS;
  Window* const window = checked_window("MPI_Win_get_attr", win, error);
  if (!window) return error;
  *flag = find_predefined(*window, key, static_cast<void**>(value));
  if (*flag) return MPI_SUCCESS;
  if (!is_readable("MPI_Win_get_attr", *window, key, error)) return error;
  *flag = find_attribute(AttributeHolder::kWindow, win, key, static_cast<void**>(value));
  return MPI_SUCCESS;
}

int MPI_Win_set_attr(MPI_Win win, int key, void* value) {
  int error = MPI_SUCCESS;
  const Window* const window = checked_window("MPI_Win_set_attr", win, error);
  if (!window || !is_readable("MPI_Win_set_attr", *window, key, error)) return error;
  return set_attribute(AttributeHolder::kWindow, win, key, value);
}

int MPI_Win_delete_attr(MPI_Win win, int key) {
  int error = MPI_SUCCESS;
  const Window* const window = checked_window("MPI_Win_delete_attr", win, error);
  if (!window || !is_readable("MPI_Win_delete_attr", *window, key, error)) return error;
  return delete_attribute(AttributeHolder::kWindow, win, key);
}

int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler) {
  int error = MPI_SUCCESS;
  if (!checked_window("MPI_Win_set_errhandler", win, error)) return error;
  if (!is_error_handler(handler, HandledObject::kWindow)) {
    return fail(win, MPI_ERR_ERRHANDLER, "MPI_Win_set_errhandler", "0x%08x is not an error handler for windows",
                handler);
  }
  set_communicator_error_handler(win, handler);
  return MPI_SUCCESS;
}

int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* handler) {
  int error = MPI_SUCCESS;
  if (!checked_window("MPI_Win_get_errhandler", win, error)) return error;
  *handler = communicator_error_handler(win);
  retain_error_handler(*handler);
  return MPI_SUCCESS;
}

int MPI_Win_call_errhandler(MPI_Win win, int code) {
  int error = MPI_SUCCESS;
  if (!checked_window("MPI_Win_call_errhandler", win, error)) return error;
  raise_error(win, code);
  return MPI_SUCCESS;
}

}  // extern "C"
