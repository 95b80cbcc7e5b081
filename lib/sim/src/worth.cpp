#include "kbsim/sim/detail/worth.hpp"

#include <algorithm>

namespace kbsim::detail {
namespace {

constexpr std::uint64_t kWarming = 2'500'000;  // ticks before those that count
constexpr std::uint64_t kPart = 1'000'000;
// Ticks per event in the trial, as a share of those in the cheaper neighbour. Events of a program's parts
// differ, so one thread has to win clearly, or twice in a row; several threads win with less.
constexpr double kClear = 0.75;
constexpr double kDoubt = 0.9;
constexpr double kChance = 0.97;

}  // namespace

bool Worth::Cost::has(std::uint64_t least) const {
  constexpr std::uint64_t kWindows = 4;
  return ticks >= least && windows >= kWindows;
}

void Worth::took(std::uint64_t ticks, std::uint64_t events) {
  if (forced_) return;
  ++cost_.windows;
  cost_.ticks += ticks;
  cost_.events += events;
  if (stretch_ == kNone) {
    if (cost_.has(stays_)) begin(kBefore);
  } else if (!warm_) {
    warm_ = cost_.has(kWarming);
    if (warm_) cost_ = {};
  } else if (cost_.has(kPart)) {
    end_of_part();
  }
}

// The first stretch runs as windows have run until now.
void Worth::begin(Stretch stretch) {
  stretch_ = stretch;
  warm_ = stretch == kBefore;
  part_ = 0;
  cost_ = {};
}

void Worth::end_of_part() {
  parts_[part_] = cost_.each();
  cost_ = {};
  if (++part_ < kParts) return;
  std::ranges::sort(parts_);
  each_[stretch_] = parts_[kParts / 2];
  if (stretch_ == kAfter) decide();
  begin(static_cast<Stretch>((stretch_ + 1) % (kNone + 1)));
}

void Worth::decide() {
  const double share = each_[kTrial] / std::min(each_[kBefore], each_[kAfter]);
  const bool doubted = stays_ < kShortest;  // by the last trial
  const bool doubts = pays_ && share < kDoubt;
  const bool wins = pays_ ? share < kClear || (doubts && doubted) : share < kChance;
  pays_ = pays_ != wins;
  stays_ = wins ? kShortest : doubts ? kShortest / 2 : std::min(2 * stays_, kLongest);
}

}  // namespace kbsim::detail
