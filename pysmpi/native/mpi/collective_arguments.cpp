// Checks of the arguments of collectives.
#include "mpi/collective_arguments.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "collectives/persistent.hpp"
#include "datatypes/checks.hpp"
#include "mpi/requests.hpp"
#include "rank_memory/folded.hpp"

namespace pysmpi {

namespace {
CollectiveCall checked_call;
}

Checked::Checked(const Called& called, MPI_Comm comm)
    : a(checked_call.a), call_(called.function), called_(called), comm_(comm) {
  a = {};
  if (inside_rank() && running_fiber().outer_call) called_.function = running_fiber().outer_call;
  if (call_.stopped()) {
    error_ = kErrorStopped;
    return;
  }
  communicator_ = find_own_communicator(comm);
  if (!communicator_ || communicator_->my_rank() < 0) {
    error_ = fail(MPI_COMM_NULL, MPI_ERR_COMM, called_.function, "%s",
                  communicator_ ? "the running rank is not in this communicator" : "the handle is not a communicator");
    return;
  }
  rank = communicator_->my_rank();
  size = communicator_->size();
  a.send_blocks = a.receive_blocks = communicator_->peer_count();
}

bool Checked::count(std::int64_t value) {
  return value >= 0 || wrong(MPI_ERR_COUNT, "negative count %lld", static_cast<long long>(value));
}

bool Checked::counts(const Integers& vector, int length) {
  for (int i = 0; i < length; ++i) {
    if (vector[i] < 0) {
      return wrong(MPI_ERR_COUNT, "negative count %lld for rank %d", static_cast<long long>(vector[i]), i);
    }
  }
  return true;
}

bool Checked::given(const Integers& vector, const char* name) {
  return vector || wrong(MPI_ERR_ARG, "%s is a null pointer", name);
}

bool Checked::type(MPI_Datatype datatype) {
  return committed_datatype(datatype) || wrong(MPI_ERR_TYPE, "%s", describe_unusable(datatype).c_str());
}

bool Checked::types(const Integers& vector, int length) {
  for (int i = 0; i < length; ++i) {
    if (!type(static_cast<MPI_Datatype>(vector[i]))) return false;
  }
  return true;
}

bool Checked::not_in_place(const void* buffer, const char* name) {
  return buffer != MPI_IN_PLACE || wrong(MPI_ERR_BUFFER, "%s may not be MPI_IN_PLACE here", name);
}

bool Checked::buffer(const void* buffer, std::int64_t count, MPI_Datatype datatype, const char* name) {
  if (buffer == MPI_IN_PLACE) return true;  // see not_in_place
  const char* const fault = buffer_fault(buffer, count, *find_datatype(datatype));
  return !fault || wrong(MPI_ERR_BUFFER, "%s %s", name, fault);
}

// Displacements in bytes, which calls with several datatypes have, may be absolute addresses if the buffer is
// MPI_BOTTOM.
bool Checked::buffer_of_blocks(const void* buffer, const Integers& counts, const Integers& displacements,
                               const Integers& types, int blocks, MPI_Datatype datatype, const char* name) {
  if (buffer) return true;
  for (int i = 0; i < blocks; ++i) {
    if (types && displacements[i] != 0) continue;
    const auto type = types ? static_cast<MPI_Datatype>(types[i]) : datatype;
    if (!this->buffer(buffer, counts[i], type, name)) return false;
  }
  return true;
}

// Two blocks overlap for certain if they begin at the same address and their datatypes have no gaps or are the same.
// Folded arrays (rank_memory/folded.hpp) share addresses, so equal addresses are valid there.
bool Checked::distinct(const void* send, MPI_Datatype send_type, const void* receive, MPI_Datatype receive_type,
                       std::int64_t count) {
  if (send != receive || count == 0 || send == MPI_BOTTOM || is_folded(send)) return true;
  const Datatype &from = *find_datatype(send_type), &to = *find_datatype(receive_type);
  const bool overlap = from.size > 0 && (send_type == receive_type || (from.contiguous && to.contiguous));
  return !overlap || wrong(MPI_ERR_BUFFER, "sendbuf and recvbuf have the same address %p; use MPI_IN_PLACE", send);
}

namespace {

// One side of a call, reduced to the block that the running rank exchanges with itself.
struct OwnBlock {
  const char* address;
  MPI_Datatype type;
  std::int64_t count;

