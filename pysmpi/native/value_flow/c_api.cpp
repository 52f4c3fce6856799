#include "value_flow/c_api.h"

#include <cstddef>

#include "value_flow/count.hpp"
#include "value_flow/graph.hpp"
#include "value_flow/owners.hpp"

struct pysmpi_value_graph {
  pysmpi::ValueGraph graph;
};
struct pysmpi_vertex_graph {
  pysmpi::VertexGraph graph;
};
struct pysmpi_word_count {
  pysmpi::WordCount count;
};

namespace {

template <typename T>
std::span<const T> span_of(const T* data, std::int64_t length) {
  return {data, static_cast<std::size_t>(length)};
}

pysmpi_needs view_of(const pysmpi::NodeNeeds& needs) {
  return {needs.value.data(), needs.node.data(), needs.at.data(), static_cast<std::int64_t>(needs.value.size())};
}

}  // namespace

pysmpi_value_graph* pysmpi_create_value_graph(const pysmpi_value_flow* flow) {
  return new pysmpi_value_graph{pysmpi::ValueGraph({
      .kind = span_of(flow->kind, flow->values),
      .words = span_of(flow->words, flow->values),
      .event = span_of(flow->event, flow->values),
      .times = span_of(flow->times, flow->events),
      .same_before = span_of(flow->same_before, flow->events),
      .source = span_of(flow->source, flow->edges),
      .sink = span_of(flow->sink, flow->edges),
      .at = span_of(flow->at, flow->edges),
      .steering_value = span_of(flow->steering_value, flow->steering),
      .steered_at = span_of(flow->steered_at, flow->steering),
  })};
}

void pysmpi_free_value_graph(pysmpi_value_graph* graph) { delete graph; }

pysmpi_word_count* pysmpi_count_words(const pysmpi_value_graph* graph, const int32_t* part, int32_t nodes) {
  return new pysmpi_word_count{pysmpi::count_words(graph->graph, span_of(part, graph->graph.values()), nodes)};
}

void pysmpi_free_word_count(pysmpi_word_count* count) { delete count; }

int64_t pysmpi_counted_words(const pysmpi_word_count* count) { return count->count.words; }
pysmpi_needs pysmpi_sent_values(const pysmpi_word_count* count) { return view_of(count->count.sent); }
pysmpi_needs pysmpi_sent_parts(const pysmpi_word_count* count) { return view_of(count->count.parts); }
pysmpi_needs pysmpi_repeated_values(const pysmpi_word_count* count) { return view_of(count->count.repeated); }

pysmpi_vertex_graph* pysmpi_create_vertex_graph(int32_t vertices, int64_t edges, const int32_t* source,
                                                const int32_t* sink) {
  return new pysmpi_vertex_graph{pysmpi::VertexGraph(vertices, span_of(source, edges), span_of(sink, edges))};
}

void pysmpi_free_vertex_graph(pysmpi_vertex_graph* graph) { delete graph; }

void pysmpi_own_like_neighbours(const pysmpi_vertex_graph* graph, int32_t nodes, const uint8_t* by_sources,
                                int32_t* owner) {
  const auto vertices = static_cast<std::size_t>(graph->graph.vertices());
  pysmpi::own_like_neighbours(graph->graph, nodes, {by_sources, vertices}, {owner, vertices});
}
