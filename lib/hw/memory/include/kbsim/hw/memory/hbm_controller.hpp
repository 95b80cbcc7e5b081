#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kbsim/hw/memory/hbm_channel.hpp"
#include "kbsim/hw/memory/i_memory_controller.hpp"

namespace kbsim::hw {

/// The controllers of an HBM slice, `scheduler: fr_fcfs` of `builtin.hbm_banks`: an HbmChannel for each
/// `channel_pcs` pseudo-channels. A request is split into bursts; each enters its channel's line when it
/// arrives, and takes room there; its commands begin when it has passed the controller (`controller_ns`). The
/// bytes of a read leave in one stretch; the last byte leaves when it is served.
class HbmController final : public IMemoryController {
 public:
  HbmController(const HbmBanksSpec& spec, Bandwidth raw);

  void push(std::uint64_t id, const MemoryRequest& request) override;
  bool keep_causes(Causes& causes, NodeId memory) override;
  void push_because(std::uint64_t id, const MemoryRequest& request, const Cause& tail) override;
  void advance(Time now, std::vector<Served>& served) override;
  [[nodiscard]] Time next() override;
  [[nodiscard]] Cause why_next() override;
  [[nodiscard]] std::vector<UnitUse> use() const override { return {use_of(bus_)}; }

  [[nodiscard]] HbmCounts counts() const;

 private:
  template <class Times>
  struct Open {
    using At = typename Times::At;
    MemoryRequest request;
    Time ready{};
    std::int64_t left = 0;  // bursts
    At start{kForever};
    At end{Time{0}};
  };
  // The channels, with plain or caused times.
  template <class Times>
  struct Channels {
    [[no_unique_address]] Times times;
    std::vector<HbmChannelOf<Times>> all;
    std::unordered_map<std::uint64_t, Open<Times>> open = {};
    std::vector<typename HbmChannelOf<Times>::Served> bursts = {};  // served by one advance()
  };
  template <class Times>
  [[nodiscard]] Channels<Times> make(Times times) const;
  template <class Times>
  void push(Channels<Times>& channels, std::uint64_t id, const MemoryRequest& request,
            const typename Times::At& ready);
  template <class Times>
  void advance(Channels<Times>& channels, Time now, std::vector<Served>& served);
  [[nodiscard]] Time ready(const MemoryRequest& request) const;
  [[nodiscard]] Served finished(Channels<PlainTimes>& channels, std::uint64_t id,
                                const Open<PlainTimes>& open);
  [[nodiscard]] Served finished(Channels<CausedTimes>& channels, std::uint64_t id,
                                const Open<CausedTimes>& open);

  HbmBanksSpec spec_;
  HbmMapping mapping_;
  Time burst_;
  Channels<PlainTimes> channels_;
  std::optional<Channels<CausedTimes>> caused_;  // used instead if causes are kept
  Lane bus_;                                     // the account of all pseudo-channels
};

}  // namespace kbsim::hw
