/* Flow of values of a sequential program (value_flow/graph.hpp), and the words that nodes send for given owners of the
 * values (value_flow/count.hpp). It has nothing to do with a simulation. */
#ifndef PYSMPI_VALUE_FLOW_C_API_H
#define PYSMPI_VALUE_FLOW_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pysmpi_value_graph pysmpi_value_graph;
typedef struct pysmpi_word_count pysmpi_word_count;

/* A data-flow graph: values, executions of statements ("events"), and edges.
 * values: `kind` is 1 for sums (or maxima, ...) that can be added up in parts, 2 for meetings, 0 for others. A meeting
 *     stands for edges from each of its sources to each of its sinks. A value has a size of `words` (8 bytes each) and
 *     is computed in an `event`.
 * events: `times` is the number of repetitions of an event, `same_before` the index of the previous event of the same
 *     statement that stored to the same array elements, or -1.
 * edges: they lead from `source` to `sink` and are needed by the event `at`.
 * steering: values that are needed by all nodes, and the events that need them. */
typedef struct {
  int64_t values;
  const uint8_t *kind, *words;
  const int32_t* event;
  int64_t events;
  const int64_t* times;
  const int32_t* same_before;
  int64_t edges;
  const int32_t *source, *sink, *at;
  int64_t steering;
  const int32_t *steering_value, *steered_at;
} pysmpi_value_flow;
/* The arrays are copied. */
pysmpi_value_graph* pysmpi_create_value_graph(const pysmpi_value_flow* flow);
void pysmpi_free_value_graph(pysmpi_value_graph* graph);

/* Count what nodes send if value v belongs to node `part[v]`. */
pysmpi_word_count* pysmpi_count_words(const pysmpi_value_graph* graph, const int32_t* part, int32_t nodes);
void pysmpi_free_word_count(pysmpi_word_count* count);

/* Words that are sent in the whole run. */
int64_t pysmpi_counted_words(const pysmpi_word_count* count);

/* A part of a count: triples of a value, a node and the first event that needs the value there. */
typedef struct {
  const int32_t *value, *node, *at;
  int64_t length;
} pysmpi_needs;
/* Values that are sent to a node; sums of which a node sends a part to their owner; and values that a node computes
 * itself instead of receiving them. They are valid until the count is freed. Each is ordered by value, then
 * node, but the last: values that are computed only to compute others stand behind those that a node reads. */
pysmpi_needs pysmpi_sent_values(const pysmpi_word_count* count);
pysmpi_needs pysmpi_sent_parts(const pysmpi_word_count* count);
pysmpi_needs pysmpi_repeated_values(const pysmpi_word_count* count);

/* Graph of vertices, each of which has one owner. Those without an owner (-1) get one as value_flow/owners.hpp says.
 * Each pair of a source and a sink occurs once, ordered by source, then sink. The arrays are copied. */
typedef struct pysmpi_vertex_graph pysmpi_vertex_graph;
pysmpi_vertex_graph* pysmpi_create_vertex_graph(int32_t vertices, int64_t edges, const int32_t* source,
                                                const int32_t* sink);
void pysmpi_free_vertex_graph(pysmpi_vertex_graph* graph);
void pysmpi_own_like_neighbours(const pysmpi_vertex_graph* graph, int32_t nodes, const uint8_t* by_sources,
                                int32_t* owner);

#ifdef __cplusplus
}  // extern C
#endif
#endif
