// Creation, look-up and removal of communicators by handle.
#include "matching/communicator.hpp"

#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

// Handles of MPICH's ABI: two predefined ones, and others that have an index in their low bits.
constexpr std::int32_t kWorld = 0x44000000, kSelf = 0x44000001;
constexpr const char* kWorldTitle = "MPI_COMM_WORLD";
constexpr std::uint32_t kDynamic = 0x84000000U, kIndexMask = 0x03ffffffU;

Communicators& registry() { return Communicators::current(); }

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
  return find_communicator_of(registry().world_of_spawned.empty() ? 0 : simulation().running, handle);
}

Communicator* find_communicator_of(RankId rank, std::int32_t handle) {
  if (handle == kWorld) {
    const bool spawned = !registry().world_of_spawned.empty() && rank >= registry().world.size();
    return spawned ? registry().world_of_spawned[rank - registry().world.size()] : &registry().world;
  }
  if (handle == kSelf) return &registry().self;
  const auto bits = static_cast<std::uint32_t>(handle);
  if ((bits & ~kIndexMask) != kDynamic) return nullptr;
  const std::uint32_t index = bits & kIndexMask;
  Communicator* const found = index < registry().others.size() ? registry().others[index].get() : nullptr;
  return found && !found->freed ? found : nullptr;
}

Communicator* find_own_communicator(std::int32_t handle) {
  Communicator* const found = find_communicator(handle);
  if (!found || found->freed_by.empty()) return found;
  const std::int32_t rank = found->my_rank();
  return rank >= 0 && found->freed_by[rank] ? nullptr : found;
}

std::uint32_t new_context() {
  registry().next_context += 2;
  return registry().next_context - 2;
}

namespace {

Communicator& add(const std::vector<RankId>& world_ranks, std::uint32_t context) {
  if (registry().unused.empty()) {
    registry().unused.push_back(static_cast<std::uint32_t>(registry().others.size()));
    registry().others.emplace_back();
  }
  const std::uint32_t index = registry().unused.back();
  registry().unused.pop_back();
  registry().others[index] = std::make_unique<Communicator>();
  Communicator& communicator = *registry().others[index];
  communicator.handle = static_cast<std::int32_t>(kDynamic | index);
  communicator.context = context;
  communicator.next_collectives.assign(world_ranks.size(), {});
  communicator.ranks = RankTable(world_ranks);
  return communicator;
}

}  // namespace

std::int32_t add_communicator(const std::vector<RankId>& world_ranks) { return add(world_ranks, new_context()).handle; }

std::int32_t add_intercommunicator(const std::vector<RankId>& first, const std::vector<RankId>& second) {
  const std::uint32_t context = new_context();
  Communicator& one = add(first, context);
  Communicator& other = add(second, context);
  one.remote = std::make_unique<RankTable>(second);
  other.remote = std::make_unique<RankTable>(first);
  other.first = false;
  one.other_side = &other;
  other.other_side = &one;
  one.local = &add(first, new_context());
  other.local = &add(second, new_context());
  one.leaders = other.leaders = &add({first[0], second[0]}, new_context());
  return one.handle;
}

void set_title(Communicator& communicator, const std::string& title) {
  for (Communicator* const each : {&communicator, communicator.local, communicator.leaders}) {
    if (each) each->title = title;
  }
}

namespace {

void drop(const Communicator& communicator) {
  if (!communicator.freed || communicator.held > 0) return;
  const std::uint32_t index = static_cast<std::uint32_t>(communicator.handle) & kIndexMask;
  registry().others[index].reset();
  registry().unused.push_back(index);
}

}  // namespace

void leave_communicator(std::int32_t handle) {
  Communicator& communicator = *find_communicator(handle);
  communicator.freed_by.resize(communicator.size());
  communicator.freed_by[communicator.my_rank()] = true;
}

void remove_communicator(std::int32_t handle) {
  Communicator* const found = find_communicator(handle);
  if (!found || handle == kWorld || handle == kSelf) return;
  if (found->inter()) {
    remove_communicator(found->local->handle);
    if (found->other_side) {
      found->other_side->other_side = nullptr;
    } else {
      remove_communicator(found->leaders->handle);
    }
  }
  found->freed = true;
  drop(*found);
}

void hold_communicator(Communicator& communicator) {
  ++communicator.held;
  if (communicator.inter()) hold_communicator(*communicator.local);
}

void release_communicator(Communicator& communicator) {
  if (communicator.inter()) release_communicator(*communicator.local);
  --communicator.held;
  drop(communicator);
}

void add_world(RankId first, RankId ranks) {
  std::vector<RankId> all(ranks);
  for (RankId i = 0; i < ranks; ++i) all[i] = first + i;
  Communicator& world = *registry().spawned_worlds.emplace_back(std::make_unique<Communicator>());
  world.handle = kWorld;
  world.title = kWorldTitle;
  world.context = new_context();
  world.ranks = RankTable(all);
  world.next_collectives.assign(ranks, {});
  registry().world_of_spawned.resize(first + ranks - registry().world.size(), &world);
}

Communicators::Communicators(RankId ranks) {
  std::vector<RankId> all(ranks);
  for (RankId rank = 0; rank < ranks; ++rank) all[rank] = rank;
  world.handle = kWorld;
  world.title = kWorldTitle;
  world.ranks = RankTable(std::move(all));
  world.next_collectives.assign(ranks, {});
  self.handle = kSelf;
  self.title = "MPI_COMM_SELF";
  self.context = 2;
  self.self = true;
  self.next_collectives.assign(1, {});
}

}  // namespace pysmpi
