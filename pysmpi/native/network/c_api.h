/* C functions that choose the network model, and that run a network without the engine, for tests, benchmarks and
 * pysmpi.explain. Options are set with base/c_api.h. */
#ifndef PYSMPI_NETWORK_C_API_H
#define PYSMPI_NETWORK_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Chooses the model until pysmpi_reset_options. Returns -1 if no file of network/models registers the name. */
int32_t pysmpi_set_network_model(const char* name);

typedef struct pysmpi_network pysmpi_network;

pysmpi_network* pysmpi_network_create(void);
void pysmpi_network_destroy(pysmpi_network* network);

/* Functions of class Network, which network/network.hpp explains. */
uint32_t pysmpi_network_add_link(pysmpi_network* network, double bandwidth, int32_t fatpipe);
uint32_t pysmpi_network_start(pysmpi_network* network, double now, const uint32_t* route, uint32_t route_links,
                              const uint32_t* back_route, uint32_t back_route_links, double latency, double size,
                              uint32_t token, uint64_t order);
void pysmpi_network_cancel(pysmpi_network* network, double now, uint32_t flow);
double pysmpi_network_remaining(const pysmpi_network* network, double now, uint32_t flow);
double pysmpi_network_rate(const pysmpi_network* network, uint32_t flow);
double pysmpi_network_next_event(pysmpi_network* network, double now);

/* Change a link, as the functions of the same names in class Network do. They return 1 if flows under way are
 * affected, else 0. */
int32_t pysmpi_network_set_bandwidth(pysmpi_network* network, uint32_t link, double bandwidth, double date);
int32_t pysmpi_network_change_latency(pysmpi_network* network, uint32_t link, double by);
int32_t pysmpi_network_set_state(pysmpi_network* network, uint32_t link, int32_t on, double date);

/* Return the number of flows that have failed since the last call because a link went off. Writes their tokens (the
 * numbers given to pysmpi_network_start) to `failed`, at most `capacity` of them. */
uint32_t pysmpi_network_take_failed(pysmpi_network* network, uint32_t* failed, uint32_t capacity);

/* Keep flows in groups, one for all flows that the same full link limits, whenever possible (Network::always_group). */
void pysmpi_network_always_group(pysmpi_network* network);

/* Process the events due at `now`. Returns the number of flows that have finished, and writes their tokens (the
 * numbers given to pysmpi_network_start) to `finished`, at most `capacity` of them. */
uint32_t pysmpi_network_settle(pysmpi_network* network, double now, uint32_t* finished, uint32_t capacity);

typedef struct {
  uint64_t flows, solves, flows_touched, links_touched;
} pysmpi_network_counters;
void pysmpi_network_read_counters(const pysmpi_network* network, pysmpi_network_counters* out);

/* A network of packets without the engine. Functions and terms are those of class PacketNetwork, which
 * network/packets/packet_network.hpp explains. With `room` 0, buffers have no limit. */
typedef struct pysmpi_packets pysmpi_packets;
pysmpi_packets* pysmpi_packets_create(uint32_t channels, double room);
void pysmpi_packets_destroy(pysmpi_packets* packets);
uint32_t pysmpi_packets_add_cable(pysmpi_packets* packets, double bandwidth, double latency);
/* Let a packet come to its first cable at `time`. A way has `hops` cables with their channels. Returns the number of
 * the packet: 0, 1, … in the order of the calls. */
uint32_t pysmpi_packets_send(pysmpi_packets* packets, double time, const uint32_t* cables, const uint32_t* channels,
                             uint32_t hops, uint32_t bytes);
/* Run until no event is left. Writes the time of arrival of each packet (infinity: it has not arrived). Returns the
 * number of packets that have arrived. */
uint32_t pysmpi_packets_run(pysmpi_packets* packets, double* arrivals);
uint64_t pysmpi_packets_crossings(const pysmpi_packets* packets);
/* Return the bytes behind the cable whose credits have not come back at the end. */
double pysmpi_packets_held(const pysmpi_packets* packets, uint32_t cable);

/* Closed-loop traffic over the installed platform under the options' network model, as network/traffic.hpp explains.
 * `destinations` has an element for each host, or is null for random destinations. */
typedef struct {
  uint64_t sent, arrived;
  double seconds;
  double rate; /* bytes/s */
} pysmpi_traffic;
void pysmpi_carry_traffic(const uint32_t* destinations, uint64_t messages, uint32_t under_way, double bytes,
                          uint64_t seed, pysmpi_traffic* out);

/* One message that has the network to itself, from posting to arrival, under the current options. Links are numbered
 * from 0; `bandwidths` (bytes/s), `latencies` and `fatpipes` (1 if flows do not share the link) are indexed by these
 * numbers. `route` lists the links to the receiver, `back_route` those to the sender, which acknowledgements cross. */
typedef struct {
  uint32_t links;
  const double* bandwidths;
  const double* latencies; /* s; only network/model:Packets reads them */
  const int32_t* fatpipes;
  uint32_t route_links, back_route_links;
  const uint32_t *route, *back_route; /* back_route is empty without cross traffic */
  double latency;                     /* of the route, in seconds */
  double bytes;                       /* size of the program's data */
  double sent;                        /* seconds; the receive is posted earlier */
  int32_t eager;
  int32_t inside;      /* 1 if both ends are on the same host */
  uint32_t channels;   /* of the buffers under network/model:Packets, as pysmpi_platform_channels returns */
  int32_t routes_vary; /* 1 if each packet may take another route, as pysmpi_platform_routes_vary returns */
} pysmpi_lone_message;

typedef struct {
  double wire_bytes;                       /* bytes including the protocol's overhead */
  double latency_factor, bandwidth_factor; /* factors applied to flows */
  /* Seconds before the bytes move. Under network/model:Constant this is the message's whole duration, under
   * network/model:LogGPS the latency L. */
  double delay;
  double end_latency;     /* part of the delay that adapters and library take, in seconds */
  double transfer;        /* seconds while the bytes move */
  double bound, window;   /* limits in bytes/s: of the links, and of the TCP window */
  double penalty;         /* seconds; the flow's share of a full link is proportional to 1 / penalty */
  double rate;            /* delivery rate in bytes/s */
  double leaves, arrives; /* seconds */
  int32_t lacks_room;     /* 1 if packets wait for room in a buffer */
} pysmpi_lone_terms;
void pysmpi_explain_message(const pysmpi_lone_message* message, pysmpi_lone_terms* out);

#ifdef __cplusplus
}  // extern C
#endif

#endif
