// C interface to profile, link use and communication matrix.
#include <algorithm>
#include <memory>

#include "engine/call_site.hpp"
#include "engine/simulation.hpp"
#include "instrumentation/c_api.h"
#include "instrumentation/communication_matrix.hpp"
#include "instrumentation/instruments.hpp"
#include "instrumentation/observing.hpp"
#include "instrumentation/profile/bottlenecks.hpp"
#include "instrumentation/profile/time_profile.hpp"
#include "network/packets/packet_meter.hpp"

using namespace pysmpi;

namespace {

std::unique_ptr<Bottlenecks>& bottlenecks() { return Instruments::current().bottlenecks; }
std::unique_ptr<TimeProfile>& profile() { return Instruments::current().profile; }
std::unique_ptr<CommunicationMatrix>& matrix() { return Instruments::current().matrix; }

template <class Kind, class... Arguments>
void begin(std::unique_ptr<Kind>& observer, Arguments&&... arguments) {
  observer = std::make_unique<Kind>(arguments...);
  begin_observing(*observer);
}

template <class Kind>
void end(std::unique_ptr<Kind>& observer) {
  if (observer) remove_observer(*observer);
  observer.reset();
}

void read_waits(const PairIndex& index, pysmpi_waits* out, const auto& waits_of) {
  for (std::uint32_t row = 0; row < index.size(); ++row) {
    const TimeProfile::Waits& waits = waits_of(row);
    out[row] = {index.first(row), index.second(row), waits.waiting, waits.awaited, waits.first_rank,
                waits.last_rank,  waits.count,       waits.seconds, waits.longest};
  }
}

}  // namespace

void pysmpi_begin_profile(int32_t times, int32_t traffic) {
  begin(bottlenecks());
  if (times) begin(profile(), *bottlenecks());
  if (!traffic) return;
  simulation().carrier->measure_packets();
  begin(matrix(), static_cast<RankId>(simulation().fibers.size()), simulation().carrier->packet_meter() != nullptr);
}

void pysmpi_end_profile(void) {
  end(matrix());
  end(profile());
  end(bottlenecks());
}

void pysmpi_profile_sizes(pysmpi_profile_size* out) {
  *out = {static_cast<uint32_t>(profile()->ranks().size()), profile()->places().size(),
          profile()->waits_for_peers().size(), profile()->waits_for_links().size(),
          std::min(profile()->paths().sites(), call_site_count())};
}

void pysmpi_read_profile(pysmpi_rank_time* ranks, pysmpi_place_time* places, pysmpi_waits* peers, pysmpi_waits* links,
                         double* path) {
  for (const TimeProfile::Rank& rank : profile()->ranks()) *ranks++ = {rank.begun, rank.ended, rank.caused};
  const PairIndex& index = profile()->places();
  for (std::uint32_t row = 0; row < index.size(); ++row) {
    const TimeProfile::Row& from = profile()->row(row);
    pysmpi_place_time& to = places[row];
    to.rank = static_cast<int32_t>(index.first(row));
    to.place = static_cast<int32_t>(index.second(row));
    to.calls = from.calls;
    to.messages = from.messages;
    to.bytes = from.bytes;
    std::ranges::copy(from.seconds, to.seconds);
  }
  read_waits(profile()->waits_for_peers(), peers, [](std::uint32_t row) { return profile()->wait_for_peer(row); });
  read_waits(profile()->waits_for_links(), links, [](std::uint32_t row) { return profile()->wait_for_link(row); });
  const std::uint32_t sites = std::min(profile()->paths().sites(), call_site_count());
  for (std::uint32_t site = 0; site < sites; ++site) {
    for (std::uint32_t kind = 0; kind < kPathKinds; ++kind) {
      *path++ = profile()->paths().seconds(profile()->critical_path(), site, kind);
    }
  }
}

void pysmpi_overview_sizes(pysmpi_overview_size* out) {
  const TimelineOverview& overview = profile()->overview();
  *out = {static_cast<uint32_t>(overview.rows()), static_cast<uint32_t>(overview.ranks_per_row()), overview.width()};
}

void pysmpi_read_overview(double* seconds) { std::ranges::copy(profile()->overview().seconds(), seconds); }

const char* pysmpi_call_site(uint32_t number) { return call_site_text(number).c_str(); }
uint32_t pysmpi_call_sites(void) { return call_site_count(); }

void pysmpi_read_link_use(pysmpi_link_use* out) {
  const Carrier& carrier = *simulation().carrier;
  const auto& links = bottlenecks()->links();
  for (LinkId link = 0; link < current_platform()->link_count(); ++link) {
    const LinkId number = carrier.uses_links() ? carrier.number_of(link) : kNone;
    const Bottlenecks::Link use = number < links.size() ? links[number] : Bottlenecks::Link{};
    out[link] = {use.bytes, use.flow_seconds, use.saturated, use.flows, number};
  }
}

uint32_t pysmpi_packet_delay_bins(void) {
  return simulation().carrier->packet_meter() == nullptr ? 0 : static_cast<uint32_t>(PacketMeter::kBins);
}

void pysmpi_read_packet_delays(double* begins, uint64_t* packets) {
  for (std::size_t bin = 0; bin < PacketMeter::kBins; ++bin) begins[bin] = PacketMeter::begin_of_bin(bin);
  std::ranges::copy(simulation().carrier->packet_meter()->delays(), packets);
}

void pysmpi_read_ports(pysmpi_port* out) {
  const Carrier& carrier = *simulation().carrier;
  for (LinkId link = 0; link < current_platform()->link_count(); ++link) {
    const PacketMeter::Port port = carrier.packet_meter()->port(carrier.number_of(link));
    out[link] = {port.bytes,   port.waited,       port.longest, port.saturated,
                 port.stalled, port.head_of_line, port.caused,  port.packets};
  }
}

void pysmpi_read_delay_matrix(double* seconds) { std::ranges::copy(matrix()->delays(), seconds); }

uint32_t pysmpi_part_of_host(uint64_t number, int32_t* part) {
  const HostLink link = simulation().carrier->part_of_host(static_cast<LinkId>(number));
  *part = static_cast<std::int32_t>(link.part);
  return link.host;
}

int32_t pysmpi_matrix_rows(void) { return matrix()->rows(); }
int32_t pysmpi_matrix_ranks_per_row(void) { return matrix()->ranks_per_row(); }
void pysmpi_read_matrix(int64_t* bytes, int64_t* messages) {
  std::ranges::copy(matrix()->bytes(), bytes);
  std::ranges::copy(matrix()->messages(), messages);
}
