// Synchronisation: between which calls a rank may access which memory (MPI 4.1, section 12.5). For the running rank;
// the functions return an MPI error code, the window's error handler having been called.
#pragma once

#include <cstdint>
#include <span>

#include "rma/window.hpp"

namespace pysmpi {

inline constexpr std::int32_t kModeNoPrecede = 8192, kModeNoSucceed = 16384;  // MPICH's ABI

// Whether it may access the target's memory now, which it is about to do.
bool may_access(Window& window, std::int32_t target);

int fence(Window& window, int assertion);

// Members are ranks in the window.
int post_exposure(Window& window, std::span<const std::int32_t> members);
int start_access(Window& window, std::span<const std::int32_t> members);
int complete_access(Window& window);
int wait_for_accesses(Window& window);
int test_accesses(Window& window, bool& done);

int lock_member(Window& window, std::int32_t target, bool exclusive);
int unlock_member(Window& window, std::int32_t target);
int lock_all_members(Window& window);
int unlock_all_members(Window& window);

// Inside locks only.
enum class FlushKind : std::uint8_t { kRemote, kLocal };
int flush_member(Window& window, FlushKind kind, std::int32_t target, const char* call);
int flush_all_members(Window& window, FlushKind kind, const char* call);

// The MPI function that has to end what this rank has begun; null when there is nothing to end.
const char* unfinished(Window& window);

// What a message has met, as an MPI error code.
int outcome(const Window& window, const Fault& fault, const char* call);

}  // namespace pysmpi
