#pragma once

#include "kbsim/hw/memory/hbm_timing.hpp"
#include "kbsim/hw/memory/memory.hpp"

namespace kbsim::hw {

/// One HBM slice with pseudo-channels, banks and refresh: PseudoChannel says when each burst is served, in
/// order of arrival. Reads are asked for at once, writes as soon as a packet is whole; both pass the
/// controller first. Contradicting attributes are a ConfigError.
class HbmBanks : public Memory {
 public:
  HbmBanks(Fabric& fabric, NodeId id, const HbmSpec& spec);

  [[nodiscard]] HbmCounts counts() const { return timing_.counts(); }
  /// With the row to be opened.
  [[nodiscard]] Time latency(bool write) const override { return controller_ + timing_.latency(write); }

 protected:
  Lane::Slot serve_read(std::int64_t address, Bytes n) override;
  Lane::Slot serve_write(const Packet& packet) override;
  Lane::Slot serve_update(std::int64_t address, Bytes n, Time ready) override;

 private:
  Time controller_;
  HbmTiming timing_;
};

}  // namespace kbsim::hw
