// Comparison of the calls with which the ranks of a communicator enter one collective.
#include "instrumentation/check/meetings.hpp"

#include <cstring>
#include <utility>

#include "datatypes/predefined.hpp"
#include "engine/simulation.hpp"
#include "instrumentation/check/blocks.hpp"
#include "instrumentation/check/call_order.hpp"
#include "instrumentation/check/places.hpp"
#include "instrumentation/check/signatures.hpp"

namespace pysmpi {

namespace {

std::string rank_name(const Party& party) { return "rank " + std::to_string(party.rank); }

std::string describe(const Amount& amount) {
  if (amount.count < 0) return std::to_string(amount.bytes) + " bytes in blocks of different lengths";
  const Datatype* const type = find_datatype(amount.type);  // null in a call that passes no data
  return type ? describe(amount.count, *type) : "nothing";
}

bool is_rooted(Operation operation) {
  switch (operation) {
    case Operation::kBcast:
    case Operation::kReduce:
    case Operation::kGather:
    case Operation::kGatherv:
    case Operation::kScatter:
    case Operation::kScatterv:
      return true;
    default:
      return false;
  }
}

// Return whether all ranks must pass MPI_IN_PLACE, or none (MPI 4.1, section 6).
bool is_in_place_together(Operation operation) {
  switch (operation) {
    case Operation::kAllreduce:
    case Operation::kAllgather:
    case Operation::kAllgatherv:
    case Operation::kAlltoall:
    case Operation::kAlltoallv:
    case Operation::kAlltoallw:
      return true;
    default:
      return false;
  }
}

RankId world_root(const CollectiveCall& call, const Party& own) {
  if (!is_rooted(call.operation)) return -1;
  const Communicator& communicator = *call.communicator;
  if (!communicator.inter()) return communicator.world(call.a.root);
  if (call.a.at_root) return own.rank;
  return call.a.root < 0 ? -1 : communicator.remote->world(call.a.root);
}

// Compares one rank's call with that of the first rank that entered; in gathers and scatters, also the amounts of data
// with those of the root.
class Comparison {
 public:
  Comparison(const CollectiveCall& call, const Party& own, Meeting& meeting)
      : call_(call), own_(own), meeting_(meeting) {}

  bool same_arguments();
  void data();
  void settle();

 private:
  void report(const char* kind, const Party& other, const std::string& mine, const std::string& theirs);
  void uniform(int slot, const Amount& amount, std::vector<Amount> blocks = {});
  void allgather(int group);
  void rooted(bool gathers);
  void pair(const Meeting::Other& other, const Party& at_root, const Amount& of_root, bool gathers);

