// Comparison of the calls with which ranks enter a collective.
#include "schedule/ledger.hpp"

#include "datatypes/reduction.hpp"
#include "objects/errors.hpp"

namespace pysmpi {

namespace {

constexpr std::int32_t kErrorRoot = 7, kErrorOp = 9, kErrorOther = 15;  // MPICH's ABI

auto& ledgers() { return Ledgers::current().by_context; }

std::string describe(const CollectiveSignature& signature) {
  std::string details;
  const auto add = [&details](const std::string& text) { details += (details.empty() ? "" : ", ") + text; };
  if (signature.root >= 0) add("root " + std::to_string(signature.root));
  if (signature.bytes >= 0) add(std::to_string(signature.bytes) + " bytes");
  if (signature.reduction != 0) add(find_reduction(signature.reduction)->name);
  const std::string call(signature.call);
  return details.empty() ? call : call + " (" + details + ")";
}

std::int32_t compare(const CollectiveSignature& a, const CollectiveSignature& b) {
  if (a.call != b.call && std::string_view(a.call) != b.call) return kErrorOther;
  if (a.root != b.root) return kErrorRoot;
  if (a.reduction != b.reduction && a.reduction != 0 && b.reduction != 0) return kErrorOp;
  if (a.bytes != b.bytes) return kErrorTruncate;
  return 0;
}

void take_over(ElementLength& first, ElementLength& own) {
  if (first.size == 0) first = own;
  own = first;
}

}  // namespace

CollectiveMismatch enter_collective(const Communicator& communicator, std::int32_t rank, std::uint32_t sequence,
                                    CollectiveSignature& signature) {
  const std::int32_t size = communicator.size() + (communicator.inter() ? communicator.remote->size() : 0);
  if (size == 1) return {};
  if (communicator.inter()) rank = communicator.ranks.world(rank);
  const std::uint32_t nonblocking = sequence % 2;
  auto place = ledgers().find(communicator.context + nonblocking);
  if (place == ledgers().end()) {
    place = ledgers().emplace(communicator.context + nonblocking, Ledgers::Ledger{sequence, {}}).first;
  }
  Ledgers::Ledger& ledger = place->second;
  const std::uint32_t index = (sequence - ledger.first) / 2;
  if (index == ledger.entered.size()) ledger.entered.push_back({signature, {}, {}, rank});
  Ledgers::Entered& entered = ledger.entered[index];
  CollectiveMismatch mismatch;
  mismatch.error_class = compare(entered.signature, signature);
  if (mismatch.error_class != 0) {
    mismatch.text = std::string("the calls of the ranks do not match: ") + (nonblocking ? "nonblocking " : "") +
                    "collective " + std::to_string(sequence / 2 + 1) + " on " +
                    (communicator.title.empty() ? "this communicator" : communicator.title) + " is " +
                    describe(signature) + " at rank " + std::to_string(rank) + ", but " + describe(entered.signature) +
                    " at rank " + std::to_string(entered.first_rank) +
                    (communicator.inter() ? " of MPI_COMM_WORLD" : "");
  }
  const int group = communicator.inter() && communicator.world(0) > communicator.remote->world(0);
  take_over(entered.sent[group], signature.sent);
  take_over(entered.received[group], signature.received);
  signature.nodes_known = entered.signature.nodes_known;
  ++entered.ranks;
  while (!ledger.entered.empty() && ledger.entered.front().ranks == size) {
    ledger.entered.pop_front();
    ledger.first += 2;
  }
  if (ledger.entered.empty()) ledgers().erase(place);
  return mismatch;
}

}  // namespace pysmpi
