// The blocking collectives on intracommunicators, and MPI_Reduce_local: checks of arguments, then the schedule.
#include <cstdarg>
#include <cstdio>

#include "collectives/call.hpp"
#include "memory/folded.hpp"
#include "mpi/call.hpp"

using namespace pysmpi;

namespace {

// A collective's arguments as they are checked: the first that is wrong has its error code made, and ends the call.
class Checked {
 public:
  Checked(const char* function, MPI_Comm comm) : function_(function), comm_(comm) {
    if (inside_rank() && running_fiber().outer_call) function_ = running_fiber().outer_call;
    if (call_.stopped()) {
      error_ = kErrorStopped;
      return;
    }
    communicator_ = find_communicator(comm);
    if (!communicator_ || communicator_->my_rank() < 0) {
      error_ = fail(MPI_COMM_NULL, MPI_ERR_COMM, function_, "%s",
                    communicator_ ? "the running rank is not in this communicator" : "not a communicator");
      return;
    }
    rank = communicator_->my_rank();
    size = communicator_->size();
  }

  int rank = 0, size = 1;
  Arguments a;

  bool ok() const { return error_ == MPI_SUCCESS; }
  int error() const { return error_; }

  // `vector` when the call gives one count a rank.
  bool count(std::int64_t value) {
    return value >= 0 || wrong(MPI_ERR_COUNT, "negative count %lld", static_cast<long long>(value));
  }
  bool counts(const int* vector) {
    for (int i = 0; i < size; ++i) {
      if (vector[i] < 0) return wrong(MPI_ERR_COUNT, "negative count %d for rank %d", vector[i], i);
    }
    return true;
  }
  bool given(const void* vector, const char* name) {
    return vector || wrong(MPI_ERR_ARG, "%s is a null pointer", name);
  }
  bool type(MPI_Datatype datatype) {
    return find_datatype(datatype) || wrong(MPI_ERR_TYPE, "not a datatype (handle 0x%08x)", unsigned(datatype));
  }
  bool types(const MPI_Datatype* vector) {
    for (int i = 0; i < size; ++i) {
      if (!type(vector[i])) return false;
    }
    return true;
  }
  bool root(int value) {
    a.root = value;
    return (value >= 0 && value < size) || wrong(MPI_ERR_ROOT, "invalid root %d, valid are 0 to %d", value, size - 1);
  }
  bool at_root() const { return rank == a.root; }
  bool not_in_place(const void* buffer, const char* name) {
    return buffer != MPI_IN_PLACE || wrong(MPI_ERR_BUFFER, "%s may not be MPI_IN_PLACE here", name);
  }
  // MPI_BOTTOM is a null pointer too: derived datatypes may hold absolute addresses.
  bool buffer(const void* buffer, std::int64_t count, MPI_Datatype datatype, const char* name) {
    return buffer || count == 0 || find_datatype(datatype)->size == 0 || !find_datatype(datatype)->contiguous ||
           wrong(MPI_ERR_BUFFER, "%s is a null pointer", name);
  }
  // All folded arrays share their addresses.
  bool distinct(const void* send, const void* receive, std::int64_t bytes) {
    return send != receive || bytes == 0 || send == MPI_BOTTOM || is_folded(send) ||
           wrong(MPI_ERR_BUFFER, "sendbuf and recvbuf are the same address %p; MPI_IN_PLACE says so", send);
  }
  bool operation(MPI_Op op, MPI_Datatype datatype) {
    const std::optional<Reduction> found = find_reduction(op);
    if (!found) return wrong(MPI_ERR_OP, "not an operation (handle 0x%08x)", unsigned(op));
    if (!is_reducible(*found, *find_datatype(datatype))) {
      return wrong(MPI_ERR_OP, "%s is not defined on this datatype (handle 0x%08x)", found->name, unsigned(datatype));
    }
    a.reduction = *found;
    if (found->kind != ReductionKind::kUser) op_ = op;
    return true;
  }

  // `bytes`: what all ranks have to agree on; -1: nothing.
  int run(Operation operation, std::int64_t bytes, bool rooted = false) {
    return call_collective(operation, *communicator_, a, {function_, rooted ? a.root : -1, bytes, op_});
  }

 private:
  [[gnu::format(printf, 3, 4)]] bool wrong(int error_class, const char* format, ...) {
    char text[256];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    error_ = fail(comm_, error_class, function_, "%s", text);
    return false;
  }