  const CollectiveCall& call_;
  const Party own_;
  Meeting& meeting_;
};

void Comparison::report(const char* kind, const Party& other, const std::string& mine, const std::string& theirs) {
  if (Finding* const found = note_finding(kind, own_, other)) {
    found->text = rank_name(own_) + " calls " + call_.signature.call + mine + at(own_) + ", " + rank_name(other) +
                  theirs + at(other) + on(*call_.communicator);
  }
}

bool Comparison::same_arguments() {
  const RankId root = world_root(call_, own_);
  if (root >= 0 && meeting_.root && root != meeting_.root->value) {
    const auto named = [this](std::int32_t argument, RankId world) {
      return call_.communicator->inter() ? "rank " + std::to_string(world) + " as the root"
                                         : "root " + std::to_string(argument);
    };
    report("mismatched-root", meeting_.root->party, " with " + named(call_.a.root, root),
           " with " + named(meeting_.root->argument, meeting_.root->value));
    return false;
  }
  if (root >= 0 && !meeting_.root) meeting_.root = {own_, root, call_.a.root};
  const bool reduces = call_.a.reduction.name != nullptr;
  const std::int32_t reduction = call_.signature.reduction;
  if (reduces && !meeting_.reduction) meeting_.reduction = {own_, reduction, reduction};
  if (reduces && reduction != meeting_.reduction->value) {
    const auto named = [](std::int32_t handle) {
      return handle ? find_reduction(handle)->name : "a user-defined operation";
    };
    report("mismatched-operation", meeting_.reduction->party, std::string(" with ") + named(reduction),
           std::string(" with ") + named(meeting_.reduction->value));
    return false;
  }
  const bool in_place = call_.a.send == kInPlace;
  if (is_in_place_together(call_.operation) && in_place != meeting_.in_place) {
    report("mismatched-in-place", meeting_.first, in_place ? " with MPI_IN_PLACE" : " without MPI_IN_PLACE",
           in_place ? " without it" : " with it");
    return false;
  }
  return true;
}

void Comparison::uniform(int slot, const Amount& amount, std::vector<Amount> blocks) {
  std::optional<Meeting::Uniform>& known = meeting_.uniform[slot];
  if (!known) {
    known = {own_, amount, std::move(blocks)};
    return;
  }
  const bool same_counts = same_length(amount, known->amount);
  if (same_counts && same_types(amount, known->amount)) return;
  const char* const kind = same_counts ? "mismatched-datatype" : "mismatched-count";
  const auto differ = [same_counts](const Amount& one, const Amount& other) {
    return same_counts ? !same_types(one, other) : one.bytes != other.bytes;
  };
  std::size_t i = 0;
  while (i < blocks.size() && i < known->blocks.size() && !differ(blocks[i], known->blocks[i])) ++i;
  if (i < blocks.size() && i < known->blocks.size()) {
    const std::string whose = " for rank " + std::to_string(i);
    report(kind, known->party, " with " + describe(blocks[i]) + whose, " with " + describe(known->blocks[i]) + whose);
  } else {
    report(kind, known->party, " with " + describe(amount), " with " + describe(known->amount));
  }
}

void Comparison::pair(const Meeting::Other& other, const Party& at_root, const Amount& of_root, bool gathers) {
  const bool same_counts = of_root.bytes == other.amount.bytes;
  if (same_counts && same_types(of_root, other.amount)) return;
  meeting_.differs = true;
  const char* const kind = same_counts ? "mismatched-datatype" : "mismatched-count";
  if (Finding* const found = note_finding(kind, other.party, at_root)) {
    found->text = rank_name(other.party) + " calls " + call_.signature.call + (gathers ? " to send " : " to receive ") +
                  describe(other.amount) + at(other.party) + ", " + rank_name(at_root) + " to " +
                  (gathers ? "receive " : "send it ") + describe(of_root) + (gathers ? " from it" : "") + at(at_root) +
                  on(*call_.communicator);
  }
}

void Comparison::rooted(bool gathers) {
  const Arguments& a = call_.a;
  const bool in_place = a.send == kInPlace || a.receive == kInPlace;
  const auto block_of = [this](std::int32_t rank) {
    return meeting_.blocks.size() == 1 ? meeting_.blocks[0] : meeting_.blocks[rank];
  };
  if (a.at_root) {
    meeting_.root_party = own_;
    meeting_.blocks = gathers ? received_blocks(a) : sent_blocks(a);
    for (const Meeting::Other& other : meeting_.others) pair(other, own_, block_of(other.rank), gathers);
    meeting_.others.clear();
  }
  if ((a.at_root && (in_place || call_.communicator->inter())) || (!a.at_root && a.root < 0)) return;
  const Meeting::Other mine{
      call_.communicator->my_rank(), own_,
      gathers ? amount_of(a.send_count, a.send_type) : amount_of(a.receive_count, a.receive_type)};
  if (meeting_.root_party) {
    pair(mine, *meeting_.root_party, block_of(mine.rank), gathers);
  } else {
    meeting_.others.push_back(mine);
  }
}

// Compare what each rank sends with what the others expect from it. Ranks that expect the same as the first one of
// their group need not be compared with each sender.
void Comparison::allgather(int group) {
  const Communicator& communicator = *call_.communicator;
  const Places places(communicator);
  std::vector<Amount> blocks = received_blocks(call_.a);
  const std::int32_t rank = communicator.my_rank();
  meeting_.sent.resize(places.all);
  const Amount mine = call_.a.send == kInPlace ? blocks[rank] : amount_of(call_.a.send_count, call_.a.send_type);
  meeting_.sent[places.mine] = {own_, mine};
  const auto compare = [&](const Meeting::Sent& sent, const Party& receiver, const Amount& expected) {
    if (sent.party.rank != receiver.rank) {
      pair({0, sent.party, sent.amount}, receiver, expected, true);
    } else if (!same_length(sent.amount, expected) || !same_types(sent.amount, expected)) {
      meeting_.own = {places.mine, own_, expected};
    }
  };
  std::optional<Meeting::Uniform>& first = meeting_.receivers[group];
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::int32_t from = places.first_peer + static_cast<std::int32_t>(i);
    const bool from_first = first && meeting_.sent[from] && meeting_.sent[from]->party.rank == first->party.rank;
    const bool as_first = first && same_length(blocks[i], first->blocks[i]) && same_types(blocks[i], first->blocks[i]);
    if (as_first && !from_first) continue;
    if (meeting_.sent[from]) {
      compare(*meeting_.sent[from], own_, blocks[i]);
    } else if (first) {
      meeting_.expected.push_back({from, own_, blocks[i]});
    }
  }
  if (!first) first = {own_, {}, std::move(blocks)};
  const std::optional<Meeting::Uniform>& others = meeting_.receivers[communicator.inter() ? 1 - group : group];
  if (others) compare(*meeting_.sent[places.mine], others->party, others->blocks[rank]);
  for (const Meeting::Expected& each : meeting_.expected) {
    if (each.from == places.mine) compare(*meeting_.sent[places.mine], each.party, each.amount);
  }
}

// Report a rank that differs from itself, after all ranks have entered.
void Comparison::settle() {
  if (!meeting_.entered.empty()) settle_exchanges(call_, meeting_);
  if (meeting_.differs || !meeting_.own) return;
  const Meeting::Expected& own = *meeting_.own;
  pair({0, own.party, meeting_.sent[own.from]->amount}, own.party, own.amount, true);
}

// Return whether the rank is in the root's group of an intercommunicator, without being the root.
bool is_idle(const CollectiveCall& call) { return call.communicator->inter() && !call.a.at_root && call.a.root < 0; }

void Comparison::data() {
  const Arguments& a = call_.a;
  const bool inter = call_.communicator->inter();
  const int group = inter && !call_.communicator->first;
  switch (call_.operation) {
    case Operation::kBarrier:
      return;
    case Operation::kBcast:
    case Operation::kReduce:
      if (is_idle(call_)) return;
      [[fallthrough]];
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
      uniform(0, amount_of(a.receive_count, a.receive_type));
      return;
    case Operation::kReduceScatter:
      uniform(group, all_of(received_blocks(a)), received_blocks(a));
      return;
    case Operation::kAllgather:
    case Operation::kAlltoall:
      uniform(inter && !group, amount_of(a.receive_count, a.receive_type));
      if (a.send != kInPlace) uniform(group, amount_of(a.send_count, a.send_type));
      return;
    case Operation::kAllgatherv:
      allgather(group);
      return;
    case Operation::kGather:
    case Operation::kGatherv:
      rooted(true);
      return;
    case Operation::kScatter:
    case Operation::kScatterv:
      rooted(false);
      return;
    default:
      compare_exchanges(call_, own_, meeting_);
  }
}

}  // namespace

void Meetings::enter(const CollectiveCall& call, std::uint32_t sequence, const Party& own) {
  // Arguments are compared only if the program itself called the collective. An MPI function that is implemented by
  // collectives may pass different arguments on different ranks.
  const std::int32_t size = Places(*call.communicator).all;
  if (size == 1 || running_fiber().outer_call) return;
  const std::uint64_t key = std::uint64_t{call.communicator->context} << 32 | sequence;
  const auto [place, is_first] = under_way_.try_emplace(key);
  Meeting& meeting = place->second;
  if (is_first) {
    meeting.first = own;
    meeting.call = call.signature.call;
    meeting.in_place = call.a.send == kInPlace;
  }
  ++meeting.ranks;
  Comparison comparison(call, own, meeting);
  const bool same_call = meeting.call == call.signature.call || std::strcmp(meeting.call, call.signature.call) == 0;
  if (same_call && comparison.same_arguments()) comparison.data();
  if (meeting.ranks < size) return;
  comparison.settle();
  under_way_.erase(place);
}

}  // namespace pysmpi
