#include "kbsim/tl/barrier.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kbsim {
namespace {

std::string_view words(StandingBarrier::Absence why) {
  constexpr std::array<std::string_view, 4> kWords{"has not come", "has ended without it",
                                                   "has not begun, another kernel runs",
                                                   "has come after a command that waits for room in the TCM"};
  return kWords[static_cast<std::size_t>(why)];
}

Identity kernel_of(const StandingBarrier::Missing& missing) {
  if (missing.why == StandingBarrier::Absence::ended) return EndedOn{missing.pe};
  return KernelOn{missing.pe};
}

std::string describe(const StandingBarrier& barrier) {
  std::vector<std::string> come;
  std::vector<std::string> missing;
  for (const PeCoord pe : barrier.come) come.push_back(to_string(pe));
  for (const StandingBarrier::Missing& one : barrier.missing) missing.push_back(to_string(one.pe));
  return fmt::format("{}: {} {} come; missing: {}", BarrierWait{barrier.number}.text(), fmt::join(come, ", "),
                     come.size() == 1 ? "has" : "have", fmt::join(missing, ", "));
}

}  // namespace

std::string describe_barriers(const std::vector<StandingBarrier>& barriers) {
  std::string text;
  for (const StandingBarrier& barrier : barriers) text += "\n  " + describe(barrier);
  return text.empty() ? text : "\nbarriers:" + text;
}

void add_barrier_waits(Waits& waits, const std::vector<StandingBarrier>& barriers) {
  for (const StandingBarrier& barrier : barriers) {
    const BarrierWait wait{barrier.number};
    for (const PeCoord pe : barrier.come) {
      if (waits.awaited(KernelOn{pe}) != wait) continue;
      for (const StandingBarrier::Missing& missing : barrier.missing)
        waits.add(KernelOn{pe}, kernel_of(missing),
                  fmt::format("{} {} ← {}: {}", to_string(pe), wait.text(), to_string(missing.pe),
                              words(missing.why)));
    }
  }
}

}  // namespace kbsim
