// Prints SimGrid's routes on a platform: the source of simgrid_routes.jsonl. Not part of the build; with Debian's
// libsimgrid-dev:
//   c++ -std=c++17 simgrid_routes.cpp -lsimgrid -o simgrid_routes && ./simgrid_routes platform.xml
// Lines "H name speed cores", "L name bandwidth latency policy" (1 SHARED, 0 FATPIPE) and, for all pairs of hosts,
// "R source destination latency link…"; numbers with all their digits.
#include <cstdio>
#include <simgrid/s4u.hpp>
#include <vector>

int main(int argc, char** argv) {
  simgrid::s4u::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  engine.seal_platform();
  const std::vector<simgrid::s4u::Host*> hosts = engine.get_all_hosts();
  for (const auto* host : hosts) {
    std::printf("H %s %.17g %d\n", host->get_cname(), host->get_speed(), host->get_core_count());
  }
  for (const auto* link : engine.get_all_links()) {
    std::printf("L %s %.17g %.17g %d\n", link->get_cname(), link->get_bandwidth(), link->get_latency(),
                static_cast<int>(link->get_sharing_policy()));
  }
  for (const auto* source : hosts) {
    for (const auto* destination : hosts) {
      std::vector<simgrid::s4u::Link*> links;
      double latency = 0;
      source->route_to(destination, links, &latency);
      std::printf("R %s %s %.17g", source->get_cname(), destination->get_cname(), latency);
      for (const auto* link : links) std::printf(" %s", link->get_cname());
      std::printf("\n");
    }
  }
}
