#pragma once

#include <algorithm>
#include <vector>

#include "kbsim/hw/memory/hbm_timing.hpp"

namespace kbsim::hw {

inline const Bandwidth kRaw = Bandwidth::gbs(256.0);  // of 8 pseudo-channels: a burst takes 1 ns

inline HbmSpec without_refresh() {
  HbmSpec spec;
  spec.trefi = Time{0};
  return spec;
}

/// The inverse of HbmTiming::place: the first burst of a row, `column` bursts on.
inline std::int64_t address_of(const HbmSpec& spec, const HbmPlace& at, std::int64_t column = 0) {
  const std::int64_t columns = spec.row / spec.burst;
  std::int64_t burst = at.row * spec.banks_per_group + at.bank;
  burst = burst * columns + column;
  burst = burst * spec.bank_groups + at.group;
  burst = burst * spec.pseudo_channels + at.channel;
  return burst * spec.burst.count();
}

/// One burst of a program.
struct Access {
  HbmPlace place;
  bool write = false;
  Time at{};
  std::int64_t column = 0;
};

/// Runs it on a slice of its own; returns the end of each burst.
inline std::vector<Time> ends(const HbmSpec& spec, const std::vector<Access>& program) {
  HbmTiming slice{spec, kRaw};
  std::vector<Time> all;
  for (const Access& a : program) {
    all.push_back(slice.serve(address_of(spec, a.place, a.column), spec.burst, a.write, a.at).end);
  }
  return all;
}

}  // namespace kbsim::hw
