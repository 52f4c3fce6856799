// Lookup of host names, and search for duplicates. The names of hosts in clusters are not constructed for this.
#include "platform/host_names.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace pysmpi {
namespace {

constexpr std::size_t kMaxDigits = 10;             // most digits of a number in a host name
constexpr std::uint64_t kMaxCompared = 1'000'000;  // highest number of hosts whose names are compared one by one

bool is_digit(char character) { return character >= '0' && character <= '9'; }

std::string affixes(std::string_view prefix, std::string_view suffix) {
  std::string key(prefix);
  key += '\0';
  key += suffix;
  return key;
}

}  // namespace

void HostNames::add(std::string name, const Node& node) {
  own_nodes_.emplace(name, node);
  own_names_.push_back(std::move(name));
}

void HostNames::add_cluster(const Cluster& cluster, ZoneId zone, HostId first_host) {
  const ClusterSettings& settings = cluster.settings();
  const auto number = static_cast<std::uint32_t>(clusters_.size());
  Alike& alike = alike_.try_emplace(affixes(settings.prefix, settings.suffix), Alike{number, {}}).first->second;
  for (const Radical::Run& run : settings.radical.runs())
    alike.runs.emplace(run.first, Run{run.count, run.start, number});
  clusters_.push_back({&cluster, zone, first_host});
  ++prefixes_[settings.prefix];
  ++suffixes_[settings.suffix];
  longest_affixes_ = std::max(longest_affixes_, settings.prefix.size() + settings.suffix.size());
}

void HostNames::find_in_clusters(std::string_view name, std::vector<Node>& found) const {
  if (clusters_.empty() || name.size() > longest_affixes_ + kMaxDigits) return;
  // The name of a cluster's host consists of the cluster's prefix, a number and the cluster's suffix. The prefix may
  // end with digits and the suffix begin with some, so each run of digits in the name is tried as the number.
  for (std::size_t begin = 0; begin < name.size(); ++begin) {
    const std::size_t last = std::min(name.size(), begin + kMaxDigits);
    for (std::size_t end = begin + 1; end <= last && is_digit(name[end - 1]); ++end) {
      if (name[begin] == '0' && end > begin + 1) break;
      const auto candidates = alike_.find(affixes(name.substr(0, begin), name.substr(end)));
      if (candidates == alike_.end()) continue;
      std::int64_t number = 0;
      std::from_chars(name.data() + begin, name.data() + end, number);
      const auto after = candidates->second.runs.upper_bound(number);
      if (after == candidates->second.runs.begin()) continue;
      const auto& [first, run] = *std::prev(after);
      if (number - first >= run.count) continue;
      const NamedCluster& cluster = clusters_[run.cluster];
      const auto index = static_cast<std::uint32_t>(run.start + (number - first));
      found.push_back({Point{cluster.zone, index}, cluster.first_host + index});
    }
  }
}

std::optional<Node> HostNames::find(const std::string& name) const {
  if (const auto found = own_nodes_.find(name); found != own_nodes_.end()) return found->second;
  std::vector<Node> found;
  find_in_clusters(name, found);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::optional<DuplicateName> HostNames::find_overlap(const Alike& alike) const {
  for (auto run = alike.runs.begin(); run != alike.runs.end(); ++run) {
    const auto next = std::next(run);
    if (next == alike.runs.end() || next->first >= run->first + run->second.count) continue;
    const NamedCluster& cluster = clusters_[next->second.cluster];
    return DuplicateName{cluster.cluster->host_name(next->second.start), clusters_[run->second.cluster].zone,
                         cluster.zone};
  }
  return std::nullopt;
}

// Return whether hosts of this cluster may have the same names as hosts of a cluster with another prefix or suffix.
// This requires that digits belong to the prefix or suffix in one cluster, and to the number in the other. Example:
// prefix "n1" with number 5 and prefix "n" with number 15 both give "n15".
bool HostNames::runs_on(const ClusterSettings& settings) const {
  const std::string& prefix = settings.prefix;
  for (std::size_t length = prefix.size(); length > 0 && is_digit(prefix[length - 1]); --length) {
    if (prefixes_.contains(prefix.substr(0, length - 1))) return true;
  }
  const std::string& suffix = settings.suffix;
  for (std::size_t begin = 0; begin < suffix.size() && is_digit(suffix[begin]); ++begin) {
    if (suffixes_.contains(suffix.substr(begin + 1))) return true;
  }
  return false;
}

std::optional<DuplicateName> HostNames::find_duplicate() const {
  std::vector<Node> found;
  const auto duplicate = [&](const std::string& name, ZoneId zone) -> std::optional<DuplicateName> {
    found.clear();
    find_in_clusters(name, found);
    for (const Node& node : found) {
      if (node.point.zone != zone) return DuplicateName{name, zone, node.point.zone};
    }
    return std::nullopt;
  };
  for (const std::string& name : own_names_) {
    if (auto result = duplicate(name, kNone)) return result;
  }
  std::uint64_t compared = 0;
  for (std::size_t number = 0; number < clusters_.size(); ++number) {
    const auto& [cluster, zone, first_host] = clusters_[number];
    const Alike& alike = alike_.at(affixes(cluster->settings().prefix, cluster->settings().suffix));
    if (alike.first_cluster == number) {
      if (auto result = find_overlap(alike)) return result;
    }
    if (!runs_on(cluster->settings())) continue;
    compared += cluster->host_count();
    if (compared > kMaxCompared) return DuplicateName{"", zone, zone};
    for (std::uint32_t host = 0; host < cluster->host_count(); ++host) {
      if (auto result = duplicate(cluster->host_name(host), zone)) return result;
    }
  }
  return std::nullopt;
}

}  // namespace pysmpi
