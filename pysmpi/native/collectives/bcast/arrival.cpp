// Broadcasts in which rank 0 sends the data to the other ranks in the order in which they enter the call (Patarasuk and
// Yuan, "Efficient MPI_Bcast across different process arrival patterns", IPDPS 2008).
//
// The root first sends the buffer to rank 0. Each other rank announces its arrival by a note of one byte, for which
// rank 0 probes. Ranks whose notes rank 0 has found at the same time are served together: they get a list of these
// ranks, then the data.
#include <algorithm>
#include <vector>

#include "base/options.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/bcast/segments.hpp"
#include "matching/protocol.hpp"

namespace pysmpi {

namespace {

enum Stream : std::int32_t { kData, kNotes, kLists, kFarewells };

constexpr int kLongList = 1024, kShortList = 128;

// The list of ranks that get the data together. The data pass from rank to rank in the order of the list. kNobody marks
// its end.
class List {
 public:
  explicit List(int room) : room_(room), memory_(bytes()) { std::fill_n(ranks(), room, kNobody); }

  std::int64_t bytes() const { return room_ * static_cast<std::int64_t>(sizeof(std::int32_t)); }
  std::int32_t* ranks() const { return reinterpret_cast<std::int32_t*>(memory_.data()); }
  int length() const { return static_cast<int>(std::find(ranks(), ranks() + room_, kNobody) - ranks()); }
  int most() const { return room_ - 1; }
  int place_of(int rank) const { return static_cast<int>(std::find(ranks(), ranks() + room_, rank) - ranks()); }
  void set(std::vector<std::int32_t>::const_iterator first, std::ptrdiff_t count) const {
    *std::copy(first, first + count, ranks()) = kNobody;
  }

 private:
  int room_;
  Scratch memory_;
};

// Division of the buffer into messages: one message, or whole segments of 8 KiB. A rest shorter than a segment is
// broadcast separately.
struct BcastMessages {
  Segments segments;
  bool one;
  std::int64_t count, elements;
  explicit BcastMessages(const Arguments& a)
      : segments(a, kSegmentBytes),
        one(segments.are_one(a)),
        count(one ? 1 : segments.whole),
        elements(one ? a.receive_count : segments.elements) {}
};

// Return the stream of notes. SMPI gives the notes for the whole segments and those for the rest one tag. Rank 0 may
// therefore find a note for the rest while it still serves whole segments, and its probe ends sooner.
std::int32_t notes(const Runner& run) { return kNotes + run.outside_meanwhile(); }

Schedule announce(Runner& run) {
  static constexpr char kNote = 0;
  run.stream = notes(run);
  co_await run.send_now(0, &kNote, 1, kByte);
  run.stream = kData;
}

Schedule hear_note(Runner& run, int rank) {
  char note;
  run.stream = notes(run);
  co_await run.receive_now(rank, &note, 1, kByte);
  run.stream = kData;
}

Schedule send_list(Runner& run, int to, const List& list) {
  run.stream = kLists;
  co_await run.send_now(to, list.ranks(), list.bytes(), kByte);
  run.stream = kData;
}

Schedule hear_list(Runner& run, int from, const List& list) {
  run.stream = kLists;
  co_await run.receive_now(from, list.ranks(), list.bytes(), kByte);
  run.stream = kData;
}

// The ranks that have entered the broadcast and whose notes rank 0 has received.
class Arrivals {
 public:
  explicit Arrivals(int ranks) : next_away_(ranks) {
    for (int i = 0; i < ranks; ++i) next_away_[i] = i + 1;
  }

  // Probes three times for the notes of all ranks that have not entered yet. After each note found, the search starts
  // again at the first of these ranks, because more ranks may have entered meanwhile.
  Schedule look_round(Runner& run) {
    const int end = run.size;
    for (int sweep = 0; sweep < 3; ++sweep) {
      for (int before = 0; next_away_[before] < end;) {
        const int rank = next_away_[before];
        run.stream = notes(run);
        const bool found = co_await run.probe(rank);
        run.stream = kData;
        if (!found) {
          before = rank;
          continue;
        }
        co_await enter(run, rank, before);
        before = 0;
      }
    }
    if (here_.empty() && run.probes_are_pointless()) co_await enter(run, next_away_[0], 0);
    std::sort(here_.begin(), here_.end());
  }

