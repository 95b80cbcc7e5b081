#pragma once

#include <algorithm>
#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/lasting_name.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/lane.hpp"

namespace kbsim::hw {

/// Work that a server has done: a link, a port of a memory, or an engine.
struct UnitUse {
  LastingName port;         // of a unit with several: "read", "write"
  std::int64_t served = 0;  // packets or commands
  Bytes bytes;              // none if it is an engine
  Time busy{};
  Time waited{};   // total of all that it served
  Time longest{};  // the most work that was there at once, as the time that serving it takes

  UnitUse& operator+=(const UnitUse& other) {
    served += other.served;
    bytes += other.bytes;
    busy += other.busy;
    waited += other.waited;
    longest = std::max(longest, other.longest);
    return *this;
  }
  /// As IRepeatable.
  void visit(RepeatVisitor& visitor) {
    visitor.count(served);
    visitor.count(bytes);
    visitor.count(busy);
    visitor.count(waited);
  }
};

[[nodiscard]] inline UnitUse use_of(const Lane& lane, LastingName port = {}) {
  return {.port = port,
          .served = lane.packets(),
          .bytes = lane.bytes(),
          .busy = lane.busy(),
          .waited = lane.waited(),
          .longest = lane.longest_queue()};
}

}  // namespace kbsim::hw
