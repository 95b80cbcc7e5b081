#pragma once

#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/memory/hbm_channel.hpp"

#include "hbm_support.hpp"

namespace kbsim::hw::test {

inline constexpr Time kChannelBurst = 1_ns;

/// One pseudo-channel, without refresh, whose commands take no time on a bus.
inline HbmBanksSpec one_channel() {
  HbmBanksSpec spec;
  spec.pseudo_channels = 1;
  spec.channel_pcs = 1;
  spec.trefi = Time{0};
  return spec;
}

/// Data on the bus of the bursts of a program, by their place in it. `order`: the places, as served.
inline std::vector<HbmCommands::Slot> channel_slots(const HbmBanksSpec& spec,
                                                    const std::vector<Access>& program,
                                                    std::vector<std::size_t>* order = nullptr) {
  HbmChannel channel{spec, kChannelBurst};
  std::vector<HbmChannel::Served> served;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Access& a = program[i];
    channel.advance(a.at - 1_ps, served);
    channel.push({.id = i,
                  .number = address_of(spec, a.place, a.column) / spec.burst.count(),
                  .place = a.place,
                  .write = a.write,
                  .at = a.at});
  }
  channel.advance(kForever - 1_ps, served);
  std::vector<HbmCommands::Slot> all(program.size());
  for (const HbmChannel::Served& s : served) {
    all.at(s.id) = s.slot;
    if (order != nullptr) order->push_back(s.id);
  }
  CHECK(served.size() == program.size());
  return all;
}

inline std::vector<Time> channel_ends(const HbmBanksSpec& spec, const std::vector<Access>& program,
                                      std::vector<std::size_t>* order = nullptr) {
  std::vector<Time> all;
  for (const HbmCommands::Slot& slot : channel_slots(spec, program, order)) all.push_back(slot.end);
  return all;
}

inline std::vector<std::size_t> channel_order(const HbmBanksSpec& spec, const std::vector<Access>& program) {
  std::vector<std::size_t> order;
  (void)channel_ends(spec, program, &order);
  return order;
}

}  // namespace kbsim::hw::test
