#include "window_homes.hpp"

#include <algorithm>

namespace kbsim::detail {

WindowHomes::WindowHomes(std::vector<WindowProcess>& processes)
    : processes_{processes}, homes_{std::make_unique<std::atomic<std::uint16_t>[]>(processes.size())} {}

void WindowHomes::deal(std::size_t threads) {
  for (const WindowProcess& process : processes_) set(process, process.number % threads);
}

void WindowHomes::settle(std::size_t threads) {
  std::vector<std::uint64_t> works(threads);
  for (const WindowProcess& process : processes_) works[of(process)] += process.report.work;
  while (move_one(works)) {}
  for (WindowProcess& process : processes_) process.report.work /= 2;
}

/// Moves one from the thread with most work to the one with least. False if no move is worth it.
bool WindowHomes::move_one(std::vector<std::uint64_t>& works) {
  const auto [least, most] = std::ranges::minmax_element(works);
  const std::uint64_t before = *most;
  const auto after = [&](const WindowProcess& process) {
    const std::uint64_t work = process.report.work;
    const auto from = static_cast<std::ptrdiff_t>(of(process));
    return works.begin() + from == most ? std::max(before - work, *least + work) : before;
  };
  const auto best = std::ranges::min_element(processes_, {}, after);
  if (after(*best) + before / 8 >= before) return false;
  set(*best, static_cast<std::size_t>(least - works.begin()));
  *most -= best->report.work;
  *least += best->report.work;
  return true;
}

}  // namespace kbsim::detail
