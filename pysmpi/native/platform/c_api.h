/* C interface to the simulated machine for pysmpi/platform, which has checked all arguments. */
#ifndef PYSMPI_PLATFORM_C_API_H
#define PYSMPI_PLATFORM_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pysmpi_platform pysmpi_platform;

pysmpi_platform* pysmpi_platform_new(void);
void pysmpi_platform_free(pysmpi_platform* platform); /* the current platform may be freed too; none is current then */
/* Makes `platform` the current platform, on which later simulations run. */
void pysmpi_platform_install(pysmpi_platform* platform);
const pysmpi_platform* pysmpi_platform_current(void); /* null if none is installed */

/* Functions that build a platform, to be called in the order of its description. Zones nest: hosts, routers, links
   and routes are added to the innermost open zone. Numbers of zones, hosts and links begin at 0. Names are copied. */
enum { PYSMPI_FULL, PYSMPI_FLOYD, PYSMPI_DIJKSTRA, PYSMPI_DIJKSTRA_CACHE, PYSMPI_STAR, PYSMPI_VIVALDI, PYSMPI_NONE };
uint32_t pysmpi_platform_begin_zone(pysmpi_platform* platform, const char* name, int32_t routing);
void pysmpi_platform_end_zone(pysmpi_platform* platform);
uint32_t pysmpi_platform_add_host(pysmpi_platform* platform, const char* name, double speed, int32_t cores);
void pysmpi_platform_add_router(pysmpi_platform* platform, const char* name);

enum { PYSMPI_SHARED, PYSMPI_FATPIPE };
uint32_t pysmpi_platform_add_link(pysmpi_platform* platform, const char* name, double bandwidth, double latency,
                                  int32_t policy);

/* Routings of clusters (platform/routing_choice.hpp). */
enum {
  PYSMPI_ROUTING_ONE,
  PYSMPI_ROUTING_RANDOM,
  PYSMPI_ROUTING_VALIANT,
  PYSMPI_ROUTING_UGAL,
  PYSMPI_ROUTING_UGAL_LOCAL,
  PYSMPI_ROUTING_TURNS,
  PYSMPI_ROUTING_UGAL_SST7
};
typedef struct {
  const char *name, *prefix, *suffix;
  const char* router;  /* name of the router, in topologies that have one */
  int32_t range_count; /* number of runs of numbers in host names */
  const int64_t* firsts;
  const uint32_t* counts;
  double speed; /* flop/s of one core */
  int32_t cores;
  double bandwidth, latency; /* bytes/s, s */
  int32_t split_duplex;
  int32_t has_loopback, has_backbone;
  double loopback_bandwidth, loopback_latency;
  double limiter_bandwidth; /* 0 for none */
  double backbone_bandwidth, backbone_latency;
  int32_t backbone_policy;
  const char* topology; /* a name that a file of platform/topologies registers */
  int32_t routing;
  int32_t parameter_count; /* the topology's file says what they mean */
  const uint32_t* parameters;
} pysmpi_cluster;
/* Adds a cluster to the open zone. Returns UINT32_MAX if no topology has the name in the description. */
uint32_t pysmpi_platform_add_cluster(pysmpi_platform* platform, const pysmpi_cluster* cluster);

/* Sets the routing of clusters that have a choice (-1 for each cluster's own) and the seed of random choices. */
void pysmpi_platform_choose_routes(pysmpi_platform* platform, int32_t routing, uint64_t seed);
/* Sets bandwidth (bytes/s) and latency (s) of the cables of a cluster, which are numbered in the order of the
 * description, and the latency of its loopbacks, for later simulations. */
void pysmpi_platform_set_cables(pysmpi_platform* platform, uint32_t cluster, double bandwidth, double latency,
                                double loopback_latency);

/* A point is an end of a route: a host, a router or a zone. Its number is (zone << 32) | member, where `zone` is the
 * zone that contains it, and `member` its number there. */
/* Adds a route to the open zone. Gateways are read if the points are zones. Returns -1 if the route exists already. */
int32_t pysmpi_platform_add_route(pysmpi_platform* platform, uint64_t source, uint64_t destination,
                                  uint64_t source_gateway, uint64_t destination_gateway, int32_t link_count,
                                  const uint32_t* links);
/* Adds a route to the open zone. This route takes precedence over the route that the zone's routing provides. `source`
 * and `destination` are members of the zone, or ids of two zones inside it. The open zone must then be the innermost
 * zone that contains both, and neither zone may contain the other. Returns -1 if the route exists already. */
int32_t pysmpi_platform_add_bypass(pysmpi_platform* platform, uint32_t source, uint32_t destination,
                                   uint64_t source_gateway, uint64_t destination_gateway, int32_t link_count,
                                   const uint32_t* links);
