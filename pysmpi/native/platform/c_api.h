/* The simulated machine as Python builds it and asks about it (pysmpi/platform). What is passed in has been checked. */
#ifndef PYSMPI_PLATFORM_C_API_H
#define PYSMPI_PLATFORM_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pysmpi_platform pysmpi_platform;

pysmpi_platform* pysmpi_platform_new(void);
void pysmpi_platform_free(pysmpi_platform* platform); /* also ends its being the current one */
/* The platform that simulations run on from now on. */
void pysmpi_platform_install(pysmpi_platform* platform);
const pysmpi_platform* pysmpi_platform_current(void); /* null when none is installed */

/* Building, in the order of the description. Zones nest: what is added belongs to the innermost one that is open.
   Ids count from 0. Names are copied. */
enum { PYSMPI_FULL, PYSMPI_FLOYD, PYSMPI_DIJKSTRA, PYSMPI_DIJKSTRA_CACHE, PYSMPI_STAR, PYSMPI_VIVALDI, PYSMPI_NONE };
uint32_t pysmpi_platform_begin_zone(pysmpi_platform* platform, const char* name, int32_t routing);
void pysmpi_platform_end_zone(pysmpi_platform* platform);
uint32_t pysmpi_platform_add_host(pysmpi_platform* platform, const char* name, double speed, int32_t cores);
void pysmpi_platform_add_router(pysmpi_platform* platform, const char* name);

enum { PYSMPI_SHARED, PYSMPI_FATPIPE };
uint32_t pysmpi_platform_add_link(pysmpi_platform* platform, const char* name, double bandwidth, double latency,
                                  int32_t policy);

/* How one of several ways is chosen for each message (platform/routing_choice.hpp). */
enum {
  PYSMPI_ROUTING_ONE,
  PYSMPI_ROUTING_RANDOM,
  PYSMPI_ROUTING_VALIANT,
  PYSMPI_ROUTING_UGAL,
  PYSMPI_ROUTING_UGAL_LOCAL
};
typedef struct {
  const char *name, *prefix, *suffix;
  const char* router;  /* of topologies that have one */
  int32_t range_count; /* of numbers in host names */
  const int64_t* firsts;
  const uint32_t* counts;
  double speed; /* flop/s of one core */
  int32_t cores;
  double bandwidth, latency; /* bytes/s, s */
  int32_t split_duplex;
  int32_t has_loopback, has_backbone;
  double loopback_bandwidth, loopback_latency;
  double limiter_bandwidth; /* 0: none */
  double backbone_bandwidth, backbone_latency;
  int32_t backbone_policy;
  const char* topology; /* a name that a file of platform/topologies registers */
  int32_t routing;
  int32_t parameter_count; /* the topology's file says what they mean */
  const uint32_t* parameters;
} pysmpi_cluster;
/* Returns UINT32_MAX if no topology has that name. */
uint32_t pysmpi_platform_add_cluster(pysmpi_platform* platform, const pysmpi_cluster* cluster);

/* How clusters whose ways can be chosen do so from now on (-1: as they were described), and what random choices depend
   on. */
void pysmpi_platform_choose_routes(pysmpi_platform* platform, int32_t routing, uint64_t seed);

/* A point is a host, a router or a zone as a member of its zone: (zone << 32) | member. */
/* Adds a listed route to the open zone; gateways are read when its points are zones. -1 when there is one already. */
int32_t pysmpi_platform_add_route(pysmpi_platform* platform, uint64_t source, uint64_t destination,
                                  uint64_t source_gateway, uint64_t destination_gateway, int32_t link_count,
                                  const uint32_t* links);
/* Adds a route of the open zone that goes before the one that its routing would find. `source` and `destination` are
   members of the zone, or the ids of two zones, neither of which holds the other, whose innermost common zone it is. -1
   when there is one already. */
int32_t pysmpi_platform_add_bypass(pysmpi_platform* platform, uint32_t source, uint32_t destination,
                                   uint64_t source_gateway, uint64_t destination_gateway, int32_t link_count,
                                   const uint32_t* links);
/* The ways of a host in an open zone of routing STAR or VIVALDI. */
void pysmpi_platform_set_ways(pysmpi_platform* platform, uint64_t host, int32_t up_count, const uint32_t* up,
                              int32_t down_count, const uint32_t* down);
