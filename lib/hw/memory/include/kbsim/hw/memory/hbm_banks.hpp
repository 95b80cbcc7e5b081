#pragma once

#include <optional>
#include <vector>

#include "kbsim/hw/memory/hbm_delays.hpp"
#include "kbsim/hw/memory/hbm_timing.hpp"
#include "kbsim/hw/memory/memory_model.hpp"

namespace kbsim::hw {

/// One HBM slice with pseudo-channels, banks and refresh: PseudoChannel says when each burst is served, in
/// the order in which requests are picked. A read begins at its head, a write when its packet is whole; both
/// pass the controller first. Its controller() chooses the order of commands instead. Contradicting
/// attributes, and attributes that its scheduler doesn't use, are a ConfigError.
class HbmBanks final : public IMemoryTiming {
 public:
  HbmBanks(const MemorySite& site, const MemoryAttributes<HbmBanksSpec>& spec);

  Lane::Slot serve(const MemoryRequest& request) override;
  [[nodiscard]] Time first_byte(const MemoryRequest& request) const override;
  /// The latency includes the opening of the row.
  [[nodiscard]] MemoryPort port(bool write) const override;
  [[nodiscard]] std::vector<UnitUse> use() const override { return {use_of(bus_)}; }

  [[nodiscard]] std::unique_ptr<IMemoryController> controller() const override;

  bool keep_causes(Causes& causes, NodeId memory) override;
  ServerCauses serve_because(const MemoryRequest& request, const Cause& head, const Cause& tail) override;
  [[nodiscard]] std::vector<DelayTerm> delay_terms(std::int64_t amount) const override {
    return hw::delay_terms(spec_, bus_.rate(), amount);
  }

  [[nodiscard]] HbmCounts counts() const { return caused_ ? caused_->timing.counts() : timing_.counts(); }

 private:
  // In place of `timing_`, where causes are kept.
  struct Caused {
    CausedTimes times;
    HbmTimingOf<CausedTimes> timing;
  };
  [[nodiscard]] Time ready(const MemoryRequest& request) const;
  void note(const MemoryRequest& request, Time start);

  HbmBanksSpec spec_;
  HbmTiming timing_;
  std::optional<Caused> caused_;
  Lane bus_;  // the account of all pseudo-channels
};

}  // namespace kbsim::hw
