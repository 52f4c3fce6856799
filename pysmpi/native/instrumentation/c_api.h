/* Who observes a simulation: from after its begin to before its end. */
#ifndef PYSMPI_INSTRUMENTATION_C_API_H
#define PYSMPI_INSTRUMENTATION_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The timeline (instrumentation/timeline/timeline.hpp) goes to this file from now on. Formats: "perfetto", "json",
   "paje", "csv". The second returns 0, or the errno of what could not be written. */
void pysmpi_begin_timeline(const char* path, const char* format);
int32_t pysmpi_end_timeline(void);

/* Profiles and reports of the network, from here on to the simulation's end: with `times` where the ranks' time goes,
   with `traffic` who has sent how much to whom; what links carry in any case. To be ended before the simulation. */
void pysmpi_begin_profile(int32_t times, int32_t traffic);
void pysmpi_end_profile(void);

/* What has been found, to be read as the ranks have ended. How many rows there are of each kind, and how many places
   the path is given for; then these rows (instrumentation/profile/time_profile.hpp). The path: seconds by place, and by
   what they went to.
 */
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
  double seconds[13];
} pysmpi_place_time;
typedef struct {
  uint32_t place, awaited;
  int32_t waiting_rank, awaited_rank, first_rank, last_rank;
  uint64_t count;
  double seconds, longest;
} pysmpi_waits;
void pysmpi_read_profile(pysmpi_rank_time* ranks, pysmpi_place_time* places, pysmpi_waits* peers, pysmpi_waits* links,
                         double* path);

/* What the ranks have done when (instrumentation/timeline/timeline_overview.hpp): seconds by row, interval of `width`
   seconds, and state: 256 intervals, of which the last ones may lie behind the end. */
typedef struct {
  uint32_t rows, ranks_per_row;
  double width;
} pysmpi_overview_size;
void pysmpi_overview_sizes(pysmpi_overview_size* out);
void pysmpi_read_overview(double* seconds);

/* Places by number, "file:line"; numbers are below the count. */
const char* pysmpi_call_site(uint32_t number);
uint32_t pysmpi_call_sites(void);

/* Of all links of the platform; `number`: as waits for links name them, 2^32 - 1 where nothing has crossed the link. */
typedef struct {
  double bytes, flow_seconds, saturated;
  uint64_t flows;
  uint64_t number;
} pysmpi_link_use;
void pysmpi_read_link_use(pysmpi_link_use* out);

/* The communication matrix: neighbouring ranks share a row where there are many. */
int32_t pysmpi_matrix_rows(void);
int32_t pysmpi_matrix_ranks_per_row(void);
void pysmpi_read_matrix(int64_t* bytes, int64_t* messages);

#ifdef __cplusplus
}  // extern C
#endif

#endif
