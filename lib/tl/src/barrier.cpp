#include "kbsim/tl/barrier.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kbsim {
namespace {

std::string_view words(StandingBarrier::Absence why) {
  constexpr std::array<std::string_view, 4> kWords{
      "has not come", "has ended without it", "has not begun, behind another kernel",
      "has come behind a command that waits for room in the TCM"};
  return kWords[static_cast<std::size_t>(why)];
}

std::string told_of(const StandingBarrier& barrier) {
  std::vector<std::string> come;
  std::vector<std::string> missing;
  for (const PeCoord pe : barrier.come) come.push_back(to_string(pe));
  for (const StandingBarrier::Missing& one : barrier.missing) missing.push_back(to_string(one.pe));
  return fmt::format("{}: {} {} come; missing: {}", barrier_name(barrier.number), fmt::join(come, ", "),
                     come.size() == 1 ? "has" : "have", fmt::join(missing, ", "));
}

}  // namespace

std::string barrier_name(std::uint32_t number) { return fmt::format("barrier {}", number); }

std::string told_of_barriers(const std::vector<StandingBarrier>& barriers) {
  std::string text;
  for (const StandingBarrier& barrier : barriers) text += "\n  " + told_of(barrier);
  return text.empty() ? text : "\nbarriers:" + text;
}

void add_barrier_waits(Waits& waits, const std::vector<StandingBarrier>& barriers) {
  for (const StandingBarrier& barrier : barriers) {
    const std::string name = barrier_name(barrier.number);
    for (const PeCoord pe : barrier.come) {
      const std::string from = to_string(pe);
      if (waits.awaited(from) != "event " + name) continue;
      for (const StandingBarrier::Missing& missing : barrier.missing) {
        const std::string to = to_string(missing.pe);
        waits.add(from, missing.why == StandingBarrier::Absence::ended ? to + " (ended)" : to,
                  fmt::format("{} {} ← {}: {}", from, name, to, words(missing.why)));
      }
    }
  }
}

}  // namespace kbsim
