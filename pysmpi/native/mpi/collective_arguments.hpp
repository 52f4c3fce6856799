// The arguments of collectives as their MPI functions check them.
#pragma once

#include <cstdint>

#include "collectives/call.hpp"
#include "engine/call.hpp"
#include "mpi/mpi.h"
#include "objects/errors.hpp"

namespace pysmpi {

enum class Form : std::uint8_t { kBlocking, kNonblocking, kPersistent };

// Which of the MPI functions of a collective has been called.
struct Called {
  const char* function;
  Form form = Form::kBlocking;
  MPI_Request* request = nullptr;
};

// A collective's arguments as they are checked: the first that is wrong has its error code made, and ends the call.
// They lie in one place for all calls and not on the C stack, of which each blocked rank keeps a copy: nothing blocks
// between the checks and the beginning of the schedule, which has arguments of its own.
class Checked {
 public:
  Checked(const Called& called, MPI_Comm comm);

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
  bool distinct(const void* send, const void* receive, std::int64_t bytes);
  bool operation(MPI_Op op, MPI_Datatype datatype);

  // Rooted collectives. The running rank is the root; and it is one of those to or from whom the root moves data: all
  // ranks, or those of the other group.
  bool root(int value);
  bool at_root() const { return a.at_root; }
  bool has_root() const { return !inter() || a.root >= 0; }

  bool inter() const { return communicator_->inter(); }
  bool intra();          // an error when it is not
  bool neighbourhood();  // the blocks are those of the rank's neighbours

  // One side of a call, into the arguments too.
  bool send(const void* sendbuf, std::int64_t count, MPI_Datatype datatype);
  bool receive(void* recvbuf, std::int64_t count, MPI_Datatype datatype);
  bool send_blocks(const void* sendbuf, Integers counts, Integers displacements, MPI_Datatype datatype);
  bool send_types(const void* sendbuf, Integers types);
  bool receive_types(Integers types);
  bool receive_blocks(void* recvbuf, Integers counts, Integers displacements, MPI_Datatype datatype);

  // The arguments of a reduction, but for its root. `sends`, `receives`: which buffers it has.
  bool reduction(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype, MPI_Op op,
                 bool receives, bool sends = true);

  // `bytes`: what all ranks have to agree on; -1: nothing.
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
