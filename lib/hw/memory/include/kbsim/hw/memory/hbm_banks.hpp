#pragma once

#include "kbsim/hw/memory/hbm_timing.hpp"
#include "kbsim/hw/memory/memory_model.hpp"

namespace kbsim::hw {

/// One HBM slice with pseudo-channels, banks and refresh: PseudoChannel says when each burst is served, in
/// the order in which requests are picked. A read begins at its head, a write when its packet is whole; both
/// pass the controller first. Its controller() serves in the order of commands that it chooses. Contradicting
/// attributes, and those that its scheduler has no use for, are a ConfigError.
class HbmBanks final : public IMemoryTiming {
 public:
  HbmBanks(const MemorySite& site, const MemoryAttributes<HbmBanksSpec>& spec);

  Lane::Slot serve(const MemoryRequest& request) override;
  [[nodiscard]] Time first_byte(const MemoryRequest& request) const override;
  /// With the row to be opened.
  [[nodiscard]] MemoryPort port(bool write) const override;
  [[nodiscard]] std::vector<UnitUse> use() const override { return {use_of(bus_)}; }

  [[nodiscard]] std::unique_ptr<IMemoryController> controller() const override;

  [[nodiscard]] HbmCounts counts() const { return timing_.counts(); }

 private:
  [[nodiscard]] Time ready(const MemoryRequest& request) const;

  HbmBanksSpec spec_;
  HbmTiming timing_;
  Lane bus_;  // the account of all pseudo-channels
};

}  // namespace kbsim::hw
