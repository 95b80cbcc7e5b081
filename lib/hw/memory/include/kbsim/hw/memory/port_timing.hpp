#pragma once

#include <optional>

#include "kbsim/hw/fabric/i_repeatable.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"

namespace kbsim::hw {

/// A memory of one rate for all addresses: a port for reads and writes together, or one for each. A port is a
/// Lane with a pipelined access latency before it; a write_back doesn't pay it.
class PortTiming : public IMemoryTiming, public IRepeatable {
 public:
  PortTiming(Time access, Bandwidth both) : access_{access}, read_{both} {}
  PortTiming(Time access, Bandwidth read, Bandwidth write)
      : access_{access}, read_{read}, write_{Lane{write}} {}

  Lane::Slot serve(const MemoryRequest& request) override;
  [[nodiscard]] Time first_byte(const MemoryRequest& request) const override;
  [[nodiscard]] MemoryPort port(bool write) const override;
  [[nodiscard]] int lanes() const override { return write_ ? 2 : 1; }
  [[nodiscard]] Lane* lane(bool write) override { return write && write_ ? &*write_ : &read_; }
  [[nodiscard]] std::vector<UnitUse> use() const override;
  /// A model that derives from it and keeps state of its own overrides this.
  void visit(RepeatVisitor& visitor) override;

 private:
  [[nodiscard]] const Lane& port_of(bool write) const { return write && write_ ? *write_ : read_; }
  [[nodiscard]] Time access(const MemoryRequest& request) const {
    return request.op == MemoryOp::write_back ? Time{0} : access_;
  }

  Time access_;
  Lane read_;  // also for writes if there is one port
  std::optional<Lane> write_;
};

}  // namespace kbsim::hw
