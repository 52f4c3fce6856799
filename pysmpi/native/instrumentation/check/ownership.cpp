// Checks of buffers that pending requests own.
#include "instrumentation/check/ownership.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "engine/simulation.hpp"
#include "matching/point_to_point.hpp"
#include "rank_memory/folded.hpp"
#include "rank_memory/zones.hpp"

namespace pysmpi {

namespace {

// Return whether requests may own the region exclusively. Folded arrays (rank_memory/folded.hpp) share memory on
// purpose, so overlaps among them are not mistakes.
bool is_real(const MemoryRegion& region) {
  return !region.empty() && !is_folded(region.buffer) && !may_have_zones(region.buffer);
}

// Return whether the address is still mapped. When a program frees a large array, its pages go back to the system.
// (mpi4py's Iallreduce does not keep its arrays alive.)
bool is_mapped(const char* address) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return mincore(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) / page * page), 1, &resident) == 0;
}

std::string shared(RankId rank, const char* call, const Party& own, bool writes, std::uint32_t other,
                   const Party& owner) {
  return "rank " + std::to_string(rank) + ": " + call + at(own) + (writes ? " receives into" : " sends from") +
         " memory that " + call_of(other) + at(owner) + " still owns";
}

}  // namespace

std::uint32_t Ownership::site_of(std::uint32_t id) const {
  if (id >= records_.size() || records_[id].sequence != request(id).sequence) return kNowhere;
  return records_[id].site;
}

Ownership::Record* Ownership::find(std::uint32_t id) {
  if (id >= records_.size()) return nullptr;
  Record& record = records_[id];
  return record.areas > 0 && record.sequence == request(id).sequence ? &record : nullptr;
}

OwnedMemory& Ownership::memory_of(RankId rank) {
  if (static_cast<std::size_t>(rank) >= memory_.size()) memory_.resize(simulation().fibers.size());
  return memory_[rank];
}

void Ownership::note_site(std::uint32_t id) {
  if (id >= records_.size()) records_.resize(RequestPool::current().size());
  Record& record = records_[id];
  if (record.areas > 0) return;
  record.sequence = request(id).sequence;
  record.site = call_site();
}

// Find a request that owns the memory. If a program releases a request without waiting for it, it may also have freed
// the memory, which is then allocated again. Therefore a complete request counts as owner only if its bytes are
// unchanged.
std::uint32_t Ownership::find_owner(RankId rank, const MemoryRegion& region, bool writes) {
  const std::uint32_t other = memory_of(rank).find_conflict(region, writes);
  if (other == kNone || !(request(other).flags & kComplete)) return other;
  const Record* const record = find(other);
  for (std::int32_t i = 0; record && i < record->areas; ++i) {
    const Area& area = record->area[i];
    const MemoryRegion& owned = area.place->second.region;
    const bool same =
        owned.buffer == region.buffer && owned.count * owned.type->size <= region.count * region.type->size;
    if (!area.verified || (same && hash_bytes(owned) == area.hash)) return other;
  }
  return kNone;
}

void Ownership::take(std::uint32_t id, const MemoryRegion& region, bool writes, bool verified) {
  if (!is_real(region)) return;
  Record& record = records_[id];
  const RankId rank = request(id).owner;
  const std::uint32_t other = find_owner(rank, region, writes);
  if (other != kNone && other != id) {
    const Party own{rank, record.site}, owner{rank, site_of(other)};
    if (Finding* const found = note_finding("overlapping-buffers", own, owner)) {
      found->text = shared(rank, call_of(id), own, writes, other, owner);
    }
    verified = false;
  }
  record.area[record.areas++] = {memory_of(rank).add(region, writes, id), writes, verified,
                                 verified ? hash_bytes(region) : 0};
}

void Ownership::look(const char* call, const MemoryRegion& region, bool writes) {
  if (!is_real(region)) return;
  const RankId rank = simulation().running;
  const std::uint32_t other = find_owner(rank, region, writes);
  if (other == kNone) return;
  const Party own{rank, call_site()}, owner{rank, site_of(other)};
  if (Finding* const found = note_finding("overlapping-buffers", own, owner)) {
    found->text = shared(rank, call, own, writes, other, owner);
  }
}

void Ownership::compare(std::uint32_t id, const Area& area) const {
  if (!area.verified) return;
  const MemoryRegion& region = area.place->second.region;
  const Request& r = request(id);
  const bool is_there = !r.is_schedule() || is_mapped(region.buffer);
  if (is_there && hash_bytes(region) == area.hash) return;
  const bool running = Simulation::running == r.owner;
  const Party own{r.owner, site_of(id)}, noticed{r.owner, running ? call_site() : kNowhere};
  const char* const kind = area.writes ? "modified-receive-buffer" : "modified-send-buffer";
  if (Finding* const found = note_finding(kind, own, noticed)) {
    found->text = "rank " + std::to_string(r.owner) + " changed or freed the buffer of its " + call_of(id) + at(own) +
                  " before the request was complete" +
                  (noticed.site == kNowhere ? "" : " (noticed" + at(noticed) + ")");
  }
}

void Ownership::before_arrival(std::uint32_t id) {
  if (const Record* const record = find(id)) compare(id, record->area[0]);
}

void Ownership::after_arrival(std::uint32_t id) {
  Record* const record = find(id);
  if (record && record->area[0].verified) {
    record->area[0].hash = hash_bytes(record->area[0].place->second.region);
  }
}

void Ownership::release(std::uint32_t id) {
  Record* const record = find(id);
  if (!record) return;
  const Request& r = request(id);
  const bool given_up = (r.flags & (kComplete | kCancelled)) != kComplete;
  for (std::int32_t i = 0; i < record->areas; ++i) {
    if (!given_up) compare(id, record->area[i]);
    memory_of(r.owner).remove(record->area[i].place, record->area[i].writes);
  }
  record->areas = 0;
}

}  // namespace pysmpi
