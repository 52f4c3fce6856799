// Initialisation and finalisation, clocks, versions and names. mpi4py calls some of these after the interpreter's end,
// so they do not use Python.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/options.hpp"
#include "collectives/posted.hpp"
#include "engine/c_api.h"
#include "engine/fiber.hpp"
#include "engine/foreign_call.hpp"
#include "isolation/c_api.h"
#include "matching/communicator.hpp"
#include "mpi/requests.hpp"
#include "objects/attributes.hpp"
#include "schedule/running.hpp"
#include "version.hpp"

using namespace pysmpi;

extern "C" {
int* const MPI_UNWEIGHTED = reinterpret_cast<int*>(1);
int* const MPI_WEIGHTS_EMPTY = reinterpret_cast<int*>(2);
MPI_Fint* const MPI_F_STATUS_IGNORE = reinterpret_cast<MPI_Fint*>(1);
MPI_Fint* const MPI_F_STATUSES_IGNORE = reinterpret_cast<MPI_Fint*>(1);
MPI_F08_status* const MPI_F08_STATUS_IGNORE = reinterpret_cast<MPI_F08_status*>(1);
MPI_F08_status* const MPI_F08_STATUSES_IGNORE = reinterpret_cast<MPI_F08_status*>(1);
}

namespace {

void copy_string(const std::string& text, char* out, int* length) {
  std::memcpy(out, text.c_str(), text.size() + 1);
  *length = static_cast<int>(text.size());
}

// Returns the running rank's first thread, which stores the state common to all its threads.
Fiber& first_fiber() { return simulation().fibers[running_fiber().rank]; }

}  // namespace

int MPI_Init(int* argc, char*** argv) {
  int provided = 0;
  return MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

int MPI_Init_thread(int*, char***, int required, int* provided) {
  *provided = std::clamp(required, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
  if (!inside_rank()) return MPI_SUCCESS;
  first_fiber().initialized = true;
  first_fiber().thread_level = static_cast<std::uint8_t>(*provided);
  return options().init_cost <= 0.0 || sleep_for(options().init_cost, "MPI_Init", Spent::kOther) ? MPI_SUCCESS
                                                                                                 : kErrorStopped;
}

int MPI_Initialized(int* flag) {
  *flag = !inside_rank() || first_fiber().initialized;
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  if (!inside_rank()) return MPI_SUCCESS;
  Call call("MPI_Finalize");
  if (call.stopped()) return kErrorStopped;
  const int code = delete_attributes(AttributeHolder::kCommunicator, MPI_COMM_SELF);  // MPI 4.1, section 11.2.4
  if (code != MPI_SUCCESS) return code;
  const RankId rank = running_fiber().rank;
  for (RequestId id; (id = schedule_under_way(rank)) != kNone || (id = posted_under_way(rank)) != kNone;) {
    if (!run(await_end(id, "MPI_Finalize"))) return kErrorStopped;  // collectives need this rank's part
  }
  first_fiber().finalized = true;
  return MPI_SUCCESS;
}

int MPI_Finalized(int* flag) {
  *flag = inside_rank() && first_fiber().finalized;
  return MPI_SUCCESS;
}

int MPI_Query_thread(int* provided) {
  *provided = inside_rank() ? first_fiber().thread_level : MPI_THREAD_MULTIPLE;
  return MPI_SUCCESS;
}

int MPI_Is_thread_main(int* flag) {
  *flag = !inside_rank() || running_fiber().number == running_fiber().rank;
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm, int errorcode) {
  if (!inside_rank() || Simulation::in_child_process) {
    std::fprintf(stderr, "MPI_Abort(%d) called outside the ranks of a simulation\n", errorcode);
    std::_Exit(errorcode);
  }
  pysmpi_abort(errorcode);
  leave_foreign_call(running_fiber());  // compiled code does not expect MPI_Abort to return
  return kErrorStopped;
}

int MPI_Get_version(int* version, int* subversion) {
  *version = 4;
  *subversion = 1;
  return MPI_SUCCESS;
}

int MPI_Get_library_version(char* version, int* resultlen) {
  copy_string("pysmpi " PYSMPI_VERSION " (simulated; MPICH ABI)", version, resultlen);
  return MPI_SUCCESS;
}

int MPI_Get_processor_name(char* name, int* resultlen) {
  std::string host = "localhost";
  if (inside_rank()) {
    note_dependence_on_rank("MPI_Get_processor_name");
    host = current_platform()->host(simulation().host_of(simulation().running)).name;
  }
  if (host.size() >= MPI_MAX_PROCESSOR_NAME) host.resize(MPI_MAX_PROCESSOR_NAME - 1);
  copy_string(host, name, resultlen);
  return MPI_SUCCESS;
}

double MPI_Wtime(void) {
  if (Simulation::in_child_process) return pysmpi_real_time();
  if (!inside_rank() || is_sampled()) return pysmpi_now();
  const Outside outside(running_fiber());  // reading the clock makes no progress
  Call call("MPI_Wtime");
  return call.stopped() ? simulation().now : read_clock();
}

double MPI_Wtick(void) { return options().precision_timing; }

int MPI_Pcontrol(const int, ...) { return MPI_SUCCESS; }

int MPI_Alloc_mem(MPI_Aint size, MPI_Info, void* baseptr) {
  if (size < 0) return fail(MPI_COMM_NULL, MPI_ERR_ARG, "MPI_Alloc_mem", "negative size %ld", size);
  void* memory = std::malloc(size > 0 ? size : 1);
  if (!memory) return fail(MPI_COMM_NULL, MPI_ERR_NO_MEM, "MPI_Alloc_mem", "cannot allocate %ld bytes", size);
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}

int MPI_Free_mem(void* base) {
  std::free(base);
  return MPI_SUCCESS;
}

int MPI_Get_address(const void* location, MPI_Aint* address) {
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp) { return base + disp; }
MPI_Aint MPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) { return addr1 - addr2; }

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  const Communicator* communicator = find_own_communicator(comm);
  if (!communicator) return fail(MPI_COMM_NULL, MPI_ERR_COMM, "MPI_Comm_rank", "the handle is not a communicator");
  if (inside_rank()) {
    note_dependence_on_rank("MPI_Comm_rank");
    begin_computation();
  }
  *rank = communicator->my_rank();
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  const Communicator* communicator = find_own_communicator(comm);
  if (!communicator) return fail(MPI_COMM_NULL, MPI_ERR_COMM, "MPI_Comm_size", "the handle is not a communicator");
  if (inside_rank()) begin_computation();
  *size = communicator->size();
  return MPI_SUCCESS;
}
