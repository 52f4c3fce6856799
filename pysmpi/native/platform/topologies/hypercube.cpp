#include "platform/topologies/hypercube.hpp"

#include <bit>

namespace pysmpi {

void Hypercube::append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const {
  std::uint32_t at = from;
  while (at != to) {
    const auto dimension = static_cast<std::uint32_t>(std::countr_zero(at ^ to));
    const std::uint32_t bit = std::uint32_t{1} << dimension;
    const std::uint32_t rank = (at & (bit - 1)) | (at >> (dimension + 1) << dimension);  // without the dimension's bit
    append_limiter(at, out);
    append_cable(towards(dimension * (host_count() / 2) + rank, at, at ^ bit), out);
    at ^= bit;
  }
}

std::string Hypercube::cable_link_name(std::uint32_t index) const {
  const std::uint32_t cable = index / width();
  const std::uint32_t dimension = cable / (host_count() / 2);
  const std::uint32_t rank = cable % (host_count() / 2);
  const std::uint32_t bit = std::uint32_t{1} << dimension;
  const std::uint32_t lower = (rank & (bit - 1)) | (rank >> dimension << (dimension + 1));
  return with_direction(cable_name(lower, lower | bit), index);
}

}  // namespace pysmpi
