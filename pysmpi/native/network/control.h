/* A network by itself, without an engine: for tests and benchmarks. Options are the engine's (engine/control.h). */
#ifndef PYSMPI_NETWORK_CONTROL_H
#define PYSMPI_NETWORK_CONTROL_H

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

/* Returns how many flows finished, and writes the tokens of the first `capacity` of them. */
uint32_t pysmpi_network_settle(pysmpi_network* network, double now, uint32_t* finished, uint32_t capacity);

typedef struct {
  uint64_t flows, solves, flows_touched, links_touched;
} pysmpi_network_counters;
void pysmpi_network_read_counters(const pysmpi_network* network, pysmpi_network_counters* out);

#ifdef __cplusplus
}  // extern C
#endif

#endif