/* For an open zone of routing STAR or VIVALDI: sets the links from a host up to the middle of the star, and those
 * down from there to the host. */
void pysmpi_platform_set_ways(pysmpi_platform* platform, uint64_t host, int32_t up_count, const uint32_t* up,
                              int32_t down_count, const uint32_t* down);
/* Sets coordinates in milliseconds of latency in an open zone of routing VIVALDI. */
void pysmpi_platform_set_coordinates(pysmpi_platform* platform, uint64_t point, double x, double y, double height);
/* Adds a disk to a host, with bandwidths in bytes/s. Disks count from 0 in the order in which they are added. */
void pysmpi_platform_add_disk(pysmpi_platform* platform, uint32_t host, double read_bandwidth, double write_bandwidth);
/* Sets properties of the inside of `count` hosts, by ascending number of the hosts (platform/node.hpp): number of
 * sockets; whether all senders of a host share the queue of a receiver; the seconds that a message takes longer if its
 * receiver has partners both on its host and on others; the seconds for which a message occupies the network card; and
 * how much each waiting rank reduces the bandwidth of a message (NodeGroup::waiting_cost). */
void pysmpi_platform_add_node_group(pysmpi_platform* platform, uint32_t first, uint32_t count, uint32_t sockets,
                                    int32_t shared_queue, double polling, double card_gap, double waiting_cost);
/* Limits messages of the latest group whose senders have received their data to this bandwidth in bytes/s, for two
 * cores of a socket (level 0) or two sockets (1). */
void pysmpi_platform_set_forwarding(pysmpi_platform* platform, int32_t level, double bandwidth);
/* Adds a step to the latest group: messages above `above` bytes take `share` bytes of the memory per byte. */
void pysmpi_platform_add_share_step(pysmpi_platform* platform, double above, double share);
/* Adds a step to the memory of the latest group: from this number of moving messages on, they share this bandwidth in
 * bytes/s. The first step begins with 1; without steps, the memory has no limit. */
void pysmpi_platform_add_memory_step(pysmpi_platform* platform, uint32_t messages, double bandwidth);
/* Sets the number of network cards of the hosts of the latest group. */
void pysmpi_platform_set_cards(pysmpi_platform* platform, uint32_t cards);
/* Sets the number of consecutive hosts of a rack in the latest group, or 0, and the seconds that a message to another
 * rack takes longer. */
void pysmpi_platform_set_rack(pysmpi_platform* platform, uint32_t hosts, double latency);
/* Adds a step to each network card of the latest group, in each direction; see pysmpi_platform_add_memory_step. */
void pysmpi_platform_add_card_step(pysmpi_platform* platform, uint32_t messages, double bandwidth);
/* Adds a step to a level (0 core, 1 socket, 2 node) of the latest group: for messages above `above` bytes, the latency
 * in seconds and the bandwidth of one message in bytes/s. */
void pysmpi_platform_add_node_step(pysmpi_platform* platform, int32_t level, double above, double latency,
                                   double bandwidth);
/* Adds a profile, a list of values that a link or a host takes at given dates during simulations. Dates ascend and
 * are in seconds from the beginning of the simulation; the list has at least one. Values are bandwidths in bytes/s,
 * latencies in seconds, states (0 for off, 1 for on), or factors on the speed of the host's performance state.
 * `loop_after` is the time in seconds from the last date to the next pass through the list, which counts its dates
 * from there; negative if the list does not repeat. A pass must take more than 0 seconds. */
enum {
  PYSMPI_PROFILE_BANDWIDTH,
  PYSMPI_PROFILE_LATENCY,
  PYSMPI_PROFILE_LINK_STATE,
  PYSMPI_PROFILE_SPEED,
  PYSMPI_PROFILE_HOST_STATE
};
void pysmpi_platform_add_profile(pysmpi_platform* platform, int32_t kind, uint32_t link_or_host, int32_t count,
                                 const double* dates, const double* values, double loop_after);
/* Multiplies the bandwidth of links, the speed of hosts or all latencies of a sealed platform, until
   pysmpi_platform_scale_back. `item` is a link or a host, or UINT32_MAX for all. */
enum { PYSMPI_SCALE_BANDWIDTH, PYSMPI_SCALE_SPEED, PYSMPI_SCALE_LATENCY, PYSMPI_SCALE_MEMORY };
void pysmpi_platform_scale(pysmpi_platform* platform, int32_t what, uint32_t item, double factor);
void pysmpi_platform_scale_back(pysmpi_platform* platform);
/* Ends the description. Returns 0 on success. Returns -1 if a host of a cluster has the name of another host: `name`
 * then contains that name and `zones` the zones of both hosts (UINT32_MAX for a host described on its own). Returns -2
 * if the cluster zones[0] has too many hosts to compare their names with those of other clusters. */
