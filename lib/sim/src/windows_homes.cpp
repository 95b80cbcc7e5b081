// Which thread takes a process first: the one that has its data.
#include <algorithm>

#include "kbsim/sim/windows.hpp"

namespace kbsim {

/// Uses the work of many windows. Processes move one at a time, if that takes an eighth off the busiest
/// thread's work: another core has to fetch the data of a process that moves.
void Windows::settle_homes() {
  std::vector<std::uint64_t> works(threads_);
  for (const Process& process : processes_) works[home(process)] += process.report.work;
  while (move_one_home(works)) {}
  for (Process& process : processes_) process.report.work /= 2;
}

/// Moves one from the thread with most work to the one with least. False if no move is worth it.
bool Windows::move_one_home(std::vector<std::uint64_t>& works) {
  const auto [least, most] = std::ranges::minmax_element(works);
  const std::uint64_t before = *most;
  const auto after = [&](const Process& process) {
    const std::uint64_t work = process.report.work;
    const auto from = static_cast<std::ptrdiff_t>(home(process));
    return works.begin() + from == most ? std::max(before - work, *least + work) : before;
  };
  const auto best = std::ranges::min_element(processes_, {}, after);
  if (after(*best) + before / 8 >= before) return false;
  homes_[static_cast<std::size_t>(best - processes_.begin())].store(
      static_cast<std::uint16_t>(least - works.begin()), std::memory_order_relaxed);
  *most -= best->report.work;
  *least += best->report.work;
  return true;
}

}  // namespace kbsim
