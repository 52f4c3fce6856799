// The data that collectives' arguments describe, and what ranks send to each other by those whose blocks are all
// different.
#pragma once

#include <vector>

#include "instrumentation/check/meetings.hpp"

namespace pysmpi {

Amount amount_of(std::int64_t count, std::int32_t type);

// One block for all ranks, or one for each.
std::vector<Amount> sent_blocks(const Arguments& a);
std::vector<Amount> received_blocks(const Arguments& a);

// Of vectors.
Amount all_of(const std::vector<Amount>& blocks);

// What the rank sends and receives, into the meeting's balances; and what is left of these once all have entered.
void add_exchanges(const CollectiveCall& call, const Party& own, Meeting& meeting);
void settle_exchanges(const CollectiveCall& call, const Meeting& meeting);

}  // namespace pysmpi