int32_t pysmpi_platform_seal(pysmpi_platform* platform, uint32_t* zones, char* name, int32_t name_size);

/* Look-ups by name: return the number of the zone, host, link or point, or -1 if the name is unknown. */
int64_t pysmpi_platform_find_zone(const pysmpi_platform* platform, const char* name); /* zone id */
int64_t pysmpi_platform_find_host(const pysmpi_platform* platform, const char* name); /* host id */
int64_t pysmpi_platform_find_link(const pysmpi_platform* platform, const char* name); /* link id */
int64_t pysmpi_platform_find_node(const pysmpi_platform* platform, const char* name); /* host or router: point */
uint64_t pysmpi_platform_zone_point(const pysmpi_platform* platform, uint32_t zone);
uint32_t pysmpi_platform_open_zone(const pysmpi_platform* platform); /* UINT32_MAX if none is open */
int32_t pysmpi_platform_zone_holds(const pysmpi_platform* platform, uint32_t zone, uint64_t point); /* at any depth */

uint32_t pysmpi_platform_host_count(const pysmpi_platform* platform);
uint32_t pysmpi_platform_link_count(const pysmpi_platform* platform);
/* Properties of hosts and links. The functions for names write the name to `name`, cut to `name_size` bytes, and return
   its full length. */
int32_t pysmpi_platform_host_name(const pysmpi_platform* platform, uint32_t host, char* name, int32_t name_size);
double pysmpi_platform_host_speed(const pysmpi_platform* platform, uint32_t host);
int32_t pysmpi_platform_host_cores(const pysmpi_platform* platform, uint32_t host);
int32_t pysmpi_platform_link_name(const pysmpi_platform* platform, uint32_t link, char* name, int32_t name_size);
double pysmpi_platform_link_bandwidth(const pysmpi_platform* platform, uint32_t link);
double pysmpi_platform_link_latency(const pysmpi_platform* platform, uint32_t link);
int32_t pysmpi_platform_link_policy(const pysmpi_platform* platform, uint32_t link);
/* Returns Platform::channels: the number of virtual channels that routes need, or 0 if the platform does not know. */
uint32_t pysmpi_platform_channels(const pysmpi_platform* platform);
/* Returns 1 if the route between two hosts may depend on the message, else 0. */
int32_t pysmpi_platform_routes_vary(const pysmpi_platform* platform);
/* Writes the channel of each link of a route, at most `room` of them, as pysmpi_platform_route writes the links.
 * Returns their number; -1 if no route exists. */
int32_t pysmpi_platform_route_channels(const pysmpi_platform* platform, uint32_t source, uint32_t destination,
                                       uint64_t message, uint32_t* channels, int32_t room);

/* Returns the number of links of the route, and writes at most `room` of them; -1 if no route exists. Random routings
   depend on the number `message`. Routings by load see an idle network. */
int32_t pysmpi_platform_route(const pysmpi_platform* platform, uint32_t source, uint32_t destination, uint64_t message,
                              uint32_t* links, int32_t room, double* latency);

/* Does the same as pysmpi_platform_route and pysmpi_platform_route_channels for a packet that has crossed `crossed`
 * links when a routing by load chooses the rest of its route. The load of the link `loaded` is 1 s a byte; all other
 * links are idle. `links` and `channels` have `room` elements. Sets `next_choice` to the number of links after which
 * the routing is to be asked again, or to UINT32_MAX. */
int32_t pysmpi_platform_route_beside_queue(const pysmpi_platform* platform, uint32_t source, uint32_t destination,
                                           uint64_t message, uint32_t crossed, uint32_t loaded, uint32_t* links,
                                           uint32_t* channels, int32_t room, uint32_t* next_choice);

/* Adds the bytes of `count` messages to `link_bytes`, which has an element for each link, as add_link_bytes in
 * platform/lower_bound.hpp explains. `size_count` is `count`, or 1 if all messages have the same size. Returns the
 * index of the first message whose hosts are not connected, or `count`. */
uint64_t pysmpi_platform_add_link_bytes(const pysmpi_platform* platform, uint64_t count, const uint32_t* sources,
                                        const uint32_t* destinations, uint64_t size_count, const double* sizes,
                                        uint64_t first_message, uint32_t draws, double* link_bytes);
/* Returns the link that takes longest to pass its bytes and sets `seconds` to that time; UINT32_MAX if none has any. */
uint32_t pysmpi_platform_busiest_link(const pysmpi_platform* platform, const double* link_bytes, double* seconds);

#ifdef __cplusplus
}  // extern C
#endif

#endif
