// Checks of the arguments of collectives, and the start of the collective.
#pragma once

#include <cstdint>

#include "collectives/call.hpp"
#include "engine/call.hpp"
#include "mpi/mpi.h"
#include "objects/errors.hpp"

namespace pysmpi {

enum class Form : std::uint8_t { kBlocking, kNonblocking, kPersistent };

// The MPI function that the program called.
struct Called {
  const char* function;
  Form form = Form::kBlocking;
  MPI_Request* request = nullptr;
};

// The arguments of a collective while they are checked. The first invalid argument produces an error code and ends the
// call. One static object serves all calls, so that the arguments do not occupy the C stack, of which each blocked rank
// keeps a copy. This is safe because no rank blocks between the checks and the start of the schedule, which copies the
// arguments.
class Checked {
 public:
  Checked(const Called& called, MPI_Comm comm);
  // Checks the arguments of a function that has no communicator.
  explicit Checked(const Called& called) : Checked(called, MPI_COMM_SELF) { comm_ = MPI_COMM_NULL; }

  int rank = 0, size = 1;
  Arguments& a;

  bool ok() const { return error_ == MPI_SUCCESS; }
  int error() const { return error_; }

  bool count(std::int64_t value);
  bool counts(const Integers& vector, int length);
  bool given(const Integers& vector, const char* name);
  bool type(MPI_Datatype datatype);
  bool types(const Integers& vector, int length);
  bool not_in_place(const void* buffer, const char* name);
  bool buffer(const void* buffer, std::int64_t count, MPI_Datatype datatype, const char* name);
  bool buffer_of_blocks(const void* buffer, const Integers& counts, const Integers& displacements,
                        const Integers& types, int blocks, MPI_Datatype datatype, const char* name);

  // Check that the send and receive sides do not overlap. distinct() checks two blocks. own_blocks_distinct() checks
  // the blocks that the rank exchanges with itself, where each side consists of one or several blocks.
  bool distinct(const void* send, MPI_Datatype send_type, const void* receive, MPI_Datatype receive_type,
                std::int64_t count);
  bool own_blocks_distinct(bool several_sent, bool several_received);
  bool operation(MPI_Op op, MPI_Datatype datatype);

  // Functions for collectives with a root. root() checks the root argument. at_root() returns whether the running rank
  // is the root. has_root() returns whether the rank exchanges data with the root. This holds for all ranks of an
  // intracommunicator; on an intercommunicator, for the ranks of the group without the root.
  bool root(int value);
  bool at_root() const { return a.at_root; }
  bool has_root() const { return !inter() || a.root >= 0; }

  bool inter() const { return communicator_->inter(); }
  bool intra();          // checks that the communicator is not an intercommunicator
  bool neighbourhood();  // checks the topology; from then on, there is a block for each neighbour

  // Check one side of the call and store it in the arguments.
  bool send(const void* sendbuf, std::int64_t count, MPI_Datatype datatype);
  bool receive(void* recvbuf, std::int64_t count, MPI_Datatype datatype);
  bool send_blocks(const void* sendbuf, Integers counts, Integers displacements, MPI_Datatype datatype);
  bool send_types(const void* sendbuf, Integers types);
  bool receive_types(Integers types);
  bool receive_blocks(void* recvbuf, Integers counts, Integers displacements, MPI_Datatype datatype);

  // Checks the arguments of a reduction, except its root. `sends` and `receives` say which buffers the rank has.
  bool reduction(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype, MPI_Op op,
                 bool receives, bool sends = true);

  // Executes or starts the collective. `bytes` must agree on all ranks, or is -1 if no agreement is required.
  int run(Operation operation, std::int64_t bytes, bool rooted = false);

 private:
  [[gnu::format(printf, 3, 4)]] bool wrong(int error_class, const char* format, ...);

  Call call_;
  Called called_;
  MPI_Comm comm_;
  MPI_Op op_ = 0;
  Communicator* communicator_ = nullptr;
  int error_ = MPI_SUCCESS;
};

}  // namespace pysmpi
