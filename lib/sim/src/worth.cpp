#include "kbsim/sim/detail/worth.hpp"

#include <algorithm>

namespace kbsim::detail {
namespace {

constexpr std::uint64_t kWindowsOfBlock = 14;
constexpr std::uint64_t kUncounted = 4;  // of a block: caches are warmed, threads awake
constexpr std::uint64_t kShortest = 2048;
constexpr std::uint64_t kLongest = 16'384;
constexpr double kMargin = 0.98;  // what doesn't win by so much isn't worth a change

}  // namespace

void Worth::took(std::uint64_t ticks, std::uint64_t events) {
  if (forced_) return;
  ++windows_;
  if (!trying_) {
    if (windows_ >= stays_) trying_ = true, windows_ = 0, block_ = 0, blocks_ = {};
    return;
  }
  if (windows_ > kUncounted) {
    blocks_[block_].ticks += ticks;
    blocks_[block_].events += events;
  }
  if (windows_ < kWindowsOfBlock) return;
  windows_ = 0;
  if (++block_ == kBlocks) decide();
}

void Worth::decide() {
  const double alone = median(0);
  const double shared = median(1);
  const bool paid = pays_;
  pays_ = paid ? shared * kMargin < alone : shared < alone * kMargin;
  stays_ = pays_ == paid ? std::clamp(2 * stays_, kShortest, kLongest) : kShortest;
  trying_ = false;
}

// Of every second block: one in which the host did something else doesn't count.
double Worth::median(std::size_t first) const {
  std::array<double, kBlocks / 2> each{};
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = blocks_[2 * i + first].each();
  std::ranges::sort(each);
  return each[each.size() / 2];
}

}  // namespace kbsim::detail