  // Stores ranks that have entered in `list`, as many as it holds, and marks them as served. Returns their number.
  int serve(const List& list) {
    const int count = std::min(static_cast<int>(here_.size()), list.most());
    list.set(here_.begin(), count);
    here_.erase(here_.begin(), here_.begin() + count);
    served_ += count;
    return count;
  }
  int served() const { return served_; }

 private:
  Schedule enter(Runner& run, int rank, int before) {
    next_away_[before] = next_away_[rank];
    here_.push_back(rank);
    co_await hear_note(run, rank);
  }

  std::vector<std::int32_t> next_away_, here_;
  int served_ = 0;
};

// Receives all messages of the broadcast from rank `from` and forwards each to rank `to` (kNobody at the end of the
// chain). The list of served ranks must have been sent to `to` before.
Schedule pass_on(Runner& run, const Arguments& a, const BcastMessages& messages, int from, int to) {
  const auto at = [&](std::int64_t i) { return a.receive_at(i * messages.elements); };
  for (std::int64_t i = 0; i < messages.count; ++i) {
    if (to == kNobody) {
      run.receive(from, at(i), messages.elements, a.receive_type);
    } else {
      run.start_receive(from, at(i), messages.elements, a.receive_type);
    }
  }
  for (std::int64_t i = 0; i < messages.count && to != kNobody; ++i) {
    co_await run.finish_first();
    co_await run.start_send(to, at(i), messages.elements, a.receive_type);
  }
  co_await run.round();
}

// Sender and receiver of a rank's data, by its position in the list.
struct Neighbours {
  int from, to;
  Neighbours(const List& list, int rank) {
    const int place = list.place_of(rank);
    from = place == 0 ? 0 : list.ranks()[place - 1];
    to = list.ranks()[place + 1];
  }
};

// Rank 0's part in bcast_by_arrival.
Schedule serve_by_arrival(Runner& run, const Arguments& a, const BcastMessages& messages) {
  const List list(kLongList);
  std::vector<bool> served(run.size, false), present(run.size);
  std::vector<std::int32_t> together, unasked;
  for (int count = 1; count < run.size; count += static_cast<int>(together.size())) {
    for (int rank = 1; rank < run.size; ++rank) {
      run.stream = notes(run);
      present[rank] = co_await run.probe(rank);
      run.stream = kData;
    }
    if (!messages.one) co_await run.sleep(options().wtime_cost);  // SMPI reads the clock here
    together.clear();
    for (int rank = 1; rank < run.size && static_cast<int>(together.size()) < list.most(); ++rank) {
      if (!present[rank] || served[rank]) continue;
      co_await hear_note(run, rank);
      together.push_back(rank);
    }
    if (together.empty()) {
      together.push_back(static_cast<int>(std::find(served.begin() + 1, served.end(), false) - served.begin()));
      unasked.push_back(together[0]);
    }
    for (const int rank : together) served[rank] = true;
    list.set(together.begin(), static_cast<std::ptrdiff_t>(together.size()));
    co_await send_list(run, together[0], list);
    for (std::int64_t i = 0; i < messages.count; ++i) {
      co_await run.send_now(together[0], a.receive_at(i * messages.elements), messages.elements, a.receive_type);
    }
  }
  std::sort(unasked.begin(), unasked.end());
  for (const int rank : unasked) {
    if (!messages.one) {
      co_await hear_note(run, rank);
      continue;
    }
    // Rank 0 no longer needs the notes of these ranks. It drops a note that has arrived, and otherwise asks the rank to
    // withdraw its note.
    run.stream = notes(run);
    const bool left = run.discard(rank, 0);
    run.stream = kFarewells;
    if (!left) co_await run.start_send(rank, nullptr, 0, kByte);
    run.stream = kData;
  }
}

}  // namespace

// Passes the data along a chain of all ranks that have entered the broadcast. If no rank without the data has entered,
// rank 0 sends the data to the first such rank, although this rank may enter much later.
Schedule bcast_by_arrival(Runner& run, Arguments a) {
  if (run.size == 1) co_return;
  if (!is_detached(1, SendMode::kStandard)) {
    note_fallback("bcast", "arrival_pattern_aware", "binomial_tree", "messages of one byte are not sent eagerly");
    co_await bcast_binomial(run, a);
    co_return;
  }
  co_await hand_to_rank_0(run, a);
  const BcastMessages messages(a);
  if (run.rank == 0) {
    co_await serve_by_arrival(run, a, messages);
  } else {
    const List list(kLongList);
    co_await announce(run);
    co_await hear_list(run, kAnySource, list);
    const Neighbours neighbours(list, run.rank);
    if (messages.one) {
      co_await run.receive_now(neighbours.from, a.receive, a.receive_count, a.receive_type);
      if (neighbours.to != kNobody) {
        co_await send_list(run, neighbours.to, list);
        co_await run.send_now(neighbours.to, a.receive, a.receive_count, a.receive_type);
      }
      run.stream = kFarewells;
      const bool unheard = run.discard(0, run.rank);
      run.stream = notes(run);
      if (unheard) run.discard(run.rank, 0);
      run.stream = kData;
    } else {
      if (neighbours.to != kNobody) co_await send_list(run, neighbours.to, list);
      co_await pass_on(run, a, messages, neighbours.from, neighbours.to);
    }
  }
  if (!messages.one) co_await broadcast_rest(run, a, messages.segments);
}

// Passes the data along a chain of all ranks that have entered the broadcast, but waits until at least one has entered.
Schedule bcast_by_arrival_in_groups(Runner& run, Arguments a) {
  if (run.size == 1) co_return;
  co_await hand_to_rank_0(run, a);
  const BcastMessages messages(a);
  const List list(kLongList);
  if (run.rank == 0) {
    for (Arrivals arrivals(run.size); arrivals.served() < run.size - 1;) {
      co_await arrivals.look_round(run);
      if (arrivals.serve(list) == 0) continue;
      const int first = list.ranks()[0];
      co_await send_list(run, first, list);
      for (std::int64_t i = 0; i < messages.count; ++i) {
        run.send(first, a.receive_at(i * messages.elements), messages.elements, a.receive_type);
      }
      co_await run.round();
    }
  } else {
    co_await announce(run);
    co_await hear_list(run, kAnySource, list);
    const Neighbours neighbours(list, run.rank);
    if (neighbours.to != kNobody) co_await send_list(run, neighbours.to, list);
    co_await pass_on(run, a, messages, neighbours.from, neighbours.to);
  }
  if (!messages.one) co_await broadcast_rest(run, a, messages.segments);
}

// Scatters the buffer over the ranks that have entered; they exchange the pieces round a ring.
Schedule bcast_scatter_by_arrival(Runner& run, Arguments a) {
  if (run.size == 1) co_return;
  if (a.receive_count < run.size) {
    note_fallback("bcast", "arrival_scatter", "binomial_tree", "there are fewer elements than ranks");
    co_await bcast_binomial(run, a);
    co_return;
  }
  co_await hand_to_rank_0(run, a);
  const List list(kShortList);
  const auto begin = [&](int place, int ranks) { return a.receive_count / ranks * place; };
  const auto length = [&](int place, int ranks) {
    return a.receive_count / ranks + (place == ranks - 1 ? a.receive_count % ranks : 0);
  };
  if (run.rank == 0) {
    for (Arrivals arrivals(run.size); arrivals.served() < run.size - 1;) {
      co_await arrivals.look_round(run);
      const int ranks = arrivals.serve(list);
      for (int i = 0; i < ranks; ++i) co_await send_list(run, list.ranks()[i], list);
      for (int i = 0; i < ranks; ++i) {
        co_await run.send_now(list.ranks()[i], a.receive_at(begin(i, ranks)), length(i, ranks), a.receive_type);
      }
    }
    co_return;
  }
  co_await announce(run);
  co_await hear_list(run, 0, list);
  const int ranks = list.length(), place = list.place_of(run.rank);
  co_await run.receive_now(0, a.receive_at(begin(place, ranks)), length(place, ranks), a.receive_type);
  const int to = list.ranks()[(place + 1) % ranks], from = list.ranks()[(place + ranks - 1) % ranks];
  for (int step = 0; step < ranks - 1; ++step) {
    const int out = (place - step + ranks) % ranks, in = (place - step - 1 + ranks) % ranks;
    co_await run.exchange(to, a.receive_at(begin(out, ranks)), length(out, ranks), a.receive_type, from,
                          a.receive_at(begin(in, ranks)), length(in, ranks), a.receive_type);
  }
}

}  // namespace pysmpi
