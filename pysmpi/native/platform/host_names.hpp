// Names of hosts and routers. Names in clusters consist of prefix, number and suffix and are not stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "platform/cluster.hpp"
#include "platform/zone.hpp"

namespace pysmpi {

// A host or a router by name. Routers have no host id.
struct Node {
  Point point;
  HostId host = kNone;
};

// A host name that occurs twice: in zone `second` and in zone `first`. If `first` is kNone, the name also belongs to a
// host or router that is described on its own. An empty name means that `first` is a cluster with too many hosts to
// compare names.
struct DuplicateName {
  std::string name;
  ZoneId first;
  ZoneId second;
};

class HostNames {
 public:
  // Adds the name of a host or router outside clusters; such names are numbered from 0.
  void add(std::string name, const Node& node);
  const std::string& own_name(std::uint32_t number) const { return own_names_[number]; }
  std::uint32_t own_count() const { return static_cast<std::uint32_t>(own_names_.size()); }

  void add_cluster(const Cluster& cluster, ZoneId zone, HostId first_host);

  std::optional<Node> find(const std::string& name) const;
  // Returns a duplicate name of which at least one host is in a cluster, if there is any.
  std::optional<DuplicateName> find_duplicate() const;

 private:
  struct NamedCluster {
    const Cluster* cluster;
    ZoneId zone;
    HostId first_host;
  };
  struct Run {
    std::uint32_t count;
    std::uint32_t start;    // index of the first host in its cluster
    std::uint32_t cluster;  // index in clusters_
  };
  struct Alike {  // clusters with the same prefix and suffix
    std::uint32_t first_cluster;
    std::multimap<std::int64_t, Run> runs;  // key: first number; runs of a valid description do not overlap
  };
  void find_in_clusters(std::string_view name, std::vector<Node>& found) const;
  std::optional<DuplicateName> find_overlap(const Alike& alike) const;
  bool runs_on(const ClusterSettings& settings) const;

  std::vector<std::string> own_names_;
  std::unordered_map<std::string, Node> own_nodes_;
  std::vector<NamedCluster> clusters_;
  std::unordered_map<std::string, Alike> alike_;  // key: prefix, zero byte, suffix
  // Number of clusters that have the prefix or suffix.
  std::unordered_map<std::string, std::uint32_t> prefixes_, suffixes_;
  std::size_t longest_affixes_ = 0;  // length of a prefix and its suffix together
};

}  // namespace pysmpi
