#include "matching/communicator.hpp"

#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

// Handles of MPICH's ABI: the predefined two, and the index of the others in the low bits.
constexpr std::int32_t kWorld = 0x44000000, kSelf = 0x44000001;
constexpr std::uint32_t kDynamic = 0x84000000U, kIndexMask = 0x03ffffffU;

struct Registry {
  Communicator world, self;
  std::vector<std::unique_ptr<Communicator>> others;  // null where freed: contexts are never used again
};
Registry registry;

void set_singleton_world() {
  registry.world = Communicator{.handle = kWorld, .context = 0, .ranks = RankTable({0}), .collectives_entered = {0}};
  registry.self = Communicator{.handle = kSelf, .context = 2, .self = true, .ranks = {}, .collectives_entered = {0}};
}

}  // namespace

RankTable::RankTable(std::vector<RankId> world_ranks) : size_(static_cast<std::int32_t>(world_ranks.size())) {
  if (size_ == 0) return;
  first_ = world_ranks[0];
  stride_ = size_ > 1 ? world_ranks[1] - first_ : 1;
  bool strided = stride_ != 0;
  for (std::int32_t i = 0; strided && i < size_; ++i) strided = world_ranks[i] == first_ + stride_ * i;
  if (strided) return;
  table_ = std::move(world_ranks);
  index_.reserve(table_.size());
  for (std::int32_t i = 0; i < size_; ++i) index_.emplace(table_[i], i);
}

std::int32_t RankTable::rank_of(RankId world) const {
  if (table_.empty()) {
    const RankId distance = world - first_;
    const RankId rank = distance / stride_;
    return rank >= 0 && rank < size_ && rank * stride_ == distance ? rank : -1;
  }
  const auto found = index_.find(world);
  return found == index_.end() ? -1 : found->second;
}

RankId Communicator::world(std::int32_t rank) const { return self ? simulation().running : ranks.world(rank); }

std::int32_t Communicator::my_rank() const {
  if (self || !inside_rank()) return 0;
  return ranks.rank_of(simulation().running);
}

Communicator* find_communicator(std::int32_t handle) {
  if (handle == kWorld) return &registry.world;
  if (handle == kSelf) return &registry.self;
  const auto bits = static_cast<std::uint32_t>(handle);
  if ((bits & ~kIndexMask) != kDynamic) return nullptr;
  const std::uint32_t index = bits & kIndexMask;
  return index < registry.others.size() ? registry.others[index].get() : nullptr;
}

std::int32_t add_communicator(std::vector<RankId> world_ranks) {
  const auto index = static_cast<std::uint32_t>(registry.others.size());
  auto communicator = std::make_unique<Communicator>();
  communicator->handle = static_cast<std::int32_t>(kDynamic | index);
  communicator->context = 2 * (index + 2);
  communicator->collectives_entered.assign(world_ranks.size(), 0);
  communicator->ranks = RankTable(std::move(world_ranks));
  registry.others.push_back(std::move(communicator));
  return registry.others.back()->handle;
}

void remove_communicator(std::int32_t handle) {
  if (find_communicator(handle) && handle != kWorld && handle != kSelf) {
    registry.others[static_cast<std::uint32_t>(handle) & kIndexMask].reset();
  }
}

void begin_communicators(RankId ranks) {
  end_communicators();
  std::vector<RankId> all(ranks);
  for (RankId rank = 0; rank < ranks; ++rank) all[rank] = rank;
  registry.world.ranks = RankTable(std::move(all));
  registry.world.collectives_entered.assign(ranks, 0);
}

void end_communicators() {
  registry.others.clear();
  set_singleton_world();
}

namespace {
const bool world_of_one_outside_simulations = (set_singleton_world(), true);
}

}  // namespace pysmpi
