#include "platform/topologies/full_mesh.hpp"

#include "platform/pairs.hpp"

namespace pysmpi {

void FullMesh::append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const {
  if (from == to) return;
  append_limiter(from, out);
  append_cable(towards(pair_number(from, to, host_count()), from, to), out);
}

std::uint32_t FullMesh::cable_links() const { return pair_count(host_count()) * width(); }

std::string FullMesh::cable_link_name(std::uint32_t index) const {
  const Pair ends = pair_at(index / width(), host_count());
  return with_direction(cable_name(ends.low, ends.high), index);
}

}  // namespace pysmpi
