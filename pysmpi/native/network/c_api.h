/* A network by itself, without an engine: for tests and benchmarks. Options are those of base/c_api.h. */
#ifndef PYSMPI_NETWORK_C_API_H
#define PYSMPI_NETWORK_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pysmpi_network pysmpi_network;

pysmpi_network* pysmpi_network_create(void);
void pysmpi_network_destroy(pysmpi_network* network);

/* As class Network has them (network/network.hpp). */
uint32_t pysmpi_network_add_link(pysmpi_network* network, double bandwidth, int32_t fatpipe);
uint32_t pysmpi_network_start(pysmpi_network* network, double now, const uint32_t* route, uint32_t route_links,
                              const uint32_t* back_route, uint32_t back_route_links, double latency, double size,
                              uint32_t token, uint64_t order);
void pysmpi_network_cancel(pysmpi_network* network, double now, uint32_t flow);
double pysmpi_network_remaining(const pysmpi_network* network, double now, uint32_t flow);
double pysmpi_network_rate(const pysmpi_network* network, uint32_t flow);
double pysmpi_network_next_event(pysmpi_network* network, double now);

/* Links change, as class Network has it. 1 when flows are concerned at once. */
int32_t pysmpi_network_set_bandwidth(pysmpi_network* network, uint32_t link, double bandwidth, double date);
int32_t pysmpi_network_change_latency(pysmpi_network* network, uint32_t link, double by);
int32_t pysmpi_network_set_state(pysmpi_network* network, uint32_t link, int32_t on, double date);

/* Returns how many flows failed, and writes the tokens of the first `capacity` of them. */
uint32_t pysmpi_network_take_failed(pysmpi_network* network, uint32_t* failed, uint32_t capacity);

/* Returns how many flows finished, and writes the tokens of the first `capacity` of them. */
uint32_t pysmpi_network_settle(pysmpi_network* network, double now, uint32_t* finished, uint32_t capacity);

typedef struct {
  uint64_t flows, solves, flows_touched, links_touched;
} pysmpi_network_counters;
void pysmpi_network_read_counters(const pysmpi_network* network, pysmpi_network_counters* out);

/* One message that has the network to itself, from its posting to its arrival, under the options. Of the links that its
   route and the way back cross, numbered from 0: their bandwidths, and which of them do not share. */
typedef struct {
  uint32_t links;
  const double* bandwidths;
  const int32_t* fatpipes;
  uint32_t route_links, back_route_links;
  const uint32_t *route, *back_route; /* the latter empty without crosstraffic */
  double latency;                     /* of the route, seconds */
  double bytes;                       /* of the program's data */
  double sent;                        /* seconds; its receive has been posted before */
  int32_t eager;
} pysmpi_lone_message;

typedef struct {
  double wire_bytes;                       /* with what the protocol adds */
  double latency_factor, bandwidth_factor; /* of flows */
  double delay;                            /* seconds before the bytes move, or of the whole message: its latency */
  double bytes_delay;                      /* LogGPS: seconds between its first and its last byte */
  double bound, window;                    /* bytes/s that its links, and TCP's window, let through */
  double penalty;                          /* seconds: its share of a full link is inverse to it */
  double rate;                             /* bytes/s at which it is delivered */
  double leaves, arrives;                  /* seconds */
} pysmpi_lone_terms;
void pysmpi_explain_message(const pysmpi_lone_message* message, pysmpi_lone_terms* out);

#ifdef __cplusplus
}  // extern C
#endif

#endif
