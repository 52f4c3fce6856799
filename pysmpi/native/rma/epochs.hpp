// Synchronisation of windows: the epochs in which a rank may access which memory (MPI 4.1, section 12.5). All functions
// act for the running rank. They return an MPI error code; on an error the window's error handler has been called.
#pragma once

#include <cstdint>
#include <span>

#include "rma/window.hpp"

namespace pysmpi {

inline constexpr std::int32_t kModeNoPrecede = 8192, kModeNoSucceed = 16384;  // value in MPICH's ABI

// Returns whether the rank may access the target's memory now, and records that it does.
bool may_access(Window& window, std::int32_t target);

int fence(Window& window, int assertion);

// Implementations of MPI_Win_post, MPI_Win_start, MPI_Win_complete, MPI_Win_wait and MPI_Win_test, in this order.
// `members` are ranks in the window.
int post_exposure(Window& window, std::span<const std::int32_t> members);
int start_access(Window& window, std::span<const std::int32_t> members);
int complete_access(Window& window);
int wait_for_accesses(Window& window);
int test_accesses(Window& window, bool& done);

int lock_member(Window& window, std::int32_t target, bool exclusive);
int unlock_member(Window& window, std::int32_t target);
int lock_all_members(Window& window);
int unlock_all_members(Window& window);

// Kinds of MPI_Win_flush: kRemote completes transfers at the target, kLocal only for the caller's buffers. Flushes are
// valid only while the rank holds locks.
enum class FlushKind : std::uint8_t { kRemote, kLocal };
int flush_member(Window& window, FlushKind kind, std::int32_t target, const char* call);
int flush_all_members(Window& window, FlushKind kind, const char* call);

// Returns the MPI function that must end the rank's current epoch, or null if there is none.
const char* unfinished(Window& window);

// Converts a transfer's fault to an MPI error code and calls the error handler.
int outcome(const Window& window, const Fault& fault, const char* call);

}  // namespace pysmpi
