// Details in which the versions of one algorithm differ: SMPI's, and that of the library from which SMPI has taken it.
#pragma once

#include <cstdint>

namespace pysmpi {

enum class Empty : std::uint8_t { kMessage, kNone };     // whether a message without bytes is sent
enum class OwnBlock : std::uint8_t { kCopy, kMessage };  // how a rank gets the block that it sends to itself
enum class Left : std::uint8_t { kReceived, kOwn };  // the operand on the left when a rank adds what it has received

}  // namespace pysmpi
