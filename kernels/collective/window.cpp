#include "kbsim/kernels/window.hpp"

#include <algorithm>

#include "kbsim/tl/small_tcm.hpp"

namespace kbsim::collective {
namespace {

// Elements of a window; 0: any number.
std::int64_t largest_window(const TcmBudget& budget, const Held& held) {
  if (budget.held == 0) return 0;
  const std::int64_t largest = budget.held * held.of / held.shares;
  if (largest == 0) {
    const std::int64_t one = (held.shares + held.of - 1) / held.of;
    refuse_small_tcm(budget.tcm, budget.tcm - budget.held + one);
  }
  return largest;
}

}  // namespace

TcmBudget budget_of(const CollectiveArgs& args, int vectors) {
  constexpr std::int64_t kLoads = 16;    // fewer if they don't fit in half of the TCM
  constexpr std::int64_t kAtOnce = 7;    // messages that are received, combined, rounded and finished
  constexpr std::int64_t kShare = 16;    // a message is at most this fraction (1/16) of the TCM
  constexpr std::int64_t kRounding = 8;  // elements by which some chunks are larger than others
  const std::int64_t tcm = args.tcm_elems;
  if (tcm == 0) return {.message = args.slot_elems, .loads = kLoads};
  const std::int64_t most = std::max<std::int64_t>(tcm / kShare, 1);
  const std::int64_t message = args.slot_elems > 0 ? std::min(args.slot_elems, most) : most;
  const std::int64_t fit = (tcm / 2 / message - kAtOnce) / vectors;
  const std::int64_t loads = std::clamp<std::int64_t>(fit, 1, kLoads);
  const std::int64_t on_their_way = (vectors * loads + kAtOnce) * message + kRounding;
  if (tcm <= on_their_way) refuse_small_tcm(tcm, on_their_way + 1);
  return {
      .message = message, .loads = static_cast<std::size_t>(loads), .held = tcm - on_their_way, .tcm = tcm};
}

std::vector<Window> windows(const CollectiveArgs& args, std::int64_t n, Held held) {
  const TcmBudget budget = budget_of(args, held.vectors);
  std::vector<Window> all;
  for (const Slice& slice : cut({.first = 0, .size = n}, largest_window(budget, held))) {
    all.push_back({slice, budget});
  }
  return all;
}

}  // namespace kbsim::collective
