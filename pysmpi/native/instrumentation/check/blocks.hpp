// Amounts of data that the arguments of collectives describe, and the check of collectives in which each pair of ranks
// may exchange a block of its own size.
#pragma once

#include <vector>

#include "instrumentation/check/meetings.hpp"

namespace pysmpi {

// Return the amount of `count` elements of a datatype.
Amount amount_of(std::int64_t count, std::int32_t type);

// sent_blocks returns the amounts of data that the rank sends to other ranks according to the arguments of a
// collective, received_blocks the amounts that it receives: a single amount if it is the same for all other ranks,
// otherwise one amount for each rank.
std::vector<Amount> sent_blocks(const Arguments& arguments);
std::vector<Amount> received_blocks(const Arguments& arguments);

// Combine the blocks of a vector collective (such as MPI_Gatherv) into one amount, with which two ranks' arguments can
// be compared.
Amount all_of(const std::vector<Amount>& blocks);

// Compare the data that the rank exchanges with each rank that has entered the collective before, and report the first
// pair that differs. When all ranks have entered, settle_exchanges reports a rank that differs from itself, if no pair
// of ranks was reported.
void compare_exchanges(const CollectiveCall& call, const Party& own, Meeting& meeting);
void settle_exchanges(const CollectiveCall& call, const Meeting& meeting);

}  // namespace pysmpi
