#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/hw/memory/i_memory_timing.hpp"

namespace kbsim::hw {

/// A memory controller that orders commands, not requests. It gets each request as it arrives and reports
/// when the request's bytes have passed the port. Its decisions don't depend on later arrivals. Requests of
/// overlapping bytes keep their order of arrival, and each request is served.
class IMemoryController {
 public:
  struct Served {
    std::uint64_t id = 0;
    Lane::Slot slot;
    ServerCauses because = {};  // if it keeps causes
  };

  virtual ~IMemoryController() = default;

  /// Adds a request: a read at its head, a write at its tail; in order of arrival. advance() up to its
  /// arrival comes first.
  virtual void push(std::uint64_t id, const MemoryRequest& request) = 0;
  /// Called before the first request: then push_because() replaces push(), and served requests have causes.
  /// False if that isn't supported.
  virtual bool keep_causes(Causes& /*causes*/, NodeId /*memory*/) { return false; }
  virtual void push_because(std::uint64_t id, const MemoryRequest& request, const Cause& tail);
  /// Decides all commands until `now`, and appends the requests whose slots are then known.
  virtual void advance(Time now, std::vector<Served>& served) = 0;
  /// When to advance next, no later than the start of the next slot, so that its packet leaves in time;
  /// kForever if nothing waits.
  [[nodiscard]] virtual Time next() = 0;
  /// Cause of next(), if causes are kept.
  [[nodiscard]] virtual Cause why_next() { return {}; }
  /// Use so far, by port.
  [[nodiscard]] virtual std::vector<UnitUse> use() const = 0;
};

}  // namespace kbsim::hw
