/* C interface to the observers of a simulation: timeline, profile, link use, communication matrix and requirements.
   Start an observer after the simulation has begun, and end it before the simulation ends. */
#ifndef PYSMPI_INSTRUMENTATION_C_API_H
#define PYSMPI_INSTRUMENTATION_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write the timeline (instrumentation/timeline/timeline.hpp) to a file from now on. Formats: "perfetto", "json",
   "paje", "csv". pysmpi_end_timeline returns 0, or the errno of the first failed write. */
void pysmpi_begin_timeline(const char* path, const char* format);
int32_t pysmpi_end_timeline(void);

/* Call `observer` from now on for each datatype (kind 0) and reduction operation (kind 1) that the running rank
 * creates (`made` 1) or frees (`made` 0). A null pointer ends these calls. */
void pysmpi_observe_objects(void (*observer)(int32_t kind, int64_t handle, int32_t made));

/* bindings: extern "Python" */
void py_observe_object(int32_t kind, int64_t handle, int32_t made);
/* bindings: end */

/* pysmpi_record: from now on, write what the ranks do to the files DIRECTORY/rank-N.txt, as time-independent traces
 * (instrumentation/ti_trace/ti_trace.hpp). To stop, call pysmpi_end_recording, which closes the files and returns -1
 * if one could not be written, then pysmpi_record with null as directory. pysmpi_inexpressible returns the first
 * operation of the program that the trace format cannot express, or "". */
void pysmpi_record(const char* directory, int32_t ranks);
int32_t pysmpi_end_recording(void);
const char* pysmpi_inexpressible(void);

/* Collect a profile until pysmpi_end_profile, which must be called before the simulation ends. Link use is always
   collected; `times` adds the time profile of the ranks, and `traffic` the communication matrix. */
void pysmpi_begin_profile(int32_t times, int32_t traffic);
void pysmpi_end_profile(void);

/* Results of the time profile (instrumentation/profile/time_profile.hpp), to be read after the ranks have ended.
 * First, pysmpi_profile_sizes writes the length of each array; then pysmpi_read_profile fills the arrays. `ranks`:
 * one element for each rank. `places`: one for each pair of rank and call site. `waits_for_peers`: waits for other
 * ranks. `waits_for_links`: waits for links. `path`: the critical path, in seconds by call site and kind of
 * activity. */
typedef struct {
  uint32_t ranks, places, waits_for_peers, waits_for_links, path;
} pysmpi_profile_size;
void pysmpi_profile_sizes(pysmpi_profile_size* out);
typedef struct {
  double begun, ended, caused;
} pysmpi_rank_time;
typedef struct {
  int32_t rank, place;
  uint64_t calls, messages, bytes;
  double seconds[14];
} pysmpi_place_time;
typedef struct {
  uint32_t place, awaited;
  int32_t waiting_rank, awaited_rank, first_rank, last_rank;
  uint64_t count;
  double seconds, longest;
} pysmpi_waits;
void pysmpi_read_profile(pysmpi_rank_time* ranks, pysmpi_place_time* places, pysmpi_waits* peers, pysmpi_waits* links,
                         double* path);

/* Overview of the timeline (instrumentation/timeline/timeline_overview.hpp): seconds for each row (one or more
 * neighbouring ranks), interval of the run, and state. There are 256 intervals of `width` seconds; the last ones may
 * lie after the end of the run. */
typedef struct {
  uint32_t rows, ranks_per_row;
  double width;
} pysmpi_overview_size;
void pysmpi_overview_sizes(pysmpi_overview_size* out);
void pysmpi_read_overview(double* seconds);

/* pysmpi_call_site returns the text "file:line" of a call site, pysmpi_call_sites the number of call sites. */
const char* pysmpi_call_site(uint32_t number);
uint32_t pysmpi_call_sites(void);

/* Use of each link of the platform. `number` is the number by which a pysmpi_waits row refers to this link, or 2^32 -
 * 1 if no message crossed the link. */
typedef struct {
  double bytes, flow_seconds, saturated;
  uint64_t flows;
  uint64_t number;
} pysmpi_link_use;
void pysmpi_read_link_use(pysmpi_link_use* out);
/* Returns the host of which the network's link of this number is a part, or UINT32_MAX, and writes the part: 0 for its
 * memory, 1 and 2 for its network card, outgoing and incoming. */
uint32_t pysmpi_part_of_host(uint64_t number, int32_t* part);

/* Measurements of packets under network/model:Packets (network/packets/packet_meter.hpp), if pysmpi_begin_profile was
 * called with `traffic`. pysmpi_packet_delay_bins returns the number of bins of the histogram of delays, or 0 under
 * other models; the other functions may then not be called. pysmpi_read_packet_delays writes the begin of each bin in
 * seconds and its number of packets. pysmpi_read_ports writes a row for each link of the platform.
 * pysmpi_read_delay_matrix writes the seconds from each row of ranks to each row, as in the communication matrix. */
typedef struct {
  double bytes, waited, longest, saturated, stalled, head_of_line, caused;
  uint64_t packets;
} pysmpi_port;
uint32_t pysmpi_packet_delay_bins(void);
void pysmpi_read_packet_delays(double* begins, uint64_t* packets);
void pysmpi_read_ports(pysmpi_port* out);
void pysmpi_read_delay_matrix(double* seconds);

/* The communication matrix: bytes and messages from each row of ranks (sender) to each row (receiver). With many
 * ranks, a row stands for several neighbouring ranks. */
int32_t pysmpi_matrix_rows(void);
int32_t pysmpi_matrix_ranks_per_row(void);
void pysmpi_read_matrix(int64_t* bytes, int64_t* messages);

/* Count what each rank sends, receives and asks of collectives (instrumentation/requirements/requirements.hpp) until
 * pysmpi_end_requirements, which must be called before the simulation ends. There is a row for each pair of a kind of
 * communication and a rank; pysmpi_read_requirements fills pysmpi_requirement_rows rows. Kinds 0 to 2 are
 * point-to-point messages, one-sided ones and files; pysmpi_requirement_function names the MPI function of the others,
 * and returns null for a number without kind. */
typedef struct {
  uint32_t kind, rank;
  int64_t sent_bytes, sent_messages, received_bytes, received_messages, asked_bytes;
} pysmpi_requirement_row;
void pysmpi_begin_requirements(void);
void pysmpi_end_requirements(void);
uint32_t pysmpi_requirement_rows(void);
void pysmpi_read_requirements(pysmpi_requirement_row* out);
const char* pysmpi_requirement_function(uint32_t kind);
/* Amounts sent by place of the program: bytes and messages, with the number of the call site in place of the kind. */
uint32_t pysmpi_requirement_places(void);
void pysmpi_read_requirement_places(pysmpi_requirement_row* out);
/* Algorithms that selectors have chosen, each once: names of the operation, such as "allreduce", and the algorithm. */
uint32_t pysmpi_requirement_choices(void);
const char* pysmpi_requirement_operation(uint32_t choice);
const char* pysmpi_requirement_algorithm(uint32_t choice);
/* Returns the share of the measured computation in whose intervals between MPI calls no operation was counted. */
double pysmpi_unseen_computation(void);

#ifdef __cplusplus
}  // extern C
#endif

#endif
