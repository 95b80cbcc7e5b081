#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/hw/memory/i_memory_timing.hpp"

namespace kbsim::hw {

/// A memory controller that orders commands, not requests: it is told of each request as it arrives, and
/// says when a request's bytes have passed the port. It may look at nothing that arrives later than what it
/// decides. Requests of overlapping bytes keep their order of arrival, and each request is served.
class IMemoryController {
 public:
  struct Served {
    std::uint64_t id = 0;
    Lane::Slot slot;
    ServerCauses because = {};  // if it keeps causes
  };

  virtual ~IMemoryController() = default;

  /// A request, at its head or, of a write, its tail; in order of arrival.
  virtual void push(std::uint64_t id, const MemoryRequest& request) = 0;
  /// From now on, before the first request, push_because() is called instead of push(), and what is served
  /// says why. False: it can't.
  virtual bool keep_causes(Causes& /*causes*/, NodeId /*memory*/) { return false; }
  virtual void push_because(std::uint64_t id, const MemoryRequest& request, const Cause& tail);
  /// Decides all that goes out until `now`, and appends the requests whose slots are known by that.
  virtual void advance(Time now, std::vector<Served>& served) = 0;
  /// When to advance next, no later than the start of the next slot; kForever if nothing waits.
  [[nodiscard]] virtual Time next() = 0;
  /// Why then, if causes are kept.
  [[nodiscard]] virtual Cause why_next() { return {}; }
  /// What was served so far, by port.
  [[nodiscard]] virtual std::vector<UnitUse> use() const = 0;
};

}  // namespace kbsim::hw