/* Where a host or router of an open zone of routing VIVALDI stands, in milliseconds of latency. */
void pysmpi_platform_set_coordinates(pysmpi_platform* platform, uint64_t point, double x, double y, double height);
/* A disk of a host, with its bandwidths in bytes/s; disks count from 0 in the order in which they are added. */
void pysmpi_platform_add_disk(pysmpi_platform* platform, uint32_t host, double read_bandwidth, double write_bandwidth);
/* A link or a host changes during simulations: at each date (ascending, seconds from the simulation's begin) it takes
   the value. Bandwidth in bytes/s, latency in seconds, states as 0 (off) or 1, speed as a factor of the speed of the
   host's pstate. `loop_after`: the seconds after the last date at which the list begins again, its dates counted from
   there; negative when it does not. There is at least one date, and a list that begins again takes some time. */
enum {
  PYSMPI_PROFILE_BANDWIDTH,
  PYSMPI_PROFILE_LATENCY,
  PYSMPI_PROFILE_LINK_STATE,
  PYSMPI_PROFILE_SPEED,
  PYSMPI_PROFILE_HOST_STATE
};
void pysmpi_platform_add_profile(pysmpi_platform* platform, int32_t kind, uint32_t link_or_host, int32_t count,
                                 const double* dates, const double* values, double loop_after);
/* Factors on what the description says, once it is closed, until they are taken back: on the bandwidth of links, on how
   fast hosts compute, on latencies. `item`: a link or a host, UINT32_MAX for all; latencies have one for all. */
enum { PYSMPI_SCALE_BANDWIDTH, PYSMPI_SCALE_SPEED, PYSMPI_SCALE_LATENCY };
void pysmpi_platform_scale(pysmpi_platform* platform, int32_t what, uint32_t item, double factor);
void pysmpi_platform_scale_back(pysmpi_platform* platform);
/* Closes the description. 0, or -1 when a name that a cluster makes is there twice: then the zones that make it are in
   `zones` (UINT32_MAX: it was described on its own) and the name is in the buffer. -2 when the cluster zones[0] has too
   many hosts to compare their names with those of other clusters. */
int32_t pysmpi_platform_seal(pysmpi_platform* platform, uint32_t* zones, char* name, int32_t name_size);

/* -1 when there is none of that name. */
int64_t pysmpi_platform_find_zone(const pysmpi_platform* platform, const char* name); /* zone id */
int64_t pysmpi_platform_find_host(const pysmpi_platform* platform, const char* name); /* host id */
int64_t pysmpi_platform_find_link(const pysmpi_platform* platform, const char* name); /* link id */
int64_t pysmpi_platform_find_node(const pysmpi_platform* platform, const char* name); /* host or router: point */
uint64_t pysmpi_platform_zone_point(const pysmpi_platform* platform, uint32_t zone);
uint32_t pysmpi_platform_open_zone(const pysmpi_platform* platform); /* UINT32_MAX when none is open */
int32_t pysmpi_platform_zone_holds(const pysmpi_platform* platform, uint32_t zone, uint64_t point); /* at any depth */

uint32_t pysmpi_platform_host_count(const pysmpi_platform* platform);
uint32_t pysmpi_platform_link_count(const pysmpi_platform* platform);
/* Names are cut to the size of the buffer; their full lengths are returned. */
int32_t pysmpi_platform_host_name(const pysmpi_platform* platform, uint32_t host, char* name, int32_t name_size);
double pysmpi_platform_host_speed(const pysmpi_platform* platform, uint32_t host);
int32_t pysmpi_platform_host_cores(const pysmpi_platform* platform, uint32_t host);
int32_t pysmpi_platform_link_name(const pysmpi_platform* platform, uint32_t link, char* name, int32_t name_size);
double pysmpi_platform_link_bandwidth(const pysmpi_platform* platform, uint32_t link);
double pysmpi_platform_link_latency(const pysmpi_platform* platform, uint32_t link);
int32_t pysmpi_platform_link_policy(const pysmpi_platform* platform, uint32_t link);
/* The number of links on the route, of which as many are written as there is room for; -1 when there is no route.
   `message`: its number, by which routings that choose at random go; loads are those of an idle network. */
int32_t pysmpi_platform_route(const pysmpi_platform* platform, uint32_t source, uint32_t destination, uint64_t message,
                              uint32_t* links, int32_t room, double* latency);

#ifdef __cplusplus
}  // extern C
#endif

#endif