  Call call_;
  const char* function_;
  MPI_Comm comm_;
  MPI_Op op_ = 0;
  Communicator* communicator_ = nullptr;
  int error_ = MPI_SUCCESS;
};

// The arguments of a reduction, but for its root.
bool check_reduction(Checked& c, const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype,
                     MPI_Op op, bool receives) {
  c.a.send = sendbuf;
  c.a.receive = recvbuf;
  c.a.receive_count = count;
  c.a.receive_type = datatype;
  return c.ok() && c.count(count) && c.type(datatype) && c.operation(op, datatype) &&
         c.buffer(sendbuf, count, datatype, "sendbuf") &&
         (!receives || (c.not_in_place(recvbuf, "recvbuf") && c.buffer(recvbuf, count, datatype, "recvbuf") &&
                        c.distinct(sendbuf, recvbuf, c.a.receive_bytes())));
}

bool check_send(Checked& c, const void* sendbuf, std::int64_t count, MPI_Datatype datatype) {
  c.a.send = sendbuf;
  c.a.send_count = count;
  c.a.send_type = datatype;
  return sendbuf == MPI_IN_PLACE ||
         (c.count(count) && c.type(datatype) && c.buffer(sendbuf, count, datatype, "sendbuf"));
}

bool check_receive(Checked& c, void* recvbuf, std::int64_t count, MPI_Datatype datatype) {
  c.a.receive = recvbuf;
  c.a.receive_count = count;
  c.a.receive_type = datatype;
  return recvbuf == MPI_IN_PLACE ||
         (c.count(count) && c.type(datatype) && c.buffer(recvbuf, count, datatype, "recvbuf"));
}

bool check_send_blocks(Checked& c, const void* sendbuf, const int* counts, const int* displacements,
                       MPI_Datatype datatype) {
  c.a.send = sendbuf;
  c.a.send_counts = counts;
  c.a.send_displacements = displacements;
  c.a.send_type = datatype;
  return sendbuf == MPI_IN_PLACE ||
         (c.given(counts, "sendcounts") && c.given(displacements, "sdispls") && c.counts(counts) && c.type(datatype));
}

bool check_receive_blocks(Checked& c, void* recvbuf, const int* counts, const int* displacements,
                          MPI_Datatype datatype) {
  c.a.receive = recvbuf;
  c.a.receive_counts = counts;
  c.a.receive_displacements = displacements;
  c.a.receive_type = datatype;
  return c.given(counts, "recvcounts") && c.given(displacements, "rdispls") && c.counts(counts) && c.type(datatype);
}

}  // namespace

int MPI_Barrier(MPI_Comm comm) {
  Checked c("MPI_Barrier", comm);
  return c.ok() ? c.run(Operation::kBarrier, -1) : c.error();
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  Checked c("MPI_Bcast", comm);
  const bool good =
      c.ok() && c.root(root) && check_receive(c, buffer, count, datatype) && c.not_in_place(buffer, "buffer");
  return good ? c.run(Operation::kBcast, c.a.receive_bytes(), true) : c.error();
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
               MPI_Comm comm) {
  Checked c("MPI_Reduce", comm);
  const bool good = c.ok() && c.root(root) && check_reduction(c, sendbuf, recvbuf, count, datatype, op, c.at_root()) &&
                    (c.at_root() || c.not_in_place(sendbuf, "sendbuf"));
  return good ? c.run(Operation::kReduce, c.a.receive_bytes(), true) : c.error();
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  Checked c("MPI_Allreduce", comm);
  const bool good = check_reduction(c, sendbuf, recvbuf, count, datatype, op, true);
  return good ? c.run(Operation::kAllreduce, c.a.receive_bytes()) : c.error();
}

int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  Checked c("MPI_Scan", comm);
  const bool good = check_reduction(c, sendbuf, recvbuf, count, datatype, op, true);
  return good ? c.run(Operation::kScan, c.a.receive_bytes()) : c.error();
}

int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  Checked c("MPI_Exscan", comm);
  const bool good = check_reduction(c, sendbuf, recvbuf, count, datatype, op, c.rank > 0 || sendbuf == MPI_IN_PLACE);
  return good ? c.run(Operation::kExscan, c.a.receive_bytes()) : c.error();
}

int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm) {
  Checked c("MPI_Reduce_scatter", comm);
  if (!c.ok() || !c.given(recvcounts, "recvcounts") || !c.counts(recvcounts)) return c.error();
  std::int64_t total = 0;
  for (int i = 0; i < c.size; ++i) total += recvcounts[i];
  if (!check_reduction(c, sendbuf, recvbuf, total, datatype, op, recvcounts[c.rank] > 0)) return c.error();
  const std::int64_t bytes = c.a.receive_bytes();
  c.a.receive_counts = recvcounts;
  return c.run(Operation::kReduceScatter, bytes);
}

int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm) {
  Checked c("MPI_Reduce_scatter_block", comm);
  const bool good = check_reduction(c, sendbuf, recvbuf, recvcount, datatype, op, true);
  return good ? c.run(Operation::kReduceScatter, c.a.receive_bytes()) : c.error();
}

int MPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  Checked c("MPI_Reduce_local", MPI_COMM_SELF);
  if (!check_reduction(c, inbuf, inoutbuf, count, datatype, op, true)) return c.error();
  if (!c.not_in_place(inbuf, "inbuf")) return c.error();
  reduce(c.a.reduction, datatype, inbuf, inoutbuf, count);
  return MPI_SUCCESS;
}

int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked c("MPI_Gather", comm);
  bool good = c.ok() && c.root(root) && check_send(c, sendbuf, sendcount, sendtype);
  if (good && c.at_root()) {
    good = c.not_in_place(recvbuf, "recvbuf") && check_receive(c, recvbuf, recvcount, recvtype);
  } else if (good) {
    good = c.not_in_place(sendbuf, "sendbuf");
  }
  if (!good) return c.error();
  return c.run(Operation::kGather, sendbuf == MPI_IN_PLACE ? c.a.receive_bytes() : c.a.send_bytes(), true);
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked c("MPI_Gatherv", comm);
  bool good = c.ok() && c.root(root) && check_send(c, sendbuf, sendcount, sendtype);
  if (good && c.at_root()) {
    good = c.not_in_place(recvbuf, "recvbuf") && check_receive_blocks(c, recvbuf, recvcounts, displs, recvtype);
  } else if (good) {
    good = c.not_in_place(sendbuf, "sendbuf");
  }
  return good ? c.run(Operation::kGatherv, -1, true) : c.error();
}

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked c("MPI_Scatter", comm);
  bool good = c.ok() && c.root(root) && check_receive(c, recvbuf, recvcount, recvtype);
  if (good && c.at_root()) {
    good = c.not_in_place(sendbuf, "sendbuf") && check_send(c, sendbuf, sendcount, sendtype);
  } else if (good) {
    good = c.not_in_place(recvbuf, "recvbuf");
  }
  if (!good) return c.error();
  return c.run(Operation::kScatter, recvbuf == MPI_IN_PLACE ? c.a.send_bytes() : c.a.receive_bytes(), true);
}

int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked c("MPI_Scatterv", comm);
  bool good = c.ok() && c.root(root) && check_receive(c, recvbuf, recvcount, recvtype);
  if (good && c.at_root()) {
    good = c.not_in_place(sendbuf, "sendbuf") && check_send_blocks(c, sendbuf, sendcounts, displs, sendtype);
  } else if (good) {
    good = c.not_in_place(recvbuf, "recvbuf");
  }
  return good ? c.run(Operation::kScatterv, -1, true) : c.error();
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm) {
  Checked c("MPI_Allgather", comm);
  const bool good = c.ok() && c.not_in_place(recvbuf, "recvbuf") && check_send(c, sendbuf, sendcount, sendtype) &&
                    check_receive(c, recvbuf, recvcount, recvtype);
  return good ? c.run(Operation::kAllgather, c.a.receive_bytes()) : c.error();
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  Checked c("MPI_Allgatherv", comm);
  const bool good = c.ok() && c.not_in_place(recvbuf, "recvbuf") && check_send(c, sendbuf, sendcount, sendtype) &&
                    check_receive_blocks(c, recvbuf, recvcounts, displs, recvtype);
  return good ? c.run(Operation::kAllgatherv, -1) : c.error();
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  Checked c("MPI_Alltoall", comm);
  const bool good = c.ok() && c.not_in_place(recvbuf, "recvbuf") && check_send(c, sendbuf, sendcount, sendtype) &&
                    check_receive(c, recvbuf, recvcount, recvtype) && c.distinct(sendbuf, recvbuf, c.a.receive_bytes());
  return good ? c.run(Operation::kAlltoall, c.a.receive_bytes()) : c.error();
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  Checked c("MPI_Alltoallv", comm);
  const bool good = c.ok() && c.not_in_place(recvbuf, "recvbuf") &&
                    check_send_blocks(c, sendbuf, sendcounts, sdispls, sendtype) &&
                    check_receive_blocks(c, recvbuf, recvcounts, rdispls, recvtype);
  return good ? c.run(Operation::kAlltoallv, -1) : c.error();
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                  void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm) {
  Checked c("MPI_Alltoallw", comm);
  c.a.send_types = sendtypes;
  c.a.receive_types = recvtypes;
  const bool good = c.ok() && c.not_in_place(recvbuf, "recvbuf") &&
                    (sendbuf == MPI_IN_PLACE || (c.given(sendtypes, "sendtypes") && c.types(sendtypes))) &&
                    check_send_blocks(c, sendbuf, sendcounts, sdispls, MPI_BYTE) && c.given(recvtypes, "recvtypes") &&
                    c.types(recvtypes) && check_receive_blocks(c, recvbuf, recvcounts, rdispls, MPI_BYTE);
  return good ? c.run(Operation::kAlltoallw, -1) : c.error();
}
