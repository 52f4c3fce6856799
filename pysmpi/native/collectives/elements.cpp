// Execution of collectives on copies of buffers, whose elements have the length on which all ranks agree.
#include "collectives/elements.hpp"

#include "collectives/call.hpp"
#include "collectives/catalogue.hpp"
#include "collectives/intercommunicator.hpp"
#include "datatypes/composition.hpp"
#include "datatypes/copy.hpp"

namespace pysmpi {

namespace {

ElementLength length_of(std::int32_t type) {
  const Datatype* const datatype = find_datatype(type);
  return datatype ? ElementLength{datatype->size, datatype->extent} : ElementLength{};
}

// A temporary datatype: contiguous bytes, followed by a gap up to its extent.
class Element {
 public:
  explicit Element(const ElementLength& length) {
    Composition bytes;
    bytes.add(*find_datatype(kByte), length.size, 0);
    const Datatype made = bytes.finish();
    handle_ = add_datatype(length.extent > length.size ? resize(made, 0, length.extent) : made);
  }
  Element(const Element&) = delete;
  ~Element() {
    if (Datatype* const made = find_datatype(handle_)) free_datatype(*made);
  }
  std::int32_t type() const { return handle_; }

 private:
  std::int32_t handle_;
};

Schedule carry_out(Operation operation, Runner& run, const Arguments& args, Algorithm algorithm) {
  if (algorithm) return algorithm(run, args);
  return run.remote_size > 0 ? intercommunicator_algorithm(operation)(run, args) : collective(operation, run, args);
}

bool is_multiple(std::int64_t bytes, const ElementLength& length) { return bytes % length.size == 0; }

// Executes the collective with a copy of the send buffer in elements of length `sent`.
Schedule send_in(Operation operation, Runner& run, Arguments args, ElementLength sent, Algorithm algorithm) {
  const Element element(sent);
  const std::int64_t bytes = args.send_bytes(), count = bytes / sent.size;
  const Scratch copied(count, element.type(), args.send);
  copy(args.send, args.send_count, args.send_type, copied.data(), count, element.type());
  args.send = copied.data();
  args.send_type = element.type();
  args.send_count = count;
  co_await carry_out(operation, run, args, algorithm);
}

// Executes the collective with a copy of the receive buffer in which the blocks are contiguous.
Schedule receive_in(Operation operation, Runner& run, Arguments own, ElementLength sent, ElementLength received,
                    Algorithm algorithm) {
  const Element element(received);
  const int blocks = operation == Operation::kBcast ? 1 : own.receive_blocks;
  const std::int64_t size = find_datatype(own.receive_type)->size;
  const std::int64_t bytes = blocks * static_cast<std::int64_t>(sizeof(std::int64_t));
  const Scratch counts(bytes), begins(bytes);
  auto* const count_of = reinterpret_cast<std::int64_t*>(counts.data());
  auto* const begin_of = reinterpret_cast<std::int64_t*>(begins.data());
  std::int64_t total = 0;
  for (int i = 0; i < blocks; ++i) {
    begin_of[i] = total;
    count_of[i] = own.receive_count_of(i) * size / received.size;
    total += count_of[i];
  }
  const Scratch room(total, element.type(), own.receive);
  Arguments args = own;
  args.receive = room.data();
  args.receive_type = element.type();
  if (own.receive_counts) {
    args.receive_counts = count_of;
    args.receive_displacements = begin_of;
  } else {
    args.receive_count = count_of[0];
  }
  const auto block = [&](int i) {
    return own.receive_at(own.receive_counts ? own.receive_displacements[i] : i * own.receive_count);
  };
  const bool bcast = operation == Operation::kBcast, broadcasts = bcast && run.remote_size == 0 && run.rank == own.root;
  if (broadcasts || own.in_place) {
    const int there = bcast ? 0 : run.rank;
    copy(block(there), own.receive_count_of(there), own.receive_type, args.receive_at(begin_of[there]), count_of[there],
         element.type());
    if (own.in_place) {
      args.send = args.receive_at(begin_of[there]);
      args.send_count = count_of[there];
      args.send_type = element.type();
    }
  }
  co_await collective_in_elements(operation, run, args, sent, {}, algorithm);
  for (int i = 0; i < blocks && !broadcasts; ++i) {
    copy(args.receive_at(begin_of[i]), count_of[i], element.type(), block(i), own.receive_count_of(i),
         own.receive_type);
  }
}

}  // namespace

void note_elements(Operation operation, const Arguments& args, CollectiveSignature& signature) {
  switch (operation) {
    case Operation::kAllgather:
    case Operation::kGather:
      signature.sent = length_of(args.send == kInPlace ? args.receive_type : args.send_type);
      if (operation == Operation::kGather) break;
      [[fallthrough]];
    case Operation::kBcast:
      if (args.root < 0) break;  // this rank is in the root's group of an intercommunicator and receives nothing
      signature.received = length_of(args.receive_type);
      break;
    case Operation::kAllgatherv:
      signature.received = length_of(args.receive_type);
      break;
    default:
      break;
  }
}

Schedule collective_in_elements(Operation operation, Runner& run, const Arguments& args, const ElementLength& sent,
                                const ElementLength& received, Algorithm algorithm) {
  const bool receives = operation != Operation::kBcast || args.root >= 0;
  const bool other_received = receives && received.size > 0 && !(length_of(args.receive_type) == received);
  if (other_received) {
    const std::int64_t size = find_datatype(args.receive_type)->size;
    const int blocks = args.receive_counts ? args.receive_blocks : 1;
    bool whole = true;
    for (int i = 0; i < blocks && whole; ++i) whole = is_multiple(args.receive_count_of(i) * size, received);
    if (whole) return receive_in(operation, run, args, sent, received, algorithm);
  }
  const bool other_sent = sent.size > 0 && !(length_of(args.send_type) == sent);
  if (other_sent && is_multiple(args.send_bytes(), sent)) return send_in(operation, run, args, sent, algorithm);
  return carry_out(operation, run, args, algorithm);
}

}  // namespace pysmpi