  OwnBlock(const void* buffer, int place, std::int64_t each, const Integers& counts, const Integers& displacements,
           const Integers& types, MPI_Datatype datatype)
      : address(static_cast<const char*>(buffer)),
        type(types ? static_cast<MPI_Datatype>(types[place]) : datatype),
        count(counts ? counts[place] : each) {
    if (types) {
      address += displacements[place];
    } else {
      address += (counts ? displacements[place] : place * each) * find_datatype(datatype)->extent;
    }
  }
};

}  // namespace

bool Checked::own_blocks_distinct(bool several_sent, bool several_received) {
  if (inter() || a.send == MPI_IN_PLACE || a.receive == MPI_IN_PLACE) return true;
  const OwnBlock from(a.send, several_sent ? rank : 0, a.send_count, a.send_counts, a.send_displacements, a.send_types,
                      a.send_type);
  const OwnBlock to(a.receive, several_received ? rank : 0, a.receive_count, a.receive_counts, a.receive_displacements,
                    a.receive_types, a.receive_type);
  return distinct(from.address, from.type, to.address, to.type, std::min(from.count, to.count));
}

bool Checked::operation(MPI_Op op, MPI_Datatype datatype) {
  const std::optional<Reduction> found = find_reduction(op);
  if (!found) return wrong(MPI_ERR_OP, "the handle 0x%08x is not an operation", unsigned(op));
  if (!is_reducible(*found, *find_datatype(datatype))) {
    return wrong(MPI_ERR_OP, "%s is not defined on this datatype (handle 0x%08x)", found->name, unsigned(datatype));
  }
  a.reduction = *found;
  if (found->kind != ReductionKind::kUser) op_ = op;
  return true;
}

bool Checked::intra() {
  return !inter() || wrong(MPI_ERR_COMM, "this collective is not defined on intercommunicators");
}

bool Checked::neighbourhood() {
  if (!communicator_->topology) return wrong(MPI_ERR_TOPOLOGY, "the communicator has no topology");
  std::vector<std::int32_t> sources, destinations;
  communicator_->topology->neighbours(rank, sources, destinations);
  a.receive_blocks = static_cast<std::int32_t>(sources.size());
  a.send_blocks = static_cast<std::int32_t>(destinations.size());
  return true;
}

bool Checked::root(int value) {
  a.root = value;
  if (inter()) {
    a.at_root = value == MPI_ROOT;
    return at_root() || value == MPI_PROC_NULL || (value >= 0 && value < communicator_->peer_count()) ||
           wrong(MPI_ERR_ROOT, "invalid root %d; valid: 0 to %d, MPI_ROOT and MPI_PROC_NULL", value,
                 communicator_->peer_count() - 1);
  }
  a.at_root = value == rank;
  return (value >= 0 && value < size) || wrong(MPI_ERR_ROOT, "invalid root %d; valid: 0 to %d", value, size - 1);
}

bool Checked::send(const void* sendbuf, std::int64_t count, MPI_Datatype datatype) {
  a.send = sendbuf;
  if (sendbuf == MPI_IN_PLACE) return !inter() || not_in_place(sendbuf, "sendbuf");
  a.send_count = count;
  a.send_type = datatype;
  return this->count(count) && type(datatype) && (a.send_blocks == 0 || buffer(sendbuf, count, datatype, "sendbuf"));
}

bool Checked::receive(void* recvbuf, std::int64_t count, MPI_Datatype datatype) {
  a.receive = recvbuf;
  if (recvbuf == MPI_IN_PLACE) return true;
  a.receive_count = count;
  a.receive_type = datatype;
  return this->count(count) && type(datatype) && (a.receive_blocks == 0 || buffer(recvbuf, count, datatype, "recvbuf"));
}

bool Checked::send_blocks(const void* sendbuf, Integers counts, Integers displacements, MPI_Datatype datatype) {
  a.send = sendbuf;
  if (sendbuf == MPI_IN_PLACE) return !inter() || not_in_place(sendbuf, "sendbuf");
  a.send_counts = counts;
  a.send_displacements = displacements;
  a.send_type = datatype;
  return a.send_blocks == 0 ||
         (given(counts, "sendcounts") && given(displacements, "sdispls") && this->counts(counts, a.send_blocks) &&
          type(datatype) &&
          buffer_of_blocks(sendbuf, counts, displacements, a.send_types, a.send_blocks, datatype, "sendbuf"));
}

bool Checked::send_types(const void* sendbuf, Integers types) {
  if (sendbuf == MPI_IN_PLACE) return true;
  a.send_types = types;
  return a.send_blocks == 0 || (given(types, "sendtypes") && this->types(types, a.send_blocks));
}

bool Checked::receive_types(Integers types) {
  a.receive_types = types;
  return a.receive_blocks == 0 || (given(types, "recvtypes") && this->types(types, a.receive_blocks));
}

bool Checked::receive_blocks(void* recvbuf, Integers counts, Integers displacements, MPI_Datatype datatype) {
  a.receive = recvbuf;
  a.receive_counts = counts;
  a.receive_displacements = displacements;
  a.receive_type = datatype;
  return a.receive_blocks == 0 ||
         (given(counts, "recvcounts") && given(displacements, "rdispls") && this->counts(counts, a.receive_blocks) &&
          type(datatype) &&
          buffer_of_blocks(recvbuf, counts, displacements, a.receive_types, a.receive_blocks, datatype, "recvbuf"));
}

bool Checked::reduction(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype, MPI_Op op,
                        bool receives, bool sends) {
  a.send = sendbuf;
  a.receive = recvbuf;
  a.receive_count = count;
  a.receive_type = datatype;
  return ok() && this->count(count) && type(datatype) && operation(op, datatype) &&
         (!sends || (buffer(sendbuf, count, datatype, "sendbuf") && (!inter() || not_in_place(sendbuf, "sendbuf")))) &&
         (!receives || (not_in_place(recvbuf, "recvbuf") && buffer(recvbuf, count, datatype, "recvbuf"))) &&
         (!sends || !receives || distinct(sendbuf, datatype, recvbuf, datatype, count));
}

int Checked::run(Operation operation, std::int64_t bytes, bool rooted) {
  CollectiveCall& call = checked_call;
  call.operation = operation;
  call.communicator = communicator_;
  call.signature = {.call = called_.function, .root = rooted ? a.root : -1, .bytes = bytes, .reduction = op_};
  if (inter()) call.signature.root = call.signature.bytes = -1;  // root and bytes differ between the two groups
  if (called_.form == Form::kBlocking) return run_collective(call);
  RequestId id = kNone;
  const int error =
      called_.form == Form::kNonblocking ? start_collective(call, id) : make_persistent_collective(call, id);
  *called_.request = error == MPI_SUCCESS ? handle_of(id) : MPI_REQUEST_NULL;
  return error;
}

bool Checked::wrong(int error_class, const char* format, ...) {
  char text[256];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  error_ = fail(comm_, error_class, called_.function, "%s", text);
  return false;
}

}  // namespace pysmpi
