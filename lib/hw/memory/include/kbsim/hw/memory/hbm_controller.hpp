#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kbsim/hw/memory/hbm_channel.hpp"
#include "kbsim/hw/memory/i_memory_controller.hpp"

namespace kbsim::hw {

/// The controllers of an HBM slice, `scheduler: fr_fcfs` of `builtin.hbm_banks`: an HbmChannel for each
/// `channel_pcs` pseudo-channels. A request is its bursts, each in its channel's line from the time on at
/// which it has passed the controller; the bytes of a read leave together, the last as it is served.
class HbmController final : public IMemoryController {
 public:
  HbmController(const HbmBanksSpec& spec, Bandwidth raw);

  void push(std::uint64_t id, const MemoryRequest& request) override;
  void advance(Time now, std::vector<Served>& served) override;
  [[nodiscard]] Time next() override;
  [[nodiscard]] std::vector<UnitUse> use() const override { return {use_of(bus_)}; }

  [[nodiscard]] HbmCounts counts() const;

 private:
  struct Open {
    MemoryRequest request;
    Time ready{};
    std::int64_t left = 0;  // bursts
    Lane::Slot slot{.start = kForever, .end = Time{0}};
  };
  [[nodiscard]] Served finished(std::uint64_t id, const Open& open);

  HbmBanksSpec spec_;
  HbmMapping mapping_;
  Time burst_;
  std::vector<HbmChannel> channels_;
  std::unordered_map<std::uint64_t, Open> open_;
  std::vector<HbmChannel::Served> bursts_;  // of an advance
  Lane bus_;                                // the account of all pseudo-channels
};

}  // namespace kbsim::hw
